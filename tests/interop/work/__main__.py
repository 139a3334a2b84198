"""Runs the jobs unheld and held, and reports every difference. `work.sh` starts it."""

import argparse
import json
import os
import shutil
import sys
import tempfile
import threading
import traceback
from concurrent.futures import ThreadPoolExecutor

import times
from jobs import Job, all_of
from outcome import Outcome, difference
from place import Place, User

HERE = os.path.dirname(os.path.abspath(__file__))
# With it no job can do its work.
CLOSED = '{"deny_write": ["."]}'
SHOWN = 40
TEMPORARY = ("/tmp/", "/var/tmp/", "/dev/shm/", "/run/user/")
said = threading.Lock()


def program_of(given):
    """The program that is tested: what was given, else the one that cargo built last."""
    if given:
        return os.path.realpath(given)
    target = os.environ.get("CARGO_TARGET_DIR", os.path.join(HERE, "../../../target"))
    built = [os.path.realpath(os.path.join(target, kind, "snaphook")) for kind in ("release", "debug")]
    built = [path for path in built if os.path.exists(path)]
    if not built:
        sys.exit("there is no snaphook: cargo build --release")
    return max(built, key=os.path.getmtime)


def folder_of_runs(options):
    """A folder that is inside no wall of the profile: what was given, else target/work, if that is no temporary folder."""
    if options.place:
        return os.path.realpath(options.place)
    for folder in (options.kept, "/srv", os.path.realpath(os.path.expanduser("~"))):
        if not f"{folder}/".startswith(TEMPORARY) and os.access(folder, os.W_OK):
            return folder
    sys.exit("no folder for the runs outside of temporary folders: give one by --place")


def run(job, place, held, policy):
    """One run of a job, in a place made anew."""
    place.lay(job)
    env = job.env(place) if job.env else {}
    calls = [place.call(line, held, policy, env) for line in job.calls]
    # A held command has the caches of installed tools; so has any home in which those were used.
    place.call("true", True, env=env)
    return Outcome(place, job, calls)


def missing(job, place):
    """The program of a job that is not there, if any."""
    for words in job.needs:
        if not place.user.can_run(words, {**place.env, **(job.env(place) if job.env else {}), "HOME": "/"}):
            return f"`{' '.join(words)}` does not run for {place.env['USER']}"
    return None


class Result:
    """What a job showed. `state` is `ok`, `not ok`, `known` or `not tried`."""

    def __init__(self, job, state, lines=(), reason=None, pairs=()):
        self.job = job
        self.state = state
        self.lines = list(lines)
        self.reason = reason
        self.pairs = list(pairs)

    def show(self):
        with said:
            print(f"{self.state} {self.job.name}" + (f": {self.reason}" if self.reason else ""), flush=True)
            for line in self.lines[:SHOWN]:
                print("    " + (line if len(line) < 600 else line[:600] + " ..."))
            if len(self.lines) > SHOWN:
                print(f"    {len(self.lines) - SHOWN} lines more", flush=True)


def judged(job, user, lines, pairs):
    """The result of a comparison."""
    if not job.known or job.known.who == ("user" if user.uid == 0 else "root"):
        return Result(job, "not ok" if lines else "ok", lines, pairs=pairs)
    if lines and job.known.explains(lines):
        return Result(job, "known", reason=job.known.reason, pairs=pairs)
    fault = "another difference than the known one" if lines else "the known difference is gone, so take it from the job"
    return Result(job, "not ok", lines, f"{fault}: {job.known.reason}", pairs)


def tried(job, place, options):
    """Runs a job in all rounds, the order swapped each time."""
    lacks = missing(job, place)
    if lacks:
        return Result(job, "not tried", reason=lacks)
    pairs, wrong = [], []
    for number in range(options.rounds):
        both = {}
        for held in (False, True) if number % 2 == 0 else (True, False):
            both[held] = run(job, place, held, options.policy)
        pairs.append((both[False], both[True]))
        if both[False].unexpected:
            return Result(job, "not ok", both[False].unexpected, "an unheld call did not end as expected", pairs)
        wrong = wrong or difference(*pairs[-1])
        # A run that differs from itself says nothing about the hold.
        if lines := difference(pairs[0][0], pairs[-1][0]):
            return Result(job, "not ok", lines, "two unheld runs differ", pairs)
    if options.self_test:
        noticed = difference(pairs[0][0], run(job, place, True, CLOSED))
        if not noticed:
            return Result(job, "not ok", reason="it does not notice a project that is read-only", pairs=pairs)
    return judged(job, place.user, wrong, pairs)


def safely(job, place, options):
    """One job that breaks is no end of the others."""
    try:
        result = tried(job, place, options)
    except Exception:
        result = Result(job, "not ok", traceback.format_exc().splitlines()[-20:], "it broke off")
    finally:
        if not options.keep:
            place.clear()
    result.show()
    return result


def walls(place):
    """What is wrong with the hold itself: a held call must not write beside the project, an unheld one can."""
    place.lay(Job("walls", []))
    line = 'echo text > "$OUTSIDE/file"'
    ends = [place.call(line, held).code for held in (False, True)]
    return None if ends == [0, 1] else f"`{line}` ends with {ends[0]} unheld and {ends[1]} held, expected 0 and 1: is the folder for the runs, `--place`, a temporary one?"


def write(path, results, rows):
    with open(path, "w", encoding="utf-8") as file:
        json.dump({
            "jobs": [{"job": result.job.name, "state": result.state, "reason": result.reason, "lines": result.lines} for result in results],
            "times": rows,
        }, file, indent=1, ensure_ascii=False)
        file.write("\n")


def main():
    parser = argparse.ArgumentParser(description="real work under `snaphook hold -p project`")
    parser.add_argument("--kept", required=True, help=argparse.SUPPRESS)
    parser.add_argument("--program", help="the snaphook to test")
    parser.add_argument("--only", action="append", default=[], metavar="JOB", help="only the jobs whose name begins so")
    parser.add_argument("--list", action="store_true", help="print the jobs")
    parser.add_argument("--rounds", type=int, default=1, metavar="N", help="run each job N times unheld and N times held")
    parser.add_argument("--time", action="store_true", help="print how long each job took; one job at a time")
    parser.add_argument("--json", metavar="FILE", help="write what was found there")
    parser.add_argument("--as", dest="user", metavar="USER", help="run the jobs as this user too, if root started this")
    parser.add_argument("--policy", metavar="JSON", help="a policy for the held runs, besides the profile")
    parser.add_argument("--self-test", action="store_true", help="see that each job notices a project that is read-only")
    parser.add_argument("--place", metavar="FOLDER", help="lay the runs in this folder [default: target/work, or /srv or the home where that is temporary]")
    parser.add_argument("--keep", action="store_true", help="leave the last run of each job")
    options = parser.parse_args()
    options.kept = os.path.realpath(options.kept)
    known = all_of()
    chosen = [job for name, job in known.items() if not options.only or any(name.startswith(only) for only in options.only)]
    if options.list or not chosen:
        print("\n".join(known))
        sys.exit(0 if options.list else 2)
    users = [User(), *([User(options.user)] if options.user else [])]
    program = program_of(options.program)
    results, rows = [], []
    base = tempfile.mkdtemp(prefix="run-", dir=folder_of_runs(options))
    temporary = tempfile.mkdtemp(prefix="work-", dir="/tmp")
    for folder in (base, temporary):
        os.chmod(folder, 0o755)
    try:
        for user in users:
            if user.name:
                print(f"as {user.name}:", flush=True)
            of = lambda job: Place(os.path.join(base, job.name), os.path.join(temporary, job.name), options.kept, user, program)
            fault = walls(of(Job("walls", [])))
            if fault:
                sys.exit(f"the hold does not hold: {fault}")
            with ThreadPoolExecutor(1 if options.time else 2) as pool:
                own = list(pool.map(lambda job: safely(job, of(job), options), chosen))
            results += own
            if options.time:
                mine = [{**times.row(result.job.name, result.pairs), "calls": len(result.job.calls), "user": of(result.job).env["USER"]} for result in own if result.pairs]
                print(times.table(mine), flush=True)
                rows += mine
    finally:
        if options.keep:
            print(f"kept: {base}")
        else:
            shutil.rmtree(base, ignore_errors=True)
        shutil.rmtree(temporary, ignore_errors=True)
    if options.json:
        write(options.json, results, rows)
    failed = sum(result.state == "not ok" for result in results)
    skipped = sum(result.state == "not tried" for result in results)
    print(f"{len(results) - failed - skipped} passed, {failed} failed" + (f", {skipped} skipped" if skipped else ""))
    sys.exit(1 if failed else 0)


main()
