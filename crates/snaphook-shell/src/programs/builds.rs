//! Rows of build tools, package managers and what else runs the files, the packages or the commands of a project.

use super::Role::*;
use super::{Makes, PROGRAM, Program, Runs, words};

/// What its options, its own commands and files tell.
const CONFIGURED: Program = Program { runs: Runs::Configured, ..PROGRAM };

/// A build tool that runs these files.
const fn builds(names: &'static [&'static str], files: &'static [&'static str]) -> Program {
    Program { names, builds: files, ..CONFIGURED }
}

/// A program that runs the command behind one of its own commands.
const fn prefix(names: &'static [&'static str], commands: &'static [&'static str]) -> Program {
    Program { names, prefixes: commands, ..CONFIGURED }
}

/// The same, with options of its own between.
const fn unclear(names: &'static [&'static str], commands: &'static [&'static str]) -> Program {
    Program { roles: &[UnclearCommand], ..prefix(names, commands) }
}

const MAKE: Program =
    Program { makes: Makes::Targets, ..builds(&[], words!("Makefile makefile GNUmakefile")) };
const PIP: Program = Program {
    roles: &[Installs],
    starts: words!("--python"),
    ..builds(words!("pip pip3"), words!("setup.py pyproject.toml"))
};

pub(super) const PROGRAMS: &[Program] = &[
    // ---- build tools ----
    Program { names: words!("make"), roles: &[RunsTexts], ..MAKE },
    Program { names: words!("gmake"), ..MAKE },
    builds(words!("just"), words!("justfile Justfile .justfile")),
    builds(words!("task"), words!("Taskfile.yml Taskfile.yaml")),
    Program {
        roles: &[Installs],
        prefixes: words!("watch"),
        starts: words!("--config"),
        ..builds(words!("cargo"), words!("Cargo.toml build.rs config.toml"))
    },
    Program {
        makes: Makes::Compiled,
        starts: words!("-exec -toolexec -overlay -vettool"),
        fetches: Some(words!("run")),
        ..builds(words!("go"), words!("main.go go.mod"))
    },
    Program {
        starts: words!("-p -c --rootdir"),
        ..builds(words!("pytest"), words!("conftest.py pytest.ini setup.cfg pyproject.toml"))
    },
    Program { starts: words!("-P -E"), ..builds(words!("cmake"), words!("CMakeLists.txt")) },
    Program { starts: words!("-f"), ..builds(words!("ninja"), words!("build.ninja")) },
    Program { starts: words!("-Dexec"), ..builds(words!("mvn"), words!("pom.xml")) },
    Program { prefixes: words!("exec"), ..builds(words!("stack cabal"), words!("Setup.hs")) },
    Program { prefixes: words!("exec"), ..builds(words!("bundle"), words!("Gemfile")) },
    Program { prefixes: words!("cmd"), ..builds(words!("mix"), words!("mix.exs")) },
    Program { prefixes: words!("run"), ..builds(words!("poetry"), words!("pyproject.toml")) },
    Program { builds: words!("Vagrantfile"), ..unclear(words!("vagrant"), words!("ssh")) },
    builds(words!("tox"), words!("tox.ini")),
    builds(words!("nox"), words!("noxfile.py")),
    builds(words!("rake"), words!("Rakefile")),
    builds(words!("gradle"), words!("build.gradle build.gradle.kts settings.gradle")),
    builds(words!("ant"), words!("build.xml")),
    builds(words!("meson"), words!("meson.build")),
    builds(words!("scons"), words!("SConstruct")),
    builds(words!("bazel"), words!("BUILD WORKSPACE")),
    builds(words!("composer"), words!("composer.json")),
    builds(words!("sbt"), words!("build.sbt")),
    builds(words!("jest"), words!("jest.config.js")),
    builds(words!("vitest"), words!("vitest.config.ts")),
    builds(words!("eslint"), words!("eslint.config.js .eslintrc.js")),
    builds(words!("webpack"), words!("webpack.config.js")),
    Program {
        names: words!("gcc g++ cc"),
        makes: Makes::Compiled,
        starts: words!("-wrapper -fplugin -B -specs"),
        ..CONFIGURED
    },
    Program {
        names: words!("c++ clang clang++ rustc ghc javac nvcc tcc"),
        makes: Makes::Compiled,
        ..PROGRAM
    },
    Program { names: words!("ld"), starts: words!("-plugin"), ..CONFIGURED },
    Program { names: words!("ctags"), starts: words!("--options"), ..CONFIGURED },
    // ---- packages ----
    Program {
        roles: &[Installs, StartsPackages, UnclearCommand],
        prefixes: words!("exec x"),
        starts: words!("-c --call --script-shell --node-options --git"),
        fetches: Some(words!("exec x init create")),
        synonyms: words!("g=global f=force"),
        ..builds(words!("npm"), words!("package.json .npmrc"))
    },
    Program {
        roles: &[Installs, StartsPackages],
        prefixes: words!("exec"),
        fetches: Some(words!("dlx create")),
        ..builds(words!("pnpm"), words!("package.json .npmrc"))
    },
    Program {
        roles: &[Installs, StartsPackages],
        prefixes: words!("exec"),
        fetches: Some(words!("dlx create")),
        ..builds(words!("yarn"), words!("package.json .yarnrc .yarnrc.yml"))
    },
    Program {
        roles: &[StartsPackages],
        starts: words!("-c --call"),
        fetches: Some(&[]),
        ..builds(words!("npx"), words!("package.json"))
    },
    Program { names: words!("bunx pnpx uvx"), roles: &[StartsPackages], fetches: Some(&[]), ..CONFIGURED },
    PIP,
    Program {
        names: words!("pipx"),
        roles: &[Installs, StartsPackages],
        fetches: Some(words!("run")),
        ..CONFIGURED
    },
    Program {
        roles: &[Installs, StartsPackages],
        prefixes: words!("run"),
        fetches: Some(words!("tool run")),
        ..builds(words!("uv"), words!("pyproject.toml setup.py"))
    },
    Program {
        names: words!(
            "brew apt apt-get aptitude dpkg dnf yum rpm pacman apk zypper nix-env port winget choco scoop
            cargo-binstall"
        ),
        roles: &[Installs],
        ..PROGRAM
    },
    Program { names: words!("volta"), roles: &[StartsPackages], ..PROGRAM },
    // ---- what runs the command behind its own ----
    prefix(words!("pipenv pdm rye hatch doppler mamba micromamba pixi"), words!("run")),
    prefix(words!("rbenv pyenv lerna rush opam"), words!("exec")),
    Program { roles: &[StartsPackages], ..prefix(words!("mise"), words!("exec x")) },
    unclear(words!("asdf direnv aws-vault lxc dotnet"), words!("exec")),
    unclear(words!("op conda heroku dotenv rustup"), words!("run")),
    unclear(words!("gcloud"), words!("ssh")),
    unclear(words!("chezmoi"), words!("execute-template")),
    Program { roles: &[Installs, UnclearCommand], ..prefix(words!("nix"), words!("develop shell run")) },
    Program { roles: &[Installs, UnclearCommand], ..prefix(words!("flatpak"), words!("run enter")) },
    Program { roles: &[Installs, UnclearCommand], ..prefix(words!("snap"), words!("run")) },
    Program {
        roles: &[ChangesProcess, UnclearCommand],
        ..prefix(words!("perf"), words!("record stat trace"))
    },
    Program { starts: words!("--run --command"), ..unclear(words!("nix-shell"), words!("--run --command")) },
    // ---- containers ----
    Program {
        names: words!("docker"),
        roles: &[StartsContainers, RunsTexts],
        runs: Runs::Container,
        builds: words!("Dockerfile compose.yml docker-compose.yml"),
        synonyms: words!("f=force v=volume"),
        ..PROGRAM
    },
    Program {
        names: words!("podman"),
        roles: &[StartsContainers, RunsTexts],
        runs: Runs::Container,
        synonyms: words!("f=force v=volume"),
        ..PROGRAM
    },
    Program { names: words!("nerdctl"), roles: &[StartsContainers], runs: Runs::Container, ..PROGRAM },
    Program { names: words!("kubectl oc"), runs: Runs::Container, ..PROGRAM },
    // ---- what is looked at elsewhere, or has been noted for nothing more than its name ----
    Program { names: words!("tmux screen crontab"), roles: &[RunsTexts], ..CONFIGURED },
    Program { names: words!("ansible"), starts: words!("-a --args -m"), ..CONFIGURED },
    Program {
        names: words!(
            "capistrano xdg-open pkgutil git-lfs parallel-ssh gulp terraform pv ffmpeg convert zless logrotate"
        ),
        ..CONFIGURED
    },
];
