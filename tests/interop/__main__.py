"""Runs the checks: `mcp.sh` calls this when all is installed."""

import argparse
import os
import sys
import tempfile
import time
import traceback
from concurrent.futures import ThreadPoolExecutor

import checks
from servers import Bench

HERE = os.path.dirname(os.path.abspath(__file__))


def program_of(given):
    """The program that is tested: what was given, else the one that cargo built last."""
    if given:
        program, *arguments = given.split("\n")
        return [os.path.abspath(program) if os.sep in program else program, *arguments]
    target = os.environ.get("CARGO_TARGET_DIR", os.path.join(HERE, "../../target"))
    built = [os.path.realpath(os.path.join(target, kind, "snaphook")) for kind in ("release", "debug")]
    built = [path for path in built if os.path.exists(path)]
    if not built:
        sys.exit("there is no snaphook: cargo build --release")
    return [max(built, key=os.path.getmtime)]


def checked(name, bench):
    """What is wrong, and how long it took to find out."""
    began = time.monotonic()
    try:
        wrong = checks.ALL[name](bench)
    except Exception as error:  # One check that breaks says so and is no end of the others.
        told = "" if isinstance(error, checks.TOLD) else traceback.format_exc()
        # What broke stands at the end of it.
        wrong = [f"{type(error).__name__}: {error}", *told.splitlines()[-39:]]
    return wrong, time.monotonic() - began


def main():
    parser = argparse.ArgumentParser(description="snaphook mcp between real servers and clients")
    parser.add_argument("--kept", required=True, help=argparse.SUPPRESS)
    parser.add_argument("--program", help="the program to test; its own arguments behind line breaks")
    parser.add_argument("--only", action="append", default=[], help="only the checks whose name begins so")
    parser.add_argument("--list", action="store_true")
    options = parser.parse_args()
    names = [name for name in checks.ALL if not options.only or any(name.startswith(only) for only in options.only)]
    if options.list or not names:
        print("\n".join(checks.ALL))
        sys.exit(0 if options.list else 2)
    program = program_of(options.program)
    failed = 0
    with tempfile.TemporaryDirectory(prefix="interop-") as place, ThreadPoolExecutor(2) as pool:
        def run(name):
            return checked(name, Bench(options.kept, program, os.path.join(os.path.realpath(place), name.replace(":", "-"))))

        for name, (wrong, took) in zip(names, pool.map(run, names)):
            failed += bool(wrong)
            print(f"{'not ok' if wrong else 'ok'} {name} ({took:.1f} s)", flush=True)
            for line in wrong[:40]:
                print(f"    {line}")
            if len(wrong) > 40:
                print(f"    … {len(wrong) - 40} lines more", flush=True)
    print(f"{len(names) - failed} passed, {failed} failed")
    sys.exit(1 if failed else 0)


main()
