"""Runs the scenes and reports every difference from what is expected. `acp.sh` starts it."""

import argparse
import os
import shutil
import sys
import tempfile
import time
import traceback

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, os.path.join(HERE, "../agents"))

import peers  # noqa: E402
import sessions  # noqa: E402


class Bench:
    """The installed peers, the program that is tested, and the folder in which sessions are laid."""

    def __init__(self, options, folder):
        self.kept, self.agents = options.kept, options.agents
        self.program = program_of(options.program)
        self.folder = folder


def program_of(given):
    """The program that is tested: what was given, else the one that cargo built last."""
    if given:
        return os.path.abspath(given)
    target = os.environ.get("CARGO_TARGET_DIR", os.path.join(HERE, "../../../target"))
    built = [os.path.realpath(os.path.join(target, kind, "snaphook")) for kind in ("release", "debug")]
    built = [path for path in built if os.path.exists(path)]
    if not built:
        sys.exit("there is no snaphook: cargo build --release")
    return max(built, key=os.path.getmtime)


def wanted(only, peer, name):
    return not only or any(one == peer or f"{peer}:{name}".startswith(one) and ":" in one for one in only)


def tried(bench, peer, name, run, expected):
    """Runs one scene and prints its outcome. True if it is as expected."""
    began = time.monotonic()
    try:
        outcome, session = run(bench, peer)
        details = session.told
    except Exception:
        told = traceback.format_exc().splitlines()
        outcome, details = "broken off", lambda: told
    took = f" ({time.monotonic() - began:.0f} s)"
    if outcome == expected:
        print(f"ok {peer.name}:{name} {outcome}{took}", flush=True)
        return True
    print(f"not ok {peer.name}:{name} expected: {expected}; found: {outcome}{took}")
    print("".join(f"    {line if len(line) < 900 else line[:300] + ' … ' + line[-600:]}\n" for line in details()[-60:]), end="", flush=True)
    return False


def main():
    parser = argparse.ArgumentParser(description="snaphook between an editor and agents that speak ACP")
    parser.add_argument("--kept", required=True, help=argparse.SUPPRESS)
    parser.add_argument("--agents", required=True, help=argparse.SUPPRESS)
    parser.add_argument("--program", help="the snaphook to test")
    parser.add_argument("--only", action="append", default=[], metavar="AGENT[:SCENE]", help="only these; a scene by the beginning of its name")
    parser.add_argument("--list", action="store_true", help="print what there is, with what is expected")
    parser.add_argument("--keep", metavar="FOLDER", help="lay the sessions here and leave them")
    options = parser.parse_args()
    chosen = [(peer, *scene) for peer in peers.ALL for scene in sessions.of(peer) if wanted(options.only, peer.name, scene[0])]
    if options.list or not chosen:
        for peer, name, _, expected in chosen:
            print(f"{peer.name}:{name} {expected}")
        sys.exit(0 if chosen else 2)
    folder = os.path.realpath(options.keep or tempfile.mkdtemp(prefix="acp-"))
    began = time.monotonic()
    try:
        bench = Bench(options, folder)
        failed = [name for peer, name, run, expected in chosen if not tried(bench, peer, name, run, expected)]
    finally:
        if not options.keep:
            shutil.rmtree(folder, ignore_errors=True)
    print(f"{time.monotonic() - began:.0f} s")
    print(f"{len(chosen) - len(failed)} passed, {len(failed)} failed")
    sys.exit(1 if failed else 0)


main()
