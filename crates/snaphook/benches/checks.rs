//! The cost of an evaluation of changed files beside git's own time: 5,000 changed files in a repository, three checks in Lua with
//! patterns of their own. Nothing is asserted: it prints the times and what the evaluation adds.
#![expect(clippy::unwrap_used, clippy::print_stdout, reason = "a bench is no library")]

use std::path::Path;
use std::process::Command;
use std::sync::Arc;
use std::time::{Duration, Instant};

use snaphook::checks::Store;
use snaphook::{CallOptions, HookRef, Host, Language, Scope, Script, Session};
use snaphook_command::changes::{LookOptions, look};
use snaphook_lua::LuaEngine;

const FILES: usize = 5000;
const SAMPLES: usize = 15;

fn main() {
    let root = tempfile::tempdir().unwrap();
    let project = root.path().join("project");
    let git = |args: &[&str]| {
        let mut git = Command::new("git");
        git.args(["-c", "user.name=t", "-c", "user.email=t"]).args(args).current_dir(&project);
        assert!(git.output().unwrap().status.success());
    };
    write(&project, "1");
    git(&["init", "-q"]);
    git(&["add", "-A"]);
    git(&["commit", "-q", "-m", "all"]);
    write(&project, "22");
    // Files that were written this very moment are hashed; those of a turn that took longer are not.
    std::thread::sleep(Duration::from_millis(100));

    let host = host(&project);
    let env: Vec<_> = std::env::vars_os().collect();
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
    let mut times: [Vec<Duration>; 3] = Default::default();
    runtime.block_on(async {
        for sample in 0..SAMPLES {
            let dirty = look(LookOptions::new(&project, &env), None).await;
            assert_eq!(dirty.files.len(), FILES);
            times[0].push(dirty.git_took);
            let store = Store::new(root.path().join(format!("status-{sample}")));
            for (at, ran) in [(1, 3), (2, 0)] {
                let began = Instant::now();
                let evaluated = host.check_files(&store, &CallOptions::default()).await.unwrap();
                times[at].push(began.elapsed());
                assert_eq!(evaluated.ran.len(), ran);
            }
        }
    });
    let [git, first, again] = times.map(middle);
    println!("{FILES} changed files, the middle of {SAMPLES}");
    println!("  git's own time                           {:>8.1} ms", ms(git));
    for (what, time) in [("all are new, three checks run", first), ("none is new, nothing is pending", again)]
    {
        println!(
            "  {what:<40} {:>8.1} ms, {:>+6.1} ms beside git (budget 100), {:.2} times git's",
            ms(time),
            ms(time) - ms(git),
            time.as_secs_f64() / git.as_secs_f64()
        );
    }
}

fn ms(time: Duration) -> f64 {
    time.as_secs_f64() * 1000.0
}

fn middle(mut times: Vec<Duration>) -> Duration {
    times.sort_unstable();
    times[times.len() / 2]
}

fn write(project: &Path, text: &str) {
    for number in 0..FILES {
        let folder = project.join(format!("src/part-{}", number / 100));
        std::fs::create_dir_all(&folder).unwrap();
        let kind = ["go", "ts", "md"][number % 3];
        std::fs::write(folder.join(format!("file-{number}.{kind}")), text).unwrap();
    }
}

fn host(project: &Path) -> Host {
    let session = Session { cwd: project.to_owned(), project_root: project.to_owned(), ..Session::default() };
    let mut builder = Host::builder()
        .engine(Language::Lua, Arc::new(LuaEngine::new().unwrap()))
        .session(session)
        .exec_env(std::env::vars_os());
    for (id, pattern) in [("go", "\"*.go\""), ("ts", "{ \"src/**/*.ts\", \"*.tsx\" }"), ("all", "\"*\"")] {
        let hook = HookRef::new(id, id, Scope::User, format!("{id}.lua"));
        let source = format!("on('files_changed', {{ path = {pattern} }}, function() end)");
        builder = builder.script(Script::new(hook, source), Language::Lua);
    }
    builder.build()
}
