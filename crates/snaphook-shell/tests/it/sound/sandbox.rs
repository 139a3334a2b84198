//! The place where texts are run: a folder with logging stubs, the shells, and a few real programs that run others, and the runner
//! (`runner.c`), which is the only process that touches it.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::io::{Read, Write};
use std::os::unix::fs::{MetadataExt, PermissionsExt, chown, symlink};
use std::path::{Path, PathBuf};
use std::process::{Child, ChildStdin, ChildStdout, Command as Process, Stdio};

use super::shells::{Shell, find_program};

/// Programs that are what they are, because they run others. Where one is missing, texts with it show nothing.
const REAL: [&str; 13] = [
    "env", "nice", "nohup", "timeout", "setsid", "stdbuf", "ionice", "taskset", "xargs", "find", "watch",
    "time", "chroot",
];
/// Shells under the names that texts call them by.
const SHELLS: [(&str, &str); 7] = [
    ("bash", "bash"),
    ("sh", "dash"),
    ("dash", "dash"),
    ("zsh", "zsh"),
    ("ksh", "ksh"),
    ("mksh", "mksh"),
    ("busybox", "busybox"),
];
/// Stubs with a job of their own in `stub.c`, and names that are worth a stub: what texts use, and what shells run unasked.
const STUBS: &str = "rm mv ls git foo bar tee cc no cat more grep sudo doas false true echo printf test [ kill pwd cp ln touch mkdir rmdir sed \
    awk head tail sort uniq wc tr cut jq curl wget make cargo npm node python python3 perl ruby php docker kubectl scp rsync tar zip \
    chmod chown dd date id whoami uname hostname which expr seq basename dirname readlink realpath du df ps less vi vim ed editor pager \
    diff patch cmp od xxd base64 go rustc gcc g++ clang pip deno bun yarn pnpm java mvn gradle terraform helm aws gcloud az gh brew apt \
    apt-get dpkg systemctl journalctl service crontab at batch mail sendmail logger zap victim one two arr sub doc bq def p q r s t u v w \
    x y z a b c d e f g h i j k l m n o fi do done then else elif esac in case if while until for function select repeat end foreach \
    always coproc nocorrect noglob float integer namespace print whence let typeset echotc hi out deep inner outer last first arith \
    paste fold nl rev tac comm join split csplit shuf yes stat file mktemp install truncate shred sleep unlink link sync env2 setx X Y Z V 0 1 2 3 + - \
    -- -a -e -n % %1 @ ^ , = == != =~ =a a:b a1 é ~ ~a } { ] ]] ) ( ! $ # * ? [a]";

/// The programs that run others by rules of their own, which no stub follows.
const NO_STUBS: [&str; 1] = ["uv"];

/// How far the runner could go.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Confinement {
    /// Namespaces and a root folder of its own: even absolute paths lead to stubs.
    Chroot,
    /// Namespaces only.
    Namespaces,
    /// Process groups and limits only.
    Plain,
}

/// One program that a text started.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Call {
    /// The file that was executed.
    pub file: String,
    pub args: Vec<String>,
}

impl Call {
    pub fn name(&self) -> &str {
        self.file.rsplit('/').next().unwrap_or_default()
    }
}

/// The deeds of one shell with one text.
#[derive(Debug)]
pub struct Run {
    pub calls: Vec<Call>,
    pub timed_out: bool,
    pub victim_gone: bool,
}

/// A folder with its runner.
pub struct Sandbox {
    _root: tempfile::TempDir,
    child: Child,
    requests: ChildStdin,
    answers: ChildStdout,
    pub confinement: Confinement,
    programs: BTreeMap<Shell, String>,
    environment: Vec<String>,
}

impl Sandbox {
    /// For texts of which every program is a stub.
    pub fn of_stubs(number: usize) -> Self {
        let root = scratch();
        let path = root.path().to_owned();
        let bin = path.join("bin");
        for folder in ["bin", "usr", "proc", "dev", "etc", "h", "w", "tmp"] {
            fs::create_dir(path.join(folder)).unwrap();
        }
        symlink("../bin", path.join("usr/bin")).unwrap();
        symlink("bin", path.join("sbin")).unwrap();
        fs::write(path.join("dev/null"), "").unwrap();
        for (name, target) in [("fd", "fd"), ("stdin", "fd/0"), ("stdout", "fd/1"), ("stderr", "fd/2")] {
            symlink(format!("/proc/self/{target}"), path.join("dev").join(name)).unwrap();
        }
        build_runner(&path);
        let stub = build_stub(&path);
        let mut have = BTreeSet::new();
        for (name, program) in SHELLS.into_iter().chain(REAL.into_iter().map(|name| (name, name))) {
            if let Some(file) = find_program(program) {
                fs::copy(&file, bin.join(name)).unwrap();
                copy_libraries(&file, &path);
                have.insert(name);
            }
        }
        copy_folders(&path);
        let letters = ('a'..='z').chain('0'..='9').chain(['_']);
        let pairs = letters.clone().flat_map(|a| letters.clone().map(move |b| format!("{a}{b}")));
        for name in STUBS.split_whitespace().map(str::to_owned).chain(pairs) {
            let target = bin.join(&name);
            if !have.contains(name.as_str()) && !NO_STUBS.contains(&name.as_str()) && !target.exists() {
                fs::hard_link(&stub, target).unwrap();
            }
        }
        Self::start(root, "fuzz", number, |programs, confinement| {
            let (bin, home) = match confinement {
                Confinement::Chroot => ("/bin".to_owned(), "/h".to_owned()),
                _ => (bin.display().to_string(), path.join("h").display().to_string()),
            };
            for shell in Shell::ALL.into_iter().filter(|shell| shell.file().is_some()) {
                let program = if shell == Shell::Dash { "dash" } else { shell.program() };
                programs.insert(shell, format!("{bin}/{program}"));
            }
            let values = [
                ("X", "rm -rf env; rm env"),
                ("Y", "a b"),
                ("V", "*"),
                ("E", ""),
                ("FUNCNEST", "8"),
                ("LC_ALL", "C.UTF-8"),
                ("TERM", "dumb"),
                // without it bash looks the user up
                ("SHELL", "/bin/sh"),
            ];
            let values = values.map(|(name, value)| format!("{name}={value}"));
            [format!("PATH={bin}"), format!("HOME={home}")].into_iter().chain(values).collect()
        })
    }

    /// For texts that run the machine's own programs in a folder with a file `victim`.
    pub fn of_programs(number: usize) -> Self {
        let root = scratch();
        let path = root.path().to_owned();
        for folder in ["h", "w", "tmp"] {
            fs::create_dir(path.join(folder)).unwrap();
        }
        build_runner(&path);
        Self::start(root, "open", number, |programs, _| {
            for shell in Shell::ALL {
                if let Some(file) = shell.file() {
                    programs.insert(shell, file.display().to_string());
                }
            }
            let home = path.join("h").display().to_string();
            let tmp = path.join("tmp").display().to_string();
            [
                "PATH=/usr/local/bin:/usr/bin:/bin:/usr/sbin:/sbin".to_owned(),
                format!("HOME={home}"),
                format!("TMPDIR={tmp}"),
                "LC_ALL=C.UTF-8".to_owned(),
                "TERM=dumb".to_owned(),
                "USER=nobody".to_owned(),
            ]
            .into()
        })
    }

    fn start(
        root: tempfile::TempDir,
        mode: &str,
        number: usize,
        set_up: impl FnOnce(&mut BTreeMap<Shell, String>, Confinement) -> Vec<String>,
    ) -> Self {
        let path = root.path();
        // a user of its own, so that the limit on processes counts only these
        let uid = 61_000 + (std::process::id() % 200) * 20 + number as u32 % 20;
        fs::write(path.join("calls.log"), "").unwrap();
        fs::set_permissions(path.join("calls.log"), fs::Permissions::from_mode(0o666)).unwrap();
        fs::set_permissions(path.join("tmp"), fs::Permissions::from_mode(0o777)).unwrap();
        fs::set_permissions(path, fs::Permissions::from_mode(0o755)).unwrap();
        fs::set_permissions(path.join("h"), fs::Permissions::from_mode(0o755)).unwrap();
        if fs::metadata(path).unwrap().uid() == 0 {
            for folder in ["w", "tmp"] {
                chown(path.join(folder), Some(uid), Some(uid)).unwrap();
            }
        }
        let mut child = Process::new(path.join("runner"))
            .args([mode, &path.display().to_string(), &uid.to_string()])
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn()
            .unwrap();
        let requests = child.stdin.take().unwrap();
        let mut answers = child.stdout.take().unwrap();
        let mut hello = [0];
        answers.read_exact(&mut hello).expect("the runner did not start");
        let confinement = match hello[0] {
            b'C' => Confinement::Chroot,
            b'I' => Confinement::Namespaces,
            _ => Confinement::Plain,
        };
        let mut programs = BTreeMap::new();
        let environment = set_up(&mut programs, confinement);
        Self { _root: root, child, requests, answers, confinement, programs, environment }
    }

    /// The shells that are installed.
    pub fn shells(&self) -> impl Iterator<Item = Shell> + '_ {
        self.programs.keys().copied()
    }

    /// Runs `text` in each of `shells` that is installed.
    pub fn run(&mut self, shells: &[Shell], text: &str, limit_ms: u32) -> Vec<(Shell, Run)> {
        let shells: Vec<Shell> =
            shells.iter().copied().filter(|shell| self.programs.contains_key(shell)).collect();
        let mut bytes = Vec::with_capacity((text.len() + 512) * shells.len());
        for &shell in &shells {
            self.request(shell, text, limit_ms, &mut bytes);
        }
        // More would fill the pipe while the runner waits for its answers to be read.
        let at_once = bytes.len() < 32 * 1024;
        if at_once {
            self.requests.write_all(&bytes).expect("the runner ended");
        }
        let mut runs = Vec::new();
        for shell in shells {
            if !at_once {
                bytes.clear();
                self.request(shell, text, limit_ms, &mut bytes);
                self.requests.write_all(&bytes).expect("the runner ended");
            }
            runs.push((shell, self.answer()));
        }
        runs
    }

    fn request(&self, shell: Shell, text: &str, limit_ms: u32, into: &mut Vec<u8>) {
        let program = [self.programs[&shell].as_str()];
        let args: Vec<&str> = program.iter().chain(shell.arguments()).copied().chain([text]).collect();
        let size: usize = self.environment.iter().map(|entry| entry.len() + 1).sum::<usize>()
            + args.iter().map(|arg| arg.len() + 1).sum::<usize>();
        for number in [limit_ms, self.environment.len() as u32, args.len() as u32, size as u32] {
            into.extend(number.to_ne_bytes());
        }
        for part in self.environment.iter().map(String::as_str).chain(args) {
            into.extend(part.as_bytes());
            into.push(0);
        }
    }

    fn number(&mut self) -> u32 {
        let mut bytes = [0; 4];
        self.answers.read_exact(&mut bytes).expect("the runner ended");
        u32::from_ne_bytes(bytes)
    }

    fn answer(&mut self) -> Run {
        let (_status, timed_out, victim_gone, size) =
            (self.number(), self.number(), self.number(), self.number());
        let mut log = vec![0; size as usize];
        self.answers.read_exact(&mut log).expect("the runner ended");
        let mut calls = Vec::new();
        let mut rest = &log[..];
        while rest.len() >= 8 {
            let size = u32::from_ne_bytes(rest[..4].try_into().unwrap()) as usize;
            if size > rest.len() {
                break;
            }
            let mut fields = rest[8..size]
                .split_inclusive(|byte| *byte == 0)
                .map(|field| String::from_utf8_lossy(field.strip_suffix(&[0]).unwrap_or(field)).into_owned());
            let file = fields.next().unwrap_or_default();
            // the name that it was called by is not what was executed
            calls.push(Call { file, args: fields.skip(1).collect() });
            rest = &rest[size..];
        }
        Run { calls, timed_out: timed_out != 0, victim_gone: victim_gone != 0 }
    }
}

impl Drop for Sandbox {
    fn drop(&mut self) {
        // the runner ends with its input
        let (read, write) = std::io::pipe().unwrap();
        drop(read);
        self.requests = ChildStdin::from(std::os::fd::OwnedFd::from(write));
        let _ = self.child.wait();
    }
}

/// A folder in memory if there is one that programs may be run from.
fn scratch() -> tempfile::TempDir {
    let memory = Path::new("/dev/shm");
    if let Ok(folder) = tempfile::Builder::new().prefix("soundness-").tempdir_in(memory) {
        let probe = folder.path().join("probe");
        let runs = fs::copy("/bin/true", &probe).is_ok() && Process::new(&probe).status().is_ok();
        if runs {
            return folder;
        }
    }
    tempfile::Builder::new().prefix("soundness-").tempdir().unwrap()
}

/// Compiles one of the two C programs into the folder.
fn build(root: &Path, name: &str, source: &str, options: &[&str]) -> PathBuf {
    let (program, file) = (root.join(name), root.join(format!("{name}.c")));
    fs::write(&file, source).unwrap();
    let built = Process::new("cc")
        .args(["-O2", "-static", "-o"])
        .arg(&program)
        .args(options)
        .arg(format!("-DROOT=\"{}\"", root.display()))
        .arg(&file)
        .output()
        .expect("the soundness tests need a C compiler, cc");
    assert!(built.status.success(), "cc: {}", String::from_utf8_lossy(&built.stderr));
    program
}

fn build_runner(root: &Path) {
    build(root, "runner", include_str!("runner.c"), &[]);
}

fn build_stub(root: &Path) -> PathBuf {
    let options = ["-nostdlib", "-ffreestanding", "-fno-stack-protector", "-fno-builtin"];
    build(root, "stub", include_str!("stub.c"), &options)
}

fn copy_libraries(program: &Path, root: &Path) {
    let Ok(list) = Process::new("ldd").arg(program).output() else { return };
    for word in String::from_utf8_lossy(&list.stdout).split_whitespace().filter(|word| word.starts_with('/'))
    {
        copy_into(Path::new(word), root);
    }
}

fn copy_into(file: &Path, root: &Path) {
    let target = root.join(file.strip_prefix("/").unwrap());
    if !target.exists() {
        fs::create_dir_all(target.parent().unwrap()).unwrap();
        fs::copy(file, target).unwrap();
    }
}

/// Copies what the shells load on demand: zsh's modules, the locale, the library of `stdbuf`.
fn copy_folders(root: &Path) {
    let mut todo: Vec<PathBuf> =
        ["/usr/lib/locale/C.utf8", "/usr/libexec/coreutils"].map(PathBuf::from).into();
    for entry in fs::read_dir("/usr/lib").into_iter().flatten().flatten() {
        todo.extend(["zsh", "coreutils"].map(|name| entry.path().join(name)));
    }
    while let Some(path) = todo.pop() {
        if path.is_file() {
            copy_into(&path, root);
        }
        todo.extend(fs::read_dir(&path).into_iter().flatten().flatten().map(|entry| entry.path()));
    }
}
