//! Rows of interpreters: of languages, editors, databases' clients.

use super::Role::*;
use super::{Interpreter, PROGRAM, Program, Runs, words};

const BASIC: Interpreter = Interpreter {
    language: "",
    code: &[],
    valued: &[],
    files: &[],
    letters: "",
    plain: &[],
    inert: words!("--version --help -V -h"),
    commands: &[],
    input: true,
    expression: false,
    statements: false,
    reads_beside: false,
    bundles: true,
};

const PYTHON: Interpreter = Interpreter {
    language: "python",
    code: words!("-c"),
    valued: words!("-W -X --check-hash-based-pycs"),
    letters: "bBdEIhOPqRsStuvVx?",
    plain: words!("--check-hash-based-pycs --version --help"),
    ..BASIC
};

const DJANGO: Interpreter = Interpreter {
    code: &[],
    commands: words!("shell shell_plus dbshell"),
    letters: "",
    plain: &[],
    input: false,
    ..PYTHON
};
const RAILS: Interpreter = Interpreter {
    code: &[],
    letters: "",
    plain: &[],
    commands: words!("runner r console c dbconsole db"),
    files: &[],
    input: false,
    ..RUBY
};
const ARTISAN: Interpreter = Interpreter {
    code: &[],
    commands: words!("tinker"),
    files: &[],
    letters: "",
    plain: &[],
    input: false,
    ..PHP
};
/// Programs that open a shell of their own language, in which other lines are commands.
const CONSOLE: Interpreter = Interpreter { input: false, bundles: false, ..OTHER };

const PDB: Interpreter =
    Interpreter { code: words!("-c --command"), files: words!("-m"), letters: "", plain: &[], ..PYTHON };

const PERL: Interpreter = Interpreter {
    language: "perl",
    code: words!("-e -E"),
    valued: words!("-I"),
    files: words!("-M -m"),
    letters: "napwWtTuUsSXcvVhflx0123456789i",
    plain: words!("-i. -0x -l0 -C -D -V: --version --help"),
    inert: words!("-v -V --version --help"),
    ..BASIC
};

const RENAME: Interpreter = Interpreter { language: "perl", code: words!("-e"), expression: true, ..BASIC };

const RUBY: Interpreter = Interpreter {
    language: "ruby",
    code: words!("-e"),
    valued: words!("-I -C -E"),
    files: words!("-r"),
    letters: "acdhlnpsSvwWUxyi0123456789",
    plain: words!(
        "-i. -F -K -T -X -W: --enable --disable --encoding --external-encoding --internal-encoding --yjit --jit --rjit --zjit --verbose
        --debug --parser= --dump --copyright --version --help --yydebug --syntax"
    ),
    inert: words!("-v --version --help -h"),
    ..BASIC
};

const NODE: Interpreter = Interpreter {
    valued: words!("-C --conditions --test-name-pattern --test-skip-pattern --test-concurrency --test-timeout --watch-path"),
    files: words!(
        "-r --require --import --loader --experimental-loader --env-file --env-file-if-exists --experimental-config-file
        --experimental-default-config-file --snapshot-blob --build-snapshot --openssl-config --experimental-policy --policy
        --test-global-setup --experimental-sea-config --build-sea --icu-data-dir --localstorage-file"
    ),
    letters: "vhcd",
    plain: words!(
        "--max- --max_ --min- --stack --trace- --track- --no-warnings --no-deprecation --no-addons --no-opt --no-global --no-experimental-
        --no-network --no-verify --no-force --no-extra --pending-deprecation --throw-deprecation --unhandled-rejections= --enable-source-maps
        --enable-fips --force-fips --experimental-strip-types --experimental-transform-types --experimental-vm-modules --experimental-json
        --experimental-wasm --experimental-test --experimental-sqlite --experimental-fetch --experimental-global --experimental-specifier
        --experimental-import-meta --experimental-modules --experimental-worker --experimental-websocket --experimental-permission
        --experimental-abort --experimental-webstorage --experimental-detect-module --experimental-require-module --experimental-print
        --experimental-top-level --harmony --input-type= --expose-gc --expose_gc --openssl-legacy-provider --openssl-shared --test=
        --test-name-pattern --test-only --test-concurrency --test-timeout --test-force-exit --test-skip-pattern --test-coverage
        --test-update-snapshots --test-reporter=spec --test-reporter=tap --test-reporter=dot --test-reporter=junit --test-reporter=lcov
        --test-isolation --test-rerun --test-shard --watch --inspect --abort-on-uncaught-exception --disable-warning --disable-proto
        --disallow-code-generation --dns-result-order --jitless --title= --tls- --use-openssl-ca --use-bundled-ca --use-system-ca
        --use-strict --v8-options --v8-pool-size --report-on --report-uncaught --permission --allow- --preserve-symlinks --conditions
        --heapsnapshot --insecure-http-parser --interpreted --single-threaded --secure-heap --network-family --frozen-intrinsics
        --gc --optimize --prof --cpu-prof --heap-prof --check --run --entry-url --perf- --verify- --zero-fill --version --help --completion-bash"
    ),
    inert: words!("-v --version -h --help -c --check --test"),
    ..TYPESCRIPT
};

const TYPESCRIPT: Interpreter = Interpreter {
    language: "node",
    code: words!("-e --eval -p --print -pe"),
    files: words!("-r --require --import --loader --compiler -C"),
    ..BASIC
};

const PHP: Interpreter = Interpreter {
    language: "php",
    code: words!("-r --run -B --process-begin -R --process-code -E --process-end"),
    valued: words!("-d --define -t --docroot -S --server --rf --rc --re --rz --ri"),
    files: words!("-f --file -F --process-file -c --php-ini -z --zend-extension"),
    letters: "aCehHilmnqsvw",
    plain: words!(
        "-S -t -d --ini --no-php-ini --no-header --syntax-check --strip --info --modules --version --help --rf --rc --re --rz --ri"
    ),
    inert: words!("-v --version -i -m --help -h --ini -l"),
    ..BASIC
};

const LUA: Interpreter = Interpreter {
    language: "lua",
    code: words!("-e"),
    files: words!("-l -j"),
    letters: "vEWO0123456789",
    inert: words!("-v"),
    ..BASIC
};

const JULIA: Interpreter = Interpreter {
    language: "julia",
    code: words!("-e -E --eval --print"),
    files: words!("-L --load"),
    valued: words!("--project -t -p"),
    ..BASIC
};

const LISP: Interpreter = Interpreter {
    language: "lisp",
    code: words!("-c -e --eval -x --non-interactive"),
    files: words!("-l --load -s --script"),
    input: false,
    ..BASIC
};

const EMACS: Interpreter = Interpreter {
    language: "lisp",
    code: words!("--eval -eval --execute -e"),
    files: words!("-l --load --script -f"),
    input: false,
    ..BASIC
};

const VIM: Interpreter = Interpreter {
    language: "vim",
    code: words!("-c --cmd --remote-expr --remote-send"),
    files: words!("-S -s -u -w -W"),
    input: false,
    reads_beside: true,
    ..BASIC
};

pub(crate) const SQLITE: Interpreter = Interpreter {
    language: "sql",
    code: words!("-cmd --cmd"),
    files: words!("-init --init -A -append"),
    valued: words!("-separator -newline -nullvalue -lookaside -maxsize -mmap -vfs -pagecache"),
    inert: words!("-version --version -help --help"),
    input: false,
    statements: true,
    reads_beside: true,
    bundles: false,
    ..BASIC
};

const DUCKDB: Interpreter =
    Interpreter { code: words!("-cmd --cmd -c -s"), files: words!("-init --init -f"), ..SQLITE };

const PSQL: Interpreter = Interpreter {
    language: "sql",
    code: words!("-c --command"),
    files: words!("-f --file"),
    valued: words!("-h -p -U -d -v -P -F -R -T --host --port --username --dbname --set"),
    inert: words!("--version --help -V -l --list"),
    input: false,
    ..BASIC
};

const MYSQL: Interpreter = Interpreter {
    code: words!("-e --execute --init-command --init-command-add"),
    files: &[],
    valued: words!("-h -P -u -D -S --host --port --user --database --socket"),
    inert: words!("--version --help -V"),
    ..PSQL
};

const SQL: Interpreter = Interpreter {
    code: words!("-c --command -e --execute --eval --query -q"),
    valued: words!("-h -p -U -u -d -P -v"),
    statements: true,
    ..PSQL
};

const REDIS: Interpreter = Interpreter {
    language: "redis",
    code: &[],
    files: words!("--eval"),
    valued: words!("-h -p -a -n -u --user --pass"),
    ..PSQL
};

const OTHER: Interpreter = Interpreter {
    language: "other",
    code: words!(
        "-e --eval -c -eval -E -g --query-goal --rpc-eval --script-snippet --execute-snippet -batch -run -code"
    ),
    commands: words!("eval"),
    ..BASIC
};

const AWK: Interpreter = Interpreter { language: "awk", ..BASIC };
const ED: Interpreter = Interpreter { language: "ed", ..BASIC };
const TCL: Interpreter = Interpreter { language: "tcl", ..BASIC };
const GNUPLOT: Interpreter = Interpreter { language: "other", code: words!("-e"), input: false, ..BASIC };
const R: Interpreter = Interpreter {
    language: "r",
    code: words!("-e"),
    inert: words!("--version --help"),
    files: words!("-f"),
    ..BASIC
};
const DENO: Interpreter = Interpreter {
    language: "node",
    code: words!("-e --eval"),
    commands: words!("eval"),
    files: words!("-r --require --preload --eval-file"),
    input: false,
    ..BASIC
};
const BUN: Interpreter = Interpreter {
    commands: words!("exec eval"),
    code: words!("-e --eval -p --print"),
    files: words!("-r --require --preload --import -c --config"),
    ..DENO
};

/// A row of interpreters.
const fn code(names: &'static [&'static str], interpreter: &'static Interpreter) -> Program {
    Program { names, runs: Runs::Code(interpreter), ..PROGRAM }
}

/// The same, of which it is known that it runs texts.
const fn texts(names: &'static [&'static str], interpreter: &'static Interpreter) -> Program {
    Program { roles: &[RunsTexts], ..code(names, interpreter) }
}

pub(super) const PROGRAMS: &[Program] = &[
    texts(
        words!(
            "python python2 python3 python3.8 python3.9 python3.10 python3.11 python3.12 python3.13 python3.14"
        ),
        &PYTHON,
    ),
    code(words!("pypy pypy3 micropython"), &PYTHON),
    code(words!("manage.py django-admin"), &DJANGO),
    code(words!("pdb pdb3 ipdb ipdb3"), &PDB),
    texts(words!("perl perl5"), &PERL),
    Program { roles: &[Removes], ..code(words!("rename"), &RENAME) },
    code(words!("prename perl-rename file-rename"), &RENAME),
    texts(words!("ruby"), &RUBY),
    code(words!("jruby irb"), &RUBY),
    Program { builds: words!("package.json"), ..texts(words!("node"), &NODE) },
    texts(words!("nodejs"), &NODE),
    texts(words!("ts-node tsx"), &TYPESCRIPT),
    code(words!("esno"), &TYPESCRIPT),
    Program {
        roles: &[RunsTexts, StartsPackages],
        fetches: Some(words!("run serve test bench x")),
        ..code(words!("deno"), &DENO)
    },
    Program {
        roles: &[RunsTexts, Installs, StartsPackages],
        builds: words!("package.json bunfig.toml"),
        fetches: Some(words!("x create run")),
        ..code(words!("bun"), &BUN)
    },
    texts(words!("php php8"), &PHP),
    texts(words!("lua lua5.1 lua5.3 lua5.4 luajit"), &LUA),
    code(words!("luau"), &LUA),
    code(words!("Rscript R littler"), &R),
    texts(words!("julia"), &JULIA),
    texts(words!("tclsh tclsh8.6"), &TCL),
    code(words!("wish jimsh expectk"), &TCL),
    code(words!("gnuplot"), &GNUPLOT),
    code(words!("guile racket sbcl clisp ecl gosh chez scheme csi"), &LISP),
    texts(words!("emacs"), &EMACS),
    code(words!("emacsclient"), &EMACS),
    texts(words!("vim vi nvim ex"), &VIM),
    code(words!("view gvim vimdiff gview gvimdiff rvim rview rgvim rgview evim eview nvim-qt vimx"), &VIM),
    texts(words!("ed"), &ED),
    code(words!("red"), &ED),
    Program { roles: &[RunsTexts, Transforms, Filters], ..code(words!("awk gawk"), &AWK) },
    texts(words!("mawk nawk"), &AWK),
    code(words!("original-awk"), &AWK),
    code(words!("sqlite3 sqlite"), &SQLITE),
    code(words!("duckdb"), &DUCKDB),
    code(words!("psql"), &PSQL),
    code(words!("redis-cli valkey-cli"), &REDIS),
    Program { starts: words!("--pager"), ..code(words!("mysql mariadb"), &MYSQL) },
    code(words!("sqlplus mongosh mongo isql"), &SQL),
    code(
        words!(
            "clickhouse-client clickhouse-local cqlsh influx db2 bteq usql litecli pgcli mycli sqlcmd snowsql trino
            presto beeline hive spark-sql cypher-shell"
        ),
        &SQL,
    ),
    Program { builds: words!("Gemfile Rakefile"), ..code(words!("rails"), &RAILS) },
    code(words!("artisan"), &ARTISAN),
    code(words!("ghci pry ipython ptpython bpython swift ghc nim crystal pike"), &CONSOLE),
    code(words!("matlab math wolframscript scala-cli jrunscript jbang dotnet-script csharprepl"), &CONSOLE),
    texts(words!("groovy"), &OTHER),
    code(
        words!(
            "dc m4 octave octave-cli maxima gp ocaml swipl gprolog erl iex elixir scala jshell kotlin clojure clj bb
            gforth forth raku perl6 yaegi gomacro evcxr janet fennel hy"
        ),
        &OTHER,
    ),
];
