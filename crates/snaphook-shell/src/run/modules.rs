//! `python -m MODULE`: a module is a program by another name. Those in the lists do what is known of them; any other is a file
//! that is run, and code where the text feeds it.

use super::{Call, Opaque, code, config, configured, file, interpreters};
use crate::Word;
use crate::programs::{self, Runs, SQLITE, words};

/// Modules that run no code of their arguments or of their input, nor other code than that of their project.
const HARMLESS: &[&str] = words!(
    "json json.tool http.server calendar this antigravity platform sysconfig site tabnanny tokenize ast dis pyclbr compileall py_compile
    zipfile tarfile gzip base64 uuid ensurepip venv virtualenv mimetypes locale quopri pickletools textwrap ftplib telnetlib smtplib nntplib
    encodings.rot_13 filecmp fileinput symtable random statistics secrets getpass shlex heapq difflib lib2to3 webbrowser zipapp turtledemo
    keyword token string re unicodedata datetime copy
    pip pip3 pytest py.test unittest nose nose2 tox nox pre_commit prek coverage black isort flake8 mypy pylint ruff build twine sphinx
    sphinx.cmd.build sphinx.ext.apidoc sphinx.ext.autogen mkdocs poetry uv pipx pdm hatch hatchling flit wheel installer django flask
    uvicorn gunicorn hypercorn daphne celery streamlit gradio jupyter jupyterlab jupyter_book notebook nbconvert ipykernel papermill alembic
    autopep8 yapf pyright basedpyright bandit pip_audit safety pipdeptree piptools pip_tools pipreqs grpc_tools.protoc nltk.downloader
    spacy pydocstyle pycodestyle pyflakes vulture radon pyupgrade autoflake docformatter codespell interrogate mkdocs_material
    scrapy locust behave robot invoke fabric cython cythonize nuitka PyInstaller cx_Freeze maturin setuptools_scm bumpversion
    http.client awscli yt_dlp youtube_dl gallery_dl httpie markdown markdown_it rich rich.markdown textual pygments certifi pyperclip
    torch.distributed.run torch.distributed.launch accelerate.commands.launch vllm.entrypoints.openai.api_server transformers
    black_d pdoc pdoc3 pywhat speedtest tldr glances memray scalene asv pytest_watch ptw jsonschema yamllint ansible cookiecutter copier
    esptool serial.tools.miniterm serial.tools.list_ports manim kivy pygame.examples playwright selenium webdriver_manager dotenv"
);
/// Modules of Python's own library that run code of their arguments, their input, or files that hold data elsewhere.
const RUNS: &[&str] = words!(
    "asyncio asyncio.__main__ code codeop pdb bdb profile cProfile pstats trace timeit runpy doctest pickle marshal shelve dbm idlelib
    idlelib.idle inspect pydoc importlib pkgutil modulefinder test test.regrtest test.support distutils ctypes multiprocessing subprocess
    concurrent interpreters profiling profiling.sampling pyrepl _pyrepl rlcompleter IPython fire ptpython bpython konch xonsh ipdb pudb
    viztracer kernprof line_profiler rpdb debugpy pyinstrument hunter birdseye jedi.api.replstartup code.__main__ sqlite3.__main__ ptipython
    euporie jupyter_console"
);
/// Commands of such modules that take code.
const CONSOLES: &[&str] = words!("shell console repl shell_plus dbshell qtconsole");

/// Returns what is glued to `-m`, alone or last in a bundle.
pub(super) fn option(text: &str) -> Option<&str> {
    let letters = text.strip_prefix('-').filter(|letters| !letters.starts_with('-'))?;
    let (before, behind) = letters.split_once('m')?;
    before.chars().all(|letter| "bBdEIOPqRsSuvx".contains(letter)).then_some(behind)
}

/// Returns what a module runs, whose name is the argument at `at` without what is `glued` to the option.
pub(super) fn run(call: &Call, at: usize, glued: &str, feeds: bool) -> Option<Opaque> {
    let args = call.args();
    let name = if glued.is_empty() { args.get(at).and_then(|item| item.word.known()) } else { Some(glued) };
    let behind = args.get(at + 1..).unwrap_or_default();
    let Some(name) = name else { return Some(code("python", None)) };
    let has = |words: &[&str]| {
        behind.iter().any(|item| item.word.known().is_some_and(|text| words.contains(&text)))
    };
    if name == "sqlite3" {
        let call = call.clone().through("", at + 1);
        return if behind.is_empty() {
            feeds.then(|| code("sql", None))
        } else {
            interpreters::judge(&SQLITE, &call, feeds).flatten()
        };
    }
    if RUNS.contains(&name) || has(CONSOLES) || name == "http.server" && has(&["--cgi"]) {
        return Some(code("python", None));
    }
    if let Some(program) = programs::find(name) {
        // `-m pytest -p x`, `-m django`
        if let Some(found) = configured::option(behind, program.starts) {
            return Some(found);
        }
        if let Runs::Code(interpreter) = program.runs {
            return interpreters::judge(interpreter, &call.clone().through("", at + 1), feeds).flatten();
        }
    }
    if name == "grpc_tools.protoc" && behind.iter().any(|item| item.word.prefix().starts_with("--plugin")) {
        return Some(config(Some("python"), None));
    }
    if HARMLESS.contains(&name) {
        return None;
    }
    Some(if feeds { code("python", None) } else { file(Some("python"), &Word::Known(name.to_owned())) })
}
