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

/// A build tool that runs the command behind one of its own commands, too.
const fn unclear_builds(names: &'static [&'static str], files: &'static [&'static str]) -> Program {
    Program { roles: &[UnclearCommand], ..builds(names, files) }
}

/// Options with which compilers run programs, load plugins, or take more options from a file. Whatever begins so: they are
/// abbreviated by none.
pub(crate) const COMPILERS_START: &[&str] = words!(
    "^-wrapper ^--wrapper ^-fplugin ^-fpass-plugin ^-iplugindir ^-B ^-specs ^--specs ^-fuse-ld=. ^-fuse-ld=/ ^--ld-path ^-load
    ^-Xlinker ^-Wl,-plugin ^-Wl,--plugin ^-fmodule-mapper ^--config ^-ccbin ^--compiler-bindir ^-optf ^--options-file ^-ccc- ^-run
    ^--gcc-toolchain ^--prefix ^@"
);

/// A compiler, or what is called like one.
const fn compiler(names: &'static [&'static str]) -> Program {
    Program { names, makes: Makes::Compiled, starts: COMPILERS_START, ..CONFIGURED }
}

/// The ends of the names of scripts that runners of tests run.
const SCRIPTS: &[&str] = words!(".js .mjs .cjs .ts .mts .cts .jsx .tsx");

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
    Program { names: words!("gmake bmake pmake remake colormake"), ..MAKE },
    Program { starts: words!("--shell --shell-arg --shell-command --chooser --command =-c"), ..builds(words!("just"), words!("justfile Justfile .justfile")) },
    builds(words!("task go-task"), words!("Taskfile.yml Taskfile.yaml")),
    Program {
        roles: &[Installs],
        prefixes: words!("watch"),
        starts: words!("--config"),
        ..builds(words!("cargo"), words!(".rs Cargo.toml config.toml Makefile.toml"))
    },
    Program {
        makes: Makes::Compiled,
        starts: words!("-exec -toolexec -overlay -vettool"),
        fetches: Some(words!("run")),
        ..builds(words!("go"), words!(".go go.mod"))
    },
    Program {
        starts: words!("-p -c --rootdir"),
        ..builds(words!("pytest py.test"), words!(".py pytest.ini setup.cfg pyproject.toml"))
    },
    Program { starts: words!("=-P =-E =-C ^--toolchain"), ..builds(words!("cmake"), words!("CMakeLists.txt")) },
    builds(words!("ctest cpack"), words!("CMakeLists.txt")),
    Program { starts: words!("-f"), ..builds(words!("ninja samu"), words!("build.ninja")) },
    Program { starts: words!("-Dexec"), ..builds(words!("mvn mvnw"), words!("pom.xml")) },
    Program { prefixes: words!("exec"), ..builds(words!("stack cabal"), words!("Setup.hs")) },
    Program { prefixes: words!("exec"), ..builds(words!("bundle"), words!("Gemfile .gemspec .rb")) },
    Program { prefixes: words!("cmd"), ..builds(words!("mix"), words!(".exs")) },
    Program { prefixes: words!("run"), ..builds(words!("poetry"), words!("pyproject.toml")) },
    Program { builds: words!("Vagrantfile"), ..unclear(words!("vagrant"), words!("ssh")) },
    builds(words!("tox"), words!("tox.ini .py pyproject.toml")),
    builds(words!("nox nose2 nosetests invoke inv fab flask gunicorn uvicorn hypercorn celery locust behave scrapy"), words!(".py")),
    builds(words!("coverage poe taskipy"), words!(".py pyproject.toml")),
    builds(words!("jupyter papermill"), words!(".ipynb")),
    builds(words!("mkdocs"), words!("mkdocs.yml")),
    builds(words!("snakemake"), words!("Snakefile")),
    builds(words!("waf"), words!("wscript")),
    builds(words!("rake"), words!("Rakefile .rake .rb")),
    builds(words!("rspec thor puma rackup fastlane danger jekyll guard"), words!(".rb Gemfile config.ru Fastfile Dangerfile Thorfile Capfile Guardfile Rakefile")),
    builds(words!("gem"), words!(".gemspec extconf.rb")),
    Program { starts: words!("--init-script =-I"), ..builds(words!("gradle gradlew"), words!(".gradle .gradle.kts")) },
    builds(words!("lein"), words!("project.clj")),
    builds(words!("mill"), words!("build.sc build.mill")),
    builds(words!("rebar3"), words!("rebar.config")),
    builds(words!("autoconf autoreconf"), words!("configure.ac")),
    builds(words!("phpunit pest"), words!(".php phpunit.xml")),
    builds(words!("bats"), words!(".bats")),
    Program { starts: words!("--exec =-e"), ..builds(words!("prove"), words!(".t .sh .pl")) },
    builds(words!("busted premake5 xmake"), words!(".lua")),
    builds(words!("escript"), words!(".erl")),
    builds(words!("runghc runhaskell"), words!(".hs")),
    builds(words!("dart flutter"), words!(".dart")),
    builds(words!("v"), words!(".v")),
    builds(words!("kotlinc"), words!(".kts")),
    builds(words!("nix-build"), words!(".nix")),
    builds(words!("terraform tofu terragrunt"), words!(".tf")),
    builds(words!("ansible-playbook"), words!(".yml .yaml")),
    builds(words!("pre-commit prek"), words!(".pre-commit-config.yaml")),
    builds(words!("docker-compose podman-compose"), words!("docker-compose.yml docker-compose.yaml compose.yml compose.yaml Dockerfile")),
    builds(words!("act"), words!(".yml .yaml")),
    builds(words!("foreman forego overmind honcho"), words!("Procfile")),
    builds(words!("earthly"), words!("Earthfile")),
    builds(words!("tilt"), words!("Tiltfile")),
    builds(words!("rpmbuild"), words!(".spec")),
    builds(words!("debuild dpkg-buildpackage"), words!("rules")),
    builds(words!("helm helmfile"), words!("helmfile.yaml")),
    Program { starts: words!("-XX:OnError -XX:OnOutOfMemoryError -XX:Flags -XX:VMOptionsFile -agent -javaagent -Xbootclasspath -Xrun -Xdebug --patch-module --upgrade-module-path -Djava.system.class.loader -Djava.security. ^@"), ..builds(words!("java"), words!(".java")) },
    builds(words!("ant"), words!("build.xml")),
    Program { prefixes: words!("devenv"), starts: words!("--wrapper --gdb-path"), ..unclear_builds(words!("meson"), words!("meson.build")) },
    builds(words!("scons"), words!("SConstruct")),
    Program {
        starts: words!("--run_under --workspace_status_command --bazelrc"),
        ..builds(words!("bazel bazelisk"), words!("BUILD BUILD.bazel WORKSPACE MODULE.bazel .bzl"))
    },
    builds(words!("composer"), words!("composer.json")),
    builds(words!("sbt"), words!("build.sbt")),
    builds(words!("jest vitest mocha ava tap cypress playwright karma k6 hardhat knex"), SCRIPTS),
    builds(
        words!(
            "eslint webpack rollup vite next nuxt astro svelte-kit babel tailwindcss prettier gulp grunt semantic-release
            drizzle-kit stylelint postcss esbuild tsup turbo nx wrangler sls serverless storybook lint-staged nr"
        ),
        words!(
            ".config.js .config.mjs .config.cjs .config.ts .config.mts .config.cts .eslintrc.js .eslintrc.cjs gulpfile.js
            Gruntfile.js nx.json wrangler.toml serverless.yml package.json"
        ),
    ),
    compiler(words!(
        "gcc g++ cc c++ c89 c99 cpp clang clang++ clang-cl clang-cpp gfortran gdc gnat gccgo f77 f95 flang icc icpc icx icpx ifort ifx
        emcc em++ mpicc mpicxx mpic++ mpifort hipcc xlc armclang nvc nvc++ pgcc nvcc"
    )),
    Program {
        starts: words!("^-plugin ^--plugin ^-run ^--run ^@"),
        ..compiler(words!("ld lld ld.lld ld.bfd ld.gold gold mold wasm-ld collect2"))
    },
    Program { names: words!("nm ranlib as objcopy objdump strip"), starts: words!("^--plugin ^-plugin ^@"), ..CONFIGURED },
    Program { starts: words!("^-B ^--plugin ^@"), ..compiler(words!("gcc-ar gcc-nm gcc-ranlib")) },
    Program { starts: words!("-run ^@ ^-B"), ..compiler(words!("tcc")) },
    Program {
        names: words!("rustc"),
        makes: Makes::Compiled,
        starts: words!("linker= -Clinker= codegen-backend= -Zcodegen-backend="),
        ..CONFIGURED
    },
    Program { names: words!("javac"), makes: Makes::Compiled, starts: words!("-Xplugin -processor --processor -J ^@"), ..CONFIGURED },
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
            "capistrano xdg-open pkgutil git-lfs parallel-ssh pv ffmpeg convert zless logrotate"
        ),
        ..CONFIGURED
    },
];
