"""Jobs with compilers and package managers."""

import gzip
import hashlib
import io
import json
import os
import subprocess
import tarfile
import zipfile

from jobs import Job, Known

# Names that cargo and the compiler make up anew: sessions of incremental builds.
SESSIONS = [(r"(/incremental/[^/]+)/s-[0-9a-z-]+", r"\1/s-X"), (r"(/incremental/[^/]+/s-X)-[0-9a-z]+", r"\1")]
BUILT = [r"/target/", r"^target/", r"^\.cargo/"]
TOOK = [(r"in \d+\.\d+s", "in Xs"), (r"^ *Blocking waiting for file lock.*\n", "")]
RUST = dict(files="crate", unordered=True, texts=TOOK, names=SESSIONS, loose=BUILT)


def own_cargo(place):
    """Cargo's folder as the user has it."""
    return {"CARGO_HOME": place.cargo_home}


def registry(place):
    """A registry in a folder, with two crates, which cargo unpacks below the home; and a project that needs one."""
    root = os.path.join(place.root, "registry")
    for name in ("shelf", "older"):
        packed = io.BytesIO()
        # The same bytes each time.
        with gzip.GzipFile(fileobj=packed, mode="w", mtime=0) as file, tarfile.open(fileobj=file, mode="w") as archive:
            for path, text in (
                ("Cargo.toml", f'[package]\nname = "{name}"\nversion = "1.0.0"\nedition = "2021"\n'),
                ("src/lib.rs", "//! A crate of a registry.\n\n/// How many.\npub fn books() -> usize {\n    11\n}\n"),
            ):
                info = tarfile.TarInfo(f"{name}-1.0.0/{path}")
                info.size = len(text)
                archive.addfile(info, io.BytesIO(text.encode()))
        entry = {"name": name, "vers": "1.0.0", "deps": [], "features": {}, "yanked": False, "cksum": hashlib.sha256(packed.getvalue()).hexdigest()}
        place.write(os.path.join(root, "index", name[:2], name[2:4], name), json.dumps(entry) + "\n")
        with open(os.path.join(root, f"{name}-1.0.0.crate"), "wb") as file:
            file.write(packed.getvalue())
    place.write(os.path.join(place.home, ".cargo/config.toml"), f'[source.crates-io]\nreplace-with = "folder"\n[source.folder]\nlocal-registry = "{root}"\n')
    reader(place.project, place, "shelf")


def reader(folder, place, crate):
    place.write(os.path.join(folder, "Cargo.toml"), f'[package]\nname = "reader"\nversion = "0.1.0"\nedition = "2021"\n\n[dependencies]\n{crate} = "1"\n\n[workspace]\n')
    place.write(os.path.join(folder, "src/main.rs"), f'fn main() {{\n    println!("{{}} books", {crate}::books());\n}}\n')


def used_registry(place):
    """The same, and cargo has unpacked the other crate before."""
    registry(place)
    before = os.path.join(place.root, "before")
    reader(before, place, "older")
    subprocess.run(["cargo", "fetch", "--quiet"], cwd=before, env=place.env, check=True)


def wheel(place):
    """A wheel, made by hand."""
    name = "counted-1.0"
    files = {
        "counted.py": '"""Counts words."""\n\n\ndef count(text):\n    return len(text.split())\n',
        f"{name}.dist-info/METADATA": "Metadata-Version: 2.1\nName: counted\nVersion: 1.0\n",
        f"{name}.dist-info/WHEEL": "Wheel-Version: 1.0\nGenerator: hand\nRoot-Is-Purelib: true\nTag: py3-none-any\n",
    }
    files[f"{name}.dist-info/RECORD"] = "".join(f"{path},,\n" for path in [*files, f"{name}.dist-info/RECORD"])
    os.makedirs(os.path.join(place.project, "wheels"))
    with zipfile.ZipFile(os.path.join(place.project, "wheels", f"{name}-py3-none-any.whl"), "w") as archive:
        for path, text in files.items():
            archive.writestr(zipfile.ZipInfo(path, (2026, 1, 1, 0, 0, 0)), text)


def npm(place):
    return {f"npm_config_{name}": value for name, value in (("offline", "true"), ("audit", "false"), ("fund", "false"), ("update_notifier", "false"), ("loglevel", "warn"))}


WEB = dict(
    files="web", env=npm, needs=[["npm", "--version"]],
    calls=[
        "npm pack ./shouter",
        "npm install",
        "npm test",
        "npx --no-install shout hello",
        "rm -rf node_modules && npm ci",
    ],
    texts=[(r"in \d+(\.\d+)?m?s$", "in Xs"), (r"duration_ms:? [\d.]+", "duration_ms X"), (r"[\w:.-]+-debug-0\.log", "X.log")],
    names=[(r"_logs/.*", "_logs/X"), (r"(_cacache/tmp/).+", r"\1X")],
    loose=[r"_cacache/", r"_logs/", r"\.npm/_"],
)

JOBS = [
    Job(
        "cargo-build",
        [
            "cargo build --offline",
            "./target/debug/parcel 3; ./target/debug/parcel 1000",
            "echo '// more' >> src/lib.rs && cargo build --offline",
            "cargo run --offline --release -- 5",
            "echo 'fn broken(' >> src/main.rs; cargo check --offline --quiet",
        ],
        codes={2: 3, 5: 101}, needs=[["cargo", "--version"]], env=own_cargo, **RUST,
    ),
    Job("cargo-test", ["cargo test --offline", "cargo test --offline small", "cargo clean --offline -p greeting"], needs=[["cargo", "--version"]], env=own_cargo, **RUST),
    Job(
        "cargo-registry",
        ["cargo fetch", "cargo run --offline", "cargo vendor --quiet --respect-source-config vendored", "cargo install --quiet --offline --path . --root installed --no-track"],
        before=used_registry, needs=[["cargo", "--version"]], **{**RUST, "files": None},
    ),
    Job(
        "cargo-first", ["cargo fetch"], before=registry, home="fresh", needs=[["cargo", "--version"]], **{**RUST, "files": None},
        known=Known("cargo keeps no times of use: their database needs a journal beside it", []),
    ),
    Job("npm", **WEB),
    Job(
        "npm-first", home="fresh", **{**WEB, "calls": ["npm pack ./shouter"]},
    ),
    Job(
        "python",
        [
            "python3 -m venv .venv",
            ".venv/bin/pip install --no-index --find-links \"$WHEELS\" setuptools==75.8.0 pytest",
            ".venv/bin/pip install --no-index --no-build-isolation .",
            ".venv/bin/pip install --no-index wheels/*.whl",
            ".venv/bin/pytest",
            ".venv/bin/tally 1 2 3 && .venv/bin/pip uninstall --yes counted",
        ],
        files="package", before=wheel, needs=[["python3", "-c", "import ensurepip, sys; sys.exit(sys.version_info < (3, 10))"]],
        env=lambda place: {"PIP_DISABLE_PIP_VERSION_CHECK": "1", "PIP_PROGRESS_BAR": "off"},
        texts=[(r"^=+ (.* in )\d+\.\d+s( =+)?$", r"\1Xs"), (r"in \d+\.\d+s", "in Xs"), (r"(size=\d+ sha256=)[0-9a-f]+", r"\1X"), (r"(Stored in directory: ).*", r"\1X"), (r"pip-[\w-]+", "pip-X")],
        names=[(r"pip-[\w-]{8,}", "pip-X"), (r"(pip/(wheels|http[^/]*|selfcheck))/.*", r"\1/X")],
        loose=[r"\.pyc$", r"\.cache/", r"\.pytest_cache/", r"/direct_url\.json$", r"dist-info/RECORD$"],
    ),
    Job(
        "make", ["make -j2", "make -j2 check", "touch out/3.txt && make -j2", "make -j2 broken", "make clean && make -j2 all && rm out/5.txt && make"],
        codes={4: 2}, files="made", unordered=True, needs=[["make", "--version"]],
    ),
    Job(
        "compile",
        [
            "gcc -Wall -g -O1 -c add.c -o add.o && ar rcs libadd.a add.o && ranlib libadd.a",
            "g++ -std=c++17 -pthread -pipe -O1 main.cc -L. -ladd -o static && ./static && ./static oops",
            "gcc -shared -fPIC add.c -o libadd.so && g++ -std=c++17 -pthread main.cc ./libadd.so -o shared && ./shared; rm sum.out",
            "gcc -save-temps -S add.c && gcc --coverage add.c -x c - -o covered <<< 'int add(int, int); int main(void) { return add(2, 3); }' && ./covered; gcov -o . covered-add.gcda | grep -v Creating",
            "gcc -fsanitize=address,undefined -g leak.c -o leak && ./leak; ./leak 20",
            "gcc -Wall trace.c -o trace && ./trace",
            "gcc -c missing.c; echo 'int x = y;' | gcc -x c -c - -o none.o",
        ],
        codes={2: 4, 5: 1, 7: 1}, files="c", needs=[["gcc", "--version"], ["g++", "--version"], ["gcov", "--version"]],
        texts=[(r"==\d+==", "==X=="), (r"0x[0-9a-f]+", "0xX"), (r"/tmp/cc\w+", "/tmp/ccX"), (r"\bpc 0xX.*", "pc X"), (r"^.*Shadow byte(.|\n)*", "")],
        loose=[r"\.gcda$", r"\.gcno$", r"^covered$"],
    ),
]
