//! Variables that mean something to a shell or to programs: those whose value a shell runs, and those that hold a
//! command, options or a path for some program. Tables only; what the text assigns is kept in `output`.

use super::{Call, Item, Opaque, OpaqueKind, Reader, Res, config, dynamic};
use crate::Word;
use crate::expansion::{Variable, is_number};
use crate::programs::{self, words};

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
    KSHUID KSHEUID KSHGID KSHEGID PGRP USER_ID BASHPID status PERIOD REPORTTIME REPORTMEMORY ERRNO TTYIDLE IGNOREEOF CURSOR HISTNO pipestatus TRY_BLOCK_ERROR
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
    // options of archivers and other tools, which remove, overwrite or run
    (
        words!(
            "ZIPOPT ZIP UNZIP UNZIPOPT ZIPINFO ZIPINFOOPT GZIP PIGZ BZIP BZIP2 XZ_OPT XZ_DEFAULTS LZMA_OPT LZOP ZSTD_OPT TAPE
            RSYNC_SHELL RSYNC_PROXY RSYNC_PARTIAL_DIR CPIO_OPTIONS DIFF_OPTIONS LS_OPTIONS ACK_OPTIONS ACK_PAGER ACKRC PATCH_OPTIONS
            BC_ENV_ARGS DC_ENV_ARGS BC_LINE_LENGTH ENSCRIPT SCREENRC SYSSCREENRC W3M_OPTIONS LYNX_CFG
            LYNX_LSS HTTPIE_CONFIG_DIR INDENT_PROFILE PERLTIDY TEXEDIT TEXMFCNF TEXINPUTS shell_escape openout_any
            GROFF_COMMAND_PREFIX MANROFFSEQ AUTOM4TE_CFG M4PATH PGOPTIONS PGSERVICEFILE PGSYSCONFDIR SQLITERC SQLITE_HISTORY
            NETRC SSH_SK_PROVIDER SSH_SK_HELPER SSH_PKCS11_HELPER SSH_AUTH_SOCK_HELPER SYSTEMD_EDITOR SYSTEMD_LESS
            VERSION_CONTROL SIMPLE_BACKUP_SUFFIX DEPENDENCIES_OUTPUT SUNPRO_DEPENDENCIES"
        ),
        &[""],
    ),
    // where compilers and linkers find their parts, and the options that they add
    (
        words!(
            "MAKE COMPILER_PATH GCC_EXEC_PREFIX GCC_COMPARE_DEBUG COLLECT_GCC COLLECT_GCC_OPTIONS COLLECT_LTO_WRAPPER COLLECT_NAMES
            LIBRARY_PATH CXX_MODULE_MAPPER CCC_OVERRIDE_OPTIONS CCC_ADD_ARGS CCC_CC CCC_CXX QA_OVERRIDE_GCC3_OPTIONS RC_DEBUG_OPTIONS
            CLANG_CONFIG_FILE_SYSTEM_DIR CLANG_CONFIG_FILE_USER_DIR LDEMULATION NVCC_PREPEND_FLAGS NVCC_APPEND_FLAGS NVCC_CCBIN CL _CL_
            LINK _LINK_ EM_CONFIG EM_COMPILER_WRAPPER EMCC_CFLAGS CCACHE_COMPILER CCACHE_PREFIX CCACHE_PREFIX_CPP CCACHE_PATH
            CCACHE_CONFIGPATH CCACHE_EXTENSION DISTCC_CMDLIST DISTCC_SSH ICECC_CXX ICECC_CC GO_LDSO GOTOOLDIR GOENV GOEXE
            CMAKE_TOOLCHAIN_FILE CMAKE_PROGRAM_PATH CMAKE_PREFIX_PATH CMAKE_MAKE_PROGRAM PKG_CONFIG_PATH PKG_CONFIG_LIBDIR ACLOCAL_PATH
            MPICH_CC OMPI_CC OMPI_CXX MPICH_CXX I_MPI_CC"
        ),
        &[""],
    ),
    // where interpreters and their tools find code
    (
        words!(
            "PYTHONPLATLIBDIR PYTHONEXECUTABLE CLOUDSDK_PYTHON UV_PYTHON UV_CONFIG_FILE PIP_CONFIG_FILE
            PIP_REQUIRE_VIRTUALENV_PYTHON VIRTUALENV_CONFIG_FILE PERL_MM_OPT PERL_MB_OPT HARNESS_PERL HARNESS_OPTIONS
            HARNESS_PERL_SWITCHES HARNESS_SUBCLASS PERL5SHELL PERL_LOCAL_LIB_ROOT LUA_PATH LUA_CPATH LUA_PATH_5_3 LUA_CPATH_5_3
            LUA_PATH_5_4 LUA_CPATH_5_4 R_ENVIRON R_ENVIRON_USER R_LIBS R_LIBS_USER JULIA_LOAD_PATH JULIA_DEPOT_PATH JULIA_PROJECT
            ERL_LIBS OCAMLRUNPARAM OCAMLPATH GHCRTS DOTNET_STARTUP_HOOKS CORECLR_PROFILER CORECLR_PROFILER_PATH
            CORECLR_ENABLE_PROFILING COR_PROFILER JAVA_HOME MAVEN_ARGS MAVEN_CONFIG GRADLE_USER_HOME YARN_RC_FILENAME YARN_YARN_PATH
            YARN_IGNORE_PATH COREPACK_HOME BUNDLE_PATH BUNDLE_CONFIG IRBRC PRYRC
            TCLLIBPATH GUILE_LOAD_PATH NODE_REPL_EXTERNAL_MODULE NODE_PRESERVE_SYMLINKS ANSIBLE_CONFIG ANSIBLE_LIBRARY
            ANSIBLE_SSH_EXECUTABLE ANSIBLE_PYTHON_INTERPRETER DOCKER_CLI_PLUGIN_EXTRA_DIRS KREW_ROOT PRE_COMMIT_HOME
            VAGRANT_VAGRANTFILE VAGRANT_HOME CARGO_HOME RUSTUP_HOME CARGO_REGISTRY_CREDENTIAL_PROVIDER
            CARGO_REGISTRY_GLOBAL_CREDENTIAL_PROVIDERS QT_PLUGIN_PATH GST_PLUGIN_PATH GIO_EXTRA_MODULES GIO_MODULE_DIR VDPAU_DRIVER_PATH
            VK_LAYER_PATH VK_ICD_FILENAMES ALSA_CONFIG_PATH MAGICK_CODER_MODULE_PATH MAGICK_CONFIGURE_PATH HGRCPATH
            MERCURIAL_HGRC"
        ),
        &[""],
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
    (words!("TAR_READER_OPTIONS TAR_WRITER_OPTIONS RSYNC_OLD_ARGS RSYNC_PROTECT_ARGS RSYNC_ICONV"), &["", "0", "1"]),
    (words!("LESS"), &["", "-R", "-F", "-X", "-FRX", "-FRSX"]),
    (words!("GNUMAKEFLAGS"), &["", "-j"]),
    (words!("GOFLAGS"), &["", "-mod=mod", "-mod=vendor", "-mod=readonly", "-buildvcs=false"]),
    (words!("MAKEFLAGS"), &["", "-s", "-j"]),
    (words!("PYTHONWARNINGS"), &["", "ignore", "error", "default", "always", "once", "module", "ignore::DeprecationWarning"]),
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
    reader.out.value(name, value.map_or_else(|| Word::unknown("", true), |value| value.word.clone()));
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
    if let Some(harmless) = flags(name) {
        // `NAME="$NAME more"` adds to what is there
        let text = value.text().trim_matches('"');
        let more = [format!("${name} "), format!("${{{name}}} ")]
            .iter()
            .find_map(|own| text.strip_prefix(own.as_str()));
        let text =
            value.known().or(more).filter(|text| value.known().is_some() || !text.contains(['$', '`']));
        let runs = text.is_none_or(|text| !text.split_ascii_whitespace().all(harmless));
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

/// Returns whether the tables have a value of this name as one that runs nothing else.
pub(super) fn is_listed(name: &str, value: &Word) -> bool {
    HOLD.iter().any(|(names, harmless)| {
        names.contains(&name) && value.known().is_some_and(|value| harmless.contains(&value))
    })
}

/// Returns whether a value is the name of a compiler, a linker or what is put in front of them.
pub(super) fn is_tool(value: &str) -> bool {
    let names = words!(
        "ccache sccache distcc ld lld mold gold ar llvm-ar gcc-ar ranlib gcc-ranlib llvm-ranlib ninja make clang-tidy cppcheck"
    );
    COMPILERS.contains(&value) || names.contains(&value) || matches!(value, "ON" | "OFF" | "TRUE" | "FALSE")
}

/// Names, in front of a command, whose values say how much, where to, who, or how it looks, whatever they are.
const HARMLESS: &[&str] = words!(
    "IFS LANG LANGUAGE TZ TERM COLORTERM CI DEBUG VERBOSE V NODE_ENV NODE_DEBUG NODE_PATH NODE_NO_WARNINGS NODE_TLS_REJECT_UNAUTHORIZED
    ENVIRONMENT STAGE PORT HOST HOSTNAME USER USERNAME LOGNAME DISPLAY WAYLAND_DISPLAY TMPDIR TMP TEMP NO_COLOR FORCE_COLOR CLICOLOR
    CLICOLOR_FORCE OPENSSL_ia32cap SOURCE_DATE_EPOCH DEBIAN_FRONTEND DESTDIR PREFIX VERSION MODE URL TOKEN MESSAGE NAME
    PYTHONPATH PYTHONUNBUFFERED PYTHONDONTWRITEBYTECODE PYTHONIOENCODING PYTHONUTF8 PYTHONHASHSEED PYTHONDEVMODE PYTHONNOUSERSITE
    FLASK_APP DJANGO_SETTINGS_MODULE PYTEST_CURRENT_TEST PYTEST_DISABLE_PLUGIN_AUTOLOAD
    CARGO_TARGET_DIR CARGO_NET_OFFLINE CARGO_TERM_PROGRESS_WHEN RUST_LOG RUST_BACKTRACE RUST_TEST_THREADS RUST_MIN_STACK RUSTUP_TOOLCHAIN
    GOOS GOARCH GOARM GOPATH GOBIN GOPROXY GOSUMDB GONOSUMDB GONOPROXY GOPRIVATE GOCACHE GOMODCACHE GODEBUG GOMAXPROCS GOTMPDIR
    DOCKER_HOST DOCKER_BUILDKIT DOCKER_DEFAULT_PLATFORM COMPOSE_FILE COMPOSE_PROFILES KUBECONFIG
    PGPASSWORD PGPASSFILE PGHOST PGHOSTADDR PGPORT PGUSER PGDATABASE PGSSLMODE PGSSLROOTCERT PGTZ PGAPPNAME
    SSL_CERT_FILE SSL_CERT_DIR REQUESTS_CA_BUNDLE CURL_CA_BUNDLE NODE_EXTRA_CA_CERTS SSH_AUTH_SOCK XAUTHORITY
    XDG_CACHE_HOME XDG_STATE_HOME XDG_RUNTIME_DIR XDG_SESSION_TYPE XDG_CURRENT_DESKTOP DBUS_SESSION_BUS_ADDRESS
    http_proxy https_proxy ftp_proxy all_proxy no_proxy HTTP_PROXY HTTPS_PROXY FTP_PROXY ALL_PROXY NO_PROXY
    LS_COLORS GREP_COLOR GREP_COLORS BLOCK_SIZE BLOCKSIZE OMP_NUM_THREADS CUDA_VISIBLE_DEVICES HIP_VISIBLE_DEVICES"
);
/// Beginnings and ends of such names.
const HARMLESS_STARTS: &[&str] = words!(
    "LC_ AWS_ AZURE_ GITHUB_ GITLAB_ OPENAI_ ANTHROPIC_ POSTGRES_ REDIS_ TF_VAR_ VAULT_ STRIPE_ SENTRY_ OTEL_ MINIO_ VITE_ REACT_APP_
    NEXT_PUBLIC_ DISCORD_ SLACK_ SMTP_ MAIL_ SNAPHOOK_"
);
const HARMLESS_ENDS: &[&str] = words!(
    "_URL _URI _HOST _PORT _USER _USERNAME _NAME _TOKEN _KEY _SECRET _PASSWORD _PASS _ID _VERSION _ENV _MODE _LEVEL _DEBUG
    _VERBOSE _TIMEOUT _REGION _ZONE _TAG _BRANCH _SHA _REF _COLOR _DATE _TIME _ENABLED _DISABLED _PROXY _ADDR _ADDRESS _EMAIL _DOMAIN
    _SEED _COUNT _SIZE _LIMIT _WORKERS _THREADS _JOBS _TITLE _MESSAGE _TEXT _LANG _LOCALE _FORMAT _ENDPOINT _BUCKET _LOG _PROJECT
    _NAMESPACE _CLUSTER _MODEL _DSN _TARGET _TYPE _KIND _DESCRIPTION _BODY _DIR _FILE _OUTPUT _CACHE _DB _DATABASE"
);
/// Parts of names that say otherwise: of what a program loads, runs, or takes its settings from.
const LOADING: &[&str] = words!(
    "CONF INI PLUGIN MODULE LIB TOOL BIN EXEC SCRIPT HOOK EXT INIT STARTUP LOAD RUN CMD COMMAND SHELL PROFILE INCLUDE OPT ARGS FLAG"
);
/// Ends of names of variables that hold a command, options or code for some program.
const HOLDING_ENDS: &[&str] = words!(
    "OPT OPTS OPTIONS ARGS CMD COMMAND PROGRAM EXEC EXECUTABLE INTERPRETER LAUNCHER WRAPPER RUNNER LINKER _CC _CXX _COMPILER _SHELL _RSH
    _SSH HOOK HOOKS PLUGIN PLUGINS PRELOAD LOADER _HELPER _PROVIDER _PROFILER _FILTER _SCRIPT _INIT _RC _EXEC_PREFIX _DIFF"
);

/// Returns how a program may run the value of a variable that stands in front of it. What no list has is harmless where the value is a
/// word, a number or a place that begins at a root, and the name is none of options, commands or settings: those may be what a program takes its orders from.
pub(super) fn in_front(name: &str, value: &Word) -> Option<Opaque> {
    if let Some(found) = opaque(name, value) {
        return Some(found);
    }
    if is_settled(name, value) || is_harmless(name) {
        return None;
    }
    let orders = holds(name) || LOADING.iter().any(|part| name.contains(part));
    let inert = match value.known() {
        Some(value) => is_inert(value) && (!orders || is_switch(value)),
        // Nobody knows it: the name says whether a program may take its orders from it.
        None => !orders,
    };
    (!inert).then(|| config(None, value.known()))
}

/// Returns how a program may run the value of a variable that the text exports: as in front of a command, but a place, a
/// text or what nobody knows only where the name is that of options or a command.
pub(super) fn exported(name: &str, value: &Word) -> Option<Opaque> {
    if let Some(found) = opaque(name, value) {
        return Some(found);
    }
    if is_settled(name, value) || is_harmless(name) {
        return None;
    }
    let text = value.known();
    let options = text.is_some_and(|text| text.split_ascii_whitespace().any(|word| word.starts_with('-')));
    let runs = holds(name) && !text.is_some_and(is_switch) || options;
    runs.then(|| config(None, text))
}

/// Returns whether a variable in front of a command may name a file that the command takes code or orders from.
pub(super) fn names_file(name: &str) -> bool {
    matches!(
        name,
        "KUBECONFIG" | "COMPOSE_FILE" | "FLASK_APP" | "DJANGO_SETTINGS_MODULE" | "RUSTUP_TOOLCHAIN" | "GOBIN"
    ) || !is_harmless(name)
}

/// Returns whether the tables have judged a variable, and found this value harmless.
fn is_settled(name: &str, value: &Word) -> bool {
    flags(name).is_some()
        || is_listed(name, value)
        || runs(name)
        || INTEGERS.contains(&name)
        || GIT_PLAIN.contains(&name)
        || name.starts_with("GIT_TRACE")
        || HOLD.iter().any(|(names, _)| names.contains(&name))
        || ["_PAGER", "_EDITOR", "_ASKPASS", "_BROWSER"].iter().any(|end| name.ends_with(end))
}

fn is_harmless(name: &str) -> bool {
    let starts = || HARMLESS_STARTS.iter().any(|start| name.starts_with(start));
    let ends = || HARMLESS_ENDS.iter().any(|end| name.ends_with(end));
    let loads = || LOADING.iter().any(|part| name.contains(part));
    HARMLESS.contains(&name) || (starts() || ends()) && !loads()
}

/// Returns whether a name is that of a command, options or code.
fn holds(name: &str) -> bool {
    let upper = name.to_ascii_uppercase();
    HOLDING_ENDS.iter().any(|end| upper.ends_with(end))
        || ["_PATH", "PREFIX", "_HOME"].iter().any(|end| upper.ends_with(end))
}

/// Returns whether a value is a word, a number or a place from a root, and no option.
fn is_inert(value: &str) -> bool {
    let plain = |byte: u8| byte.is_ascii_alphanumeric() || b"_.,:+%@=/~-".contains(&byte);
    value.bytes().all(plain) && !value.starts_with(['-', '.', '@', '+', '%', '='])
}

/// Returns whether a value only switches something on or off, or says how much.
fn is_switch(value: &str) -> bool {
    let lower = value.to_ascii_lowercase();
    matches!(lower.as_str(), "" | "true" | "false" | "yes" | "no" | "on" | "off" | "none" | "auto")
        || value.bytes().all(|byte| byte.is_ascii_digit() || byte == b'.')
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

/// Returns whether the words of a variable of flags are all known to run nothing; `None` for other variables.
fn flags(name: &str) -> Option<fn(&str) -> bool> {
    match name {
        "RUSTFLAGS" | "RUSTDOCFLAGS" => Some(|word| {
            !["linker", "link-arg", "codegen-backend", "runtool", "@"].iter().any(|sign| word.contains(sign))
        }),
        "JAVA_OPTS" | "JVM_OPTS" | "_JAVA_OPTIONS" | "JAVA_TOOL_OPTIONS" | "JDK_JAVA_OPTIONS" => {
            Some(is_of_jvm)
        }
        // `MAVEN_OPTS`, `GRADLE_OPTS`, `SBT_OPTS`, `CATALINA_OPTS`, …
        _ if name.ends_with("_OPTS") && !name.starts_with("FZF_") => Some(is_of_jvm),
        _ if name.starts_with("TF_CLI_ARGS") => {
            Some(|word| !["destroy", "replace", "auto-approve"].iter().any(|sign| word.contains(sign)))
        }
        // `CFLAGS`, `LDFLAGS`, `CGO_LDFLAGS`, `HOSTCFLAGS`
        "LDLIBS" | "LIBS" | "LOADLIBES" | "TARGET_ARCH" | "TARGET_MACH" => Some(is_of_compiler),
        _ if name.ends_with("FLAGS") && !FLAGS_OF_OTHERS.contains(&name) => Some(is_of_compiler),
        _ => None,
    }
}

/// Variables that end like those of compilers, and are in the lists.
const FLAGS_OF_OTHERS: &[&str] = words!(
    "MAKEFLAGS GNUMAKEFLAGS MFLAGS GOFLAGS CARGO_ENCODED_RUSTFLAGS NVCC_PREPEND_FLAGS NVCC_APPEND_FLAGS EMCC_CFLAGS COFLAGS GFLAGS ARFLAGS"
);

/// Returns whether a word among the options of Java's virtual machine is known to load no code, run no command, and write
/// no file.
fn is_of_jvm(word: &str) -> bool {
    const STARTS: &[&str] = words!(
        "-Xmx -Xms -Xmn -Xss -XX:+Use -XX:-Use -XX:Max -XX:Min -XX:Reserved -XX:Initial -XX:Tiered -XX:+Tiered -XX:Parallel -XX:Conc
        -XX:+Ignore -XX:+ExitOn -XX:+CrashOn -XX:G1 -XX:Active -Xnoclassgc -Djava.awt.headless= -Djava.net. -Djava.security.egd=
        -Dfile.encoding= -Duser.timezone= -Duser.language= -Duser.country= -Dhttp. -Dhttps. -Dsun.net. -Dsun.jnu. -Dorg.gradle.
        -Dorg.slf4j. -Dspring.profiles -Dmaven.wagon. -Dkotlin. -Dlog4j2.formatMsgNoLookups= --add-opens --add-exports --enable-preview
        --enable-native-access java.base/ -Dnetworkaddress. -Dserver.port= -ea -esa -server -client"
    );
    STARTS.iter().any(|start| word.starts_with(start)) && !word.contains(['@', '/'])
        || word.starts_with("java.base/")
}

/// Returns whether a word among a compiler's options has it run nothing but itself: an option of plain characters.
fn is_of_compiler(word: &str) -> bool {
    let plain = |byte: u8| byte.is_ascii_alphanumeric() || b"_./,:=@%+-".contains(&byte);
    word.starts_with('-') && word.bytes().all(plain) && !is_compilers(word)
}

/// Returns whether a word is an option with which a compiler or a linker runs a program, loads a plugin, or takes more options
/// from a file.
pub(super) fn is_compilers(word: &str) -> bool {
    let linkers = word.strip_prefix("-Wl,").is_some_and(|words| {
        words
            .split(',')
            .any(|word| word.trim_start_matches('-').starts_with("plugin") || word.starts_with('@'))
    });
    linkers
        || word.starts_with('@')
        || programs::COMPILERS_START.iter().any(|start| word.starts_with(start.trim_start_matches('^')))
}

/// Starts of node's options that run nothing.
const NODE_OPTIONS: &[&str] = words!(
    "--max-old-space-size= --max_old_space_size= --openssl-legacy-provider --no-warnings
    --experimental-vm-modules --trace-warnings --no-deprecation --unhandled-rejections= --enable-source-maps
    --stack-trace-limit= --max-http-header-size="
);
