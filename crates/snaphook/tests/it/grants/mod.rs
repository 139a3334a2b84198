//! The rights of scripts: each kind of grant, and every way around it that we could think of. The scripts here are nothing but
//! the services that their engine was given for them.

mod env;
mod exec;

use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex};
use std::time::Duration;

use snaphook::*;
use tempfile::TempDir;

/// Keeps the services of each script, as an engine does, and registers nothing.
#[derive(Default)]
pub struct Keeper(Mutex<Vec<Arc<dyn Services>>>);

impl Engine for Keeper {
    fn load(&self, LoadRequest { services, .. }: LoadRequest<'_>) -> Result<LoadedHook, Problem> {
        self.0.lock().unwrap().push(Arc::clone(services));
        Ok(LoadedHook { handlers: Vec::new(), problems: Vec::new(), memory: 0, coverage: None })
    }
}

/// A folder with a project, a home, and folders of programs.
pub struct World {
    root: TempDir,
}

/// A script that loaded.
pub struct Loaded {
    pub host: Host,
    /// Of each script.
    services: Vec<Arc<dyn Services>>,
    root: PathBuf,
}

impl World {
    pub fn new() -> Self {
        let root = tempfile::tempdir().unwrap();
        let world = World { root };
        for folder in ["project/sub", "home"] {
            std::fs::create_dir_all(world.at(folder)).unwrap();
        }
        world
    }

    pub fn root(&self) -> PathBuf {
        self.root.path().canonicalize().unwrap()
    }

    pub fn at(&self, path: &str) -> PathBuf {
        self.root().join(path)
    }

    /// A program that prints its working directory and its arguments.
    pub fn program(&self, path: &str) {
        self.script(path, &format!("echo {path}: \"$@\""));
    }

    /// A program with this text. Another process writes it: a file that ours has open cannot be run, and a process that
    /// another test starts meanwhile would keep it open.
    pub fn script(&self, path: &str, text: &str) {
        let path = self.at(path);
        std::fs::create_dir_all(path.parent().unwrap()).unwrap();
        let write = "rm -f \"$0\"; printf '#!/bin/sh\\n%s\\n' \"$1\" > \"$0\" && chmod 755 \"$0\"";
        let mut command = std::process::Command::new("/bin/sh");
        assert!(command.args(["-c", write]).arg(&path).arg(text).status().unwrap().success());
    }

    pub fn link(&self, path: &str, target: &str) {
        let (path, target) = (self.at(path), self.at(target));
        std::fs::create_dir_all(path.parent().unwrap()).unwrap();
        let _ = std::fs::remove_file(&path);
        #[cfg(unix)]
        std::os::unix::fs::symlink(target, path).unwrap();
    }

    /// `PATH` of these folders; absolute ones and relative ones as they are.
    pub fn path(&self, folders: &[&str]) -> String {
        let entry = |folder: &&str| match folder.strip_prefix('@') {
            Some(folder) => self.at(folder).display().to_string(),
            None => (*folder).to_owned(),
        };
        folders.iter().map(entry).collect::<Vec<_>>().join(":")
    }

    /// Loads one script for each set of grants.
    pub fn load(&self, variables: &[(&str, &str)], grants: &[Grants]) -> Loaded {
        self.load_in(&self.at("project"), variables, grants)
    }

    pub fn load_in(&self, project: &Path, variables: &[(&str, &str)], grants: &[Grants]) -> Loaded {
        let keeper = Arc::new(Keeper::default());
        let session =
            Session { cwd: project.join("sub"), project_root: project.to_owned(), ..Session::default() };
        let mut builder = Host::builder()
            .engine(Language::Lua, keeper.clone())
            .session(session)
            .home(self.at("home"))
            .exec_env(variables.iter().copied());
        for (index, grants) in grants.iter().enumerate() {
            let id = format!("s{index}");
            let script = Script {
                hook: HookRef::new(&id, &id, Scope::Project, format!("{id}.lua")),
                source: "".into(),
                modules: Arc::default(),
                grants: Arc::new(grants.clone()),
                path: None,
                executable: None,
            };
            builder = builder.script(script, Language::Lua);
        }
        let host = builder.build();
        let services = keeper.0.lock().unwrap().clone();
        Loaded { host, services, root: self.root() }
    }
}

impl Loaded {
    pub fn services(&self) -> &Arc<dyn Services> {
        &self.services[0]
    }

    /// The surroundings of an event.
    pub fn call(&self) -> Arc<CallContext> {
        let services = Arc::clone(self.services());
        Arc::new(CallContext::new(self.host.session(), services, Duration::from_secs(5), 0))
    }

    /// Returns what the script with this number gets for a request: what the program wrote, or the error.
    pub async fn run_as(&self, script: usize, request: ExecRequest) -> String {
        let call = self.call();
        let ran = self.services[script].exec(&crate::support::hook("s"), &call, request).await;
        self.clean(&match ran {
            Ok(output) => output.stdout + output.stderr.as_str(),
            Err(error) => format!("error: {error}"),
        })
    }

    pub async fn run(&self, request: ExecRequest) -> String {
        self.run_as(0, request).await
    }

    /// A program by its words, the first its name.
    pub async fn line(&self, words: &[&str]) -> String {
        self.run(request(words)).await
    }

    /// Returns what was said of the grants. The hooks load all the same.
    pub fn remarks(&self) -> Vec<String> {
        assert!(self.host.hooks().iter().all(|hook| hook.loaded));
        let shown = |problem: &Problem| {
            let severity = serde_json::to_value(problem.severity).unwrap();
            self.clean(&format!("{}: {}", severity.as_str().unwrap(), problem.message))
        };
        self.host.problems().iter().map(shown).collect()
    }

    fn clean(&self, text: &str) -> String {
        text.replace(&self.root.display().to_string(), "@").trim_end().to_owned()
    }
}

pub fn request(words: &[&str]) -> ExecRequest {
    let words: Vec<String> = words.iter().map(|word| (*word).to_owned()).collect();
    let (program, args) = words.split_first().unwrap();
    ExecRequest { program: program.clone(), args: args.to_vec(), ..ExecRequest::default() }
}

pub fn exec(entries: &[&str]) -> Grants {
    Grants { exec: list(entries), ..Grants::default() }
}

pub fn list(entries: &[&str]) -> Vec<String> {
    entries.iter().map(|entry| (*entry).to_owned()).collect()
}
