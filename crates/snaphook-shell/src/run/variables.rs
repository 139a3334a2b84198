//! Variables that mean something to a shell or to programs: those whose value a shell runs, and those that hold a
//! command, options or a path for some program. Tables only; what the text assigns is kept in `output`.

use super::{Call, Item, Opaque, OpaqueKind, Reader, Res, config, dynamic};
use crate::Word;
use crate::programs::words;
use crate::reader::{Variable, is_number};

/// Names whose value a shell runs, evaluates, or looks names up by.
const RUN: &[&str] = words!(
    "ENV PS0 PS1 PS2 PS3 PS4 PROMPT PROMPT2 PROMPT3 PROMPT4 RPROMPT RPROMPT2 RPS1 RPS2 SPROMPT PROMPT_COMMAND
    PROMPT_DIRTRIM SHELLOPTS BASHOPTS FCEDIT HISTCMD histchars NULLCMD READNULLCMD MODULE_PATH FPATH ZDOTDIR
    path fpath cdpath manpath module_path options commands functions dis_functions builtins aliases galiases
    saliases dis_aliases parameters modules dirstack fignore mailpath psvar watch WATCH WATCHFMT prompt
    MAILPATH MAIL zle_bracketed_paste nameddirs userdirs jobtexts reply signals CHILD_MAX FIGNORE GLOBIGNORE
    EXECIGNORE KSH_VERSION JOBMAX VPATH _AST_FEATURES SHTRACE POSIXLY_CORRECT POSIX_PEDANTIC TIMEFMT argv
    precmd preexec chpwd periodic STTY FUNCNEST TMPPREFIX zsh_eval_context"
);
/// Names whose value is an integer, so that an assignment is evaluated.
const INTEGERS: &[&str] = words!(
    "RANDOM SRANDOM SECONDS EPOCHSECONDS EPOCHREALTIME OPTIND COLUMNS LINES LINENO EUID UID PPID GID EGID
    TMOUT MAILCHECK SHLVL HISTSIZE SAVEHIST HISTFILESIZE KEYTIMEOUT LISTMAX LOGCHECK BAUD DIRSTACKSIZE
    status PERIOD REPORTTIME REPORTMEMORY ERRNO TTYIDLE IGNOREEOF CURSOR HISTNO pipestatus TRY_BLOCK_ERROR
    TRY_BLOCK_INTERRUPT"
);
/// Names that hold a command, options or code for a program, with the values that run nothing else.
const HOLD: &[(&[&str], &[&str])] = &[
    (
        words!(
            "HOME XDG_CONFIG_HOME SUDO_EDITOR RSYNC_CONNECT_PROG SVN_EDITOR HGEDITOR DBX_PAGER RSH PYTHONHOME
            PYTHONUSERBASE PERL5LIB PERL5DB PERLLIB RUBYLIB LUA_INIT LUA_INIT_5_3 LUA_INIT_5_4 PHPRC
            PHP_INI_SCAN_DIR CLASSPATH ANT_OPTS ANT_ARGS MAKEFILES AWKPATH AWKLIBPATH RUSTC_LINKER GOROOT
            GCONV_PATH LOCPATH GETCONF_DIR TERMINFO TERMINFO_DIRS TERMCAP INPUTRC GTK_MODULES GTK_PATH VIMINIT
            EXINIT GVIMINIT VIMRUNTIME NVIM_APPNAME EMACSLOADPATH MANOPT MAN_POSIXLY_CORRECT GREP_OPTIONS
            BASH_LOADABLES_PATH GEM_HOME GEM_PATH BUNDLE_GEMFILE COMPOSER_HOME DOCKER_CONFIG PSQL_EDITOR
            MYSQL_HOME LIBGL_DRIVERS_PATH OPENSSL_MODULES OPENSSL_ENGINES ZSH LOGNAME_CMD DEBUGGER FPATH_CMD
            CURL_HOME GNUPGHOME PINENTRY_USER_DATA FZF_DEFAULT_COMMAND FZF_DEFAULT_OPTS DIFFPROG LESSKEY
            LESSKEYIN LESSEDIT LESSGLOBALTAGS"
        ),
        &[],
    ),
    (
        words!(
            "LESSOPEN LESSCLOSE MORE TAR_OPTIONS NODE_OPTIONS PYTHONSTARTUP PYTHONINSPECT PERL5OPT RUBYOPT
            MFLAGS RUSTC_WORKSPACE_WRAPPER RIPGREP_CONFIG_PATH"
        ),
        &[""],
    ),
    (
        words!(
            "PYTEST_ADDOPTS PYTEST_PLUGINS JUST_SHELL RAKEOPT ERL_AFLAGS ERL_ZFLAGS ERL_FLAGS ELIXIR_ERL_OPTIONS
            R_PROFILE R_PROFILE_USER TF_CLI_CONFIG_FILE HELM_PLUGINS CARGO_ENCODED_RUSTFLAGS PKG_CONFIG RUST_WRAPPER
            npm_config_script_shell npm_config_node_options npm_config_shell npm_config_editor npm_config_git
            npm_config_userconfig npm_config_globalconfig npm_config_viewer"
        ),
        &[""],
    ),
    (words!("LESS"), &["", "-R", "-F", "-X", "-FRX", "-FRSX"]),
    (words!("GNUMAKEFLAGS"), &["", "-j"]),
    (words!("GOFLAGS"), &["", "-mod=mod", "-mod=vendor", "-mod=readonly", "-buildvcs=false"]),
    (words!("MAKEFLAGS"), &["", "-s", "-j"]),
    (words!("SSH_ASKPASS SUDO_ASKPASS"), &["", "/bin/false", "/bin/true"]),
    (words!("PYTHONBREAKPOINT"), &["", "0"]),
    (words!("SYSTEMD_PAGER DELTA_PAGER BAT_PAGER GH_PAGER AWS_PAGER PSQL_PAGER"), &["", "cat"]),
    (words!("GIT_PAGER"), &["", "cat", "less"]),
    (words!("MANPAGER"), &["", "cat", "less", "more"]),
    (words!("PAGER"), &["", "cat", "less", "more", "less -R"]),
    (words!("RUSTC_WRAPPER"), &["", "sccache"]),
    (words!("BROWSER"), &["", "true", "echo", "none"]),
    (words!("SHELL"), &["/bin/bash", "/bin/sh", "/bin/zsh", "/usr/bin/zsh", "/usr/bin/bash", "bash", "sh"]),
    (words!("CONFIG_SHELL"), &["/bin/sh", "/bin/bash"]),
    (words!("OPENSSL_CONF WGETRC"), &["/dev/null"]),
    (words!("PSQLRC"), &["/dev/null", ""]),
    (words!("AR"), &["ar", "llvm-ar", "gcc-ar"]),
    (words!("AS"), &["as"]),
    (words!("CARGO"), &["cargo"]),
    (words!("CMAKE_C_COMPILER_LAUNCHER CMAKE_CXX_COMPILER_LAUNCHER"), &["ccache", "sccache"]),
    (words!("KUBECTL_EXTERNAL_DIFF"), &["diff"]),
    (words!("LD"), &["ld", "lld", "mold", "gold"]),
    (words!("RUSTC"), &["rustc"]),
    (words!("RUSTDOC"), &["rustdoc"]),
    (words!("RSYNC_RSH CVS_RSH SVN_SSH"), &["ssh"]),
    (words!("VISUAL"), &["true", ":", "cat", "vi", "vim", "nvim", "nano"]),
    (words!("EDITOR"), &["true", ":", "cat", "vi", "vim", "nvim", "nano", "emacs", "code --wait"]),
    (words!("KUBE_EDITOR"), &["true", "cat", "vi", "vim", "nano"]),
    (words!("CC CXX CPP HOSTCC"), COMPILERS),
];
/// Compilers, each as a variable may hold it.
#[rustfmt::skip]
const COMPILERS: &[&str] = &[
    "gcc", "g++", "cc", "c++", "clang", "clang++", "musl-gcc", "tcc", "cpp", "gcc-10", "gcc-11", "gcc-12",
    "gcc-13", "gcc-14", "g++-10", "g++-11", "g++-12", "g++-13", "g++-14", "clang-14", "clang-15",
    "clang-16", "clang-17", "clang-18", "clang++-14", "clang++-15", "clang++-16", "clang++-17",
    "clang++-18", "icx", "icpx", "nvcc", "emcc", "em++", "zig cc", "ccache gcc", "ccache g++",
    "ccache clang", "ccache clang++", "aarch64-linux-gnu-gcc", "arm-linux-gnueabihf-gcc",
    "x86_64-w64-mingw32-gcc",
];
/// git's variables that only say who, when, or what to print.
const GIT_PLAIN: &[&str] = words!(
    "GIT_AUTHOR_NAME GIT_AUTHOR_EMAIL GIT_AUTHOR_DATE GIT_COMMITTER_NAME GIT_COMMITTER_EMAIL
    GIT_COMMITTER_DATE GIT_TERMINAL_PROMPT GIT_OPTIONAL_LOCKS GIT_TRACE GIT_CURL_VERBOSE GIT_LFS_SKIP_SMUDGE
    GIT_MERGE_AUTOEDIT GIT_CEILING_DIRECTORIES GIT_ADVICE GIT_COMMIT GIT_SHA GIT_BRANCH GIT_TAG GIT_REF
    GIT_REPO GIT_URL GIT_HASH GIT_VERSION GIT_USER GIT_EMAIL GIT_ROOT GIT_REV"
);

/// Returns whether a shell runs or evaluates the value of this name, whatever it is.
pub(super) fn runs(name: &str) -> bool {
    let starts = ["BASH_", "LD_", "DYLD_", "HIST", "ZSH_", "KSH_", "TRAP", "_comp", "COMP_"];
    RUN.contains(&name)
        || (starts.iter().any(|start| name.starts_with(start))
            && !matches!(name, "LD_LIBRARY_PATH_64" | "HISTORY"))
        || name == "BASH"
        || name.ends_with("_functions")
}

/// Returns whether a value is certainly an integer.
fn integer(value: Option<&Item>) -> bool {
    value.is_some_and(|value| match &value.word {
        Word::Known(text) => is_number(text),
        Word::Unknown { .. } => value.variable == Some(Variable::Number),
    })
}

/// Notes that a command gives `name` a value; `None` is one that nobody knows.
pub(super) fn assigned(
    reader: &mut Reader<'_, '_>,
    name: &str,
    value: Option<&Item>,
    call: &Call,
) -> Res<()> {
    let integer = integer(value);
    reader.out.assign(name, integer);
    if runs(name) || INTEGERS.contains(&name) && !integer {
        return dynamic(reader, name, "assignment", &call.via, &call.source);
    }
    Ok(())
}

/// Returns how a program runs the value of this name.
pub(super) fn opaque(name: &str, value: &Word) -> Option<Opaque> {
    if matches!(name, "PATH" | "CDPATH_COMMANDS") {
        return Some(Opaque {
            kind: OpaqueKind::Path,
            language: None,
            code: None,
            file: None,
            written: false,
        });
    }
    let git = name.starts_with("GIT_") && !GIT_PLAIN.contains(&name) && !name.starts_with("GIT_TRACE");
    let cargo = name.starts_with("CARGO_")
        && (name.ends_with("_RUNNER")
            || name.ends_with("_LINKER")
            || name.contains("RUSTC")
            || name.contains("RUSTDOC"));
    if let Some(bad) = flags(name) {
        // `NAME="$NAME more"` adds to what is there
        let text = value.text().trim_matches('"');
        let more = [format!("${name} "), format!("${{{name}}} ")]
            .iter()
            .find_map(|own| text.strip_prefix(own.as_str()));
        let text =
            value.known().or(more).filter(|text| value.known().is_some() || !text.contains(['$', '`']));
        let runs = text.is_none_or(|text| bad.iter().any(|sign| text.contains(sign)));
        return runs.then(|| config(None, value.known()));
    }
    let by_end = ["_PAGER", "_EDITOR", "_ASKPASS", "_BROWSER"].iter().any(|end| name.ends_with(end));
    let lower =
        name.strip_prefix("NPM_CONFIG_").map(|rest| format!("npm_config_{}", rest.to_ascii_lowercase()));
    let name = lower.as_deref().unwrap_or(name);
    let held = HOLD.iter().find(|(names, _)| names.contains(&name)).map(|(_, harmless)| *harmless);
    let held = held.or((git || cargo).then_some(&["", "true", ":", "cat", "0", "1"]));
    let held = held.or(by_end.then_some(PRINTERS))?;
    let certain = value.known().is_some_and(|text| {
        held.contains(&text)
            || name == "NODE_OPTIONS"
                && text.split(' ').all(|option| NODE_OPTIONS.iter().any(|start| option.starts_with(start)))
            || name.ends_with("MAKEFLAGS")
                && text.strip_prefix("-j").is_some_and(|jobs| jobs.bytes().all(|byte| byte.is_ascii_digit()))
    });
    (!certain).then(|| config(None, value.known()))
}

/// Programs that a pager's or an editor's variable may hold.
const PRINTERS: &[&str] = &[
    "",
    "cat",
    "less",
    "more",
    "less -R",
    "true",
    ":",
    "/bin/true",
    "false",
    "vi",
    "vim",
    "nvim",
    "nano",
    "code --wait",
];

/// Returns what in the value of a variable of flags has a compiler or a virtual machine run something or write a file; `None` for
/// other variables.
fn flags(name: &str) -> Option<&'static [&'static str]> {
    match name {
        "RUSTFLAGS" | "RUSTDOCFLAGS" => Some(&["linker", "link-arg", "codegen-backend", "runtool", "@"]),
        "JAVA_OPTS" | "JVM_OPTS" | "_JAVA_OPTIONS" | "JAVA_TOOL_OPTIONS" | "JDK_JAVA_OPTIONS" => Some(JVM),
        // `MAVEN_OPTS`, `GRADLE_OPTS`, `SBT_OPTS`, `CATALINA_OPTS`, …
        _ if name.ends_with("_OPTS") && !name.starts_with("FZF_") => Some(JVM),
        _ if name.starts_with("TF_CLI_ARGS") => Some(&["destroy", "replace", "auto-approve"]),
        _ => None,
    }
}

/// Options of Java's virtual machine that load code, run commands or write files.
const JVM: &[&str] = words!(
    "-javaagent -agent OnError OnOutOfMemory -Xlog -Xboot -cp -classpath -Xrun -XX:Flags -XX:VMOptionsFile File= Path= @
    -Dexec -Xshare -Xdebug"
);

/// Starts of node's options that run nothing.
const NODE_OPTIONS: &[&str] = words!(
    "--max-old-space-size= --max_old_space_size= --openssl-legacy-provider --no-warnings
    --experimental-vm-modules --trace-warnings --no-deprecation --unhandled-rejections= --enable-source-maps
    --stack-trace-limit= --max-http-header-size="
);
