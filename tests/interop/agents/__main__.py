"""Runs the scenes and reports every difference from the table. `agents.sh` starts it."""

import argparse
import datetime
import json
import os
import shutil
import sys
import tempfile
import threading
import time
import traceback
from concurrent.futures import ThreadPoolExecutor

import broken
import drivers
import expected
import scenes
from bench import Bench, Broken

HERE = os.path.dirname(os.path.abspath(__file__))
said = threading.Lock()


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


def wanted(only, agent, name):
    """Tells if `--only` selects this scene: by its agent, or by the agent and the beginning of its name."""
    return not only or any(one == agent or f"{agent}:{name}".startswith(one) and ":" in one for one in only)


def outcomes(bench, agent, run, names):
    """Runs the scenes and returns their outcomes. An exception in one does not end the others."""
    try:
        return run(bench, agent, names)
    except Broken as error:
        told = str(error).splitlines()
    except Exception:
        told = traceback.format_exc().splitlines()[-30:]
    return {name: ("broken off", told) for name in names}


def tried(bench, agent, only, keep):
    """Runs the scenes of one agent and prints each outcome. Returns rows for the table and the file.

    The folders of the runs are left if they are to be kept.
    """
    version = agent.version(bench.kept)
    missing = agent.missing(bench.kept)
    rows = []

    def wants_of(name):
        if missing:
            return expected.NotTried(missing)
        if name == "broken" and bench.few and agent.name in bench.known:
            return broken.all_denied(len(broken.ways_of(bench, agent)[0]))
        return expected.of(agent.name, name) if agent.name in bench.known else expected.NotTried("this snaphook has no adapter for it")

    def row(name, outcome, lines=(), took=None):
        wants = wants_of(name)
        is_tried = outcome is not None
        ok = outcome == wants if is_tried else None
        with said:
            if not is_tried:
                print(f"not tried {agent.name}:{name} {wants}", flush=True)
            elif ok:
                print(f"ok {agent.name}:{name} {outcome}{took or ''}", flush=True)
            else:
                print(f"not ok {agent.name}:{name} expected: {wants}; found: {outcome}{took or ''}")
                print("".join(f"    {line if len(line) < 900 else line[:300] + ' … ' + line[-600:]}\n" for line in lines[-40:]), end="", flush=True)
        rows.append({
            "agent": agent.name, "title": agent.title, "version": version, "date": datetime.date.today().isoformat(), "scene": name,
            "outcome": outcome if is_tried else "not tried", "expected": str(wants) if is_tried else None, "ok": ok,
            "reason": None if is_tried else str(wants),
        })

    for together, run in scenes.of(agent):
        if bench.few and together == ["hang"]:
            continue
        names = [name for name in together if wanted(only, agent.name, name)]
        left = [name for name in names if isinstance(wants_of(name), expected.NotTried)]
        for name in left:
            row(name, None)
        names = [name for name in names if name not in left]
        if not names:
            continue
        began = time.monotonic()
        found = outcomes(bench, agent, run, names)
        took = f" ({time.monotonic() - began:.0f} s)"
        for name in names:
            row(name, *found[name], took=took if name == names[-1] else "")
        # An agent's home takes up to hundreds of megabytes, and there are hundreds of runs.
        if not keep:
            shutil.rmtree(os.path.join(bench.folder, agent.name), ignore_errors=True)
    return rows


def table(rows):
    """Agent by scene."""
    agents = list(dict.fromkeys(row["agent"] for row in rows))
    names = list(dict.fromkeys(row["scene"] for row in rows))
    cells = {(row["agent"], row["scene"]): row["outcome"] + ("" if row["ok"] is not False else " (!)") for row in rows}
    lines = [["scene", *agents], ["", *({row["agent"]: row["version"] for row in rows}[agent] for agent in agents)]]
    lines += [[name, *(cells.get((agent, name), "") for agent in agents)] for name in names]
    widths = [max(len(line[column]) for line in lines) for column in range(len(agents) + 1)]
    return "\n".join(" | ".join(cell.ljust(width) for cell, width in zip(line, widths)).rstrip() for line in lines)


def record(rows, chosen):
    """Keeps what was seen of each agent whose scenes all ran and came out as expected, for the documentation."""
    path = os.path.join(HERE, "seen.json")
    kept = {}
    if os.path.exists(path):
        with open(path, encoding="utf-8") as file:
            kept = json.load(file)
    for agent, names in chosen:
        own = [row for row in rows if row["agent"] == agent.name]
        whole = len(names) == sum(len(together) for together, _ in scenes.of(agent)) and any(row["ok"] for row in own)
        if whole and not any(row["ok"] is False for row in own):
            kept[agent.name] = {
                "title": agent.title, "version": own[0]["version"], "date": own[0]["date"],
                "outcomes": {row["scene"]: row["outcome"] for row in own},
            }
        else:
            print(f"{agent.name} is not recorded: {'some scenes failed' if whole else 'not all scenes ran'}")
    with open(path, "w", encoding="utf-8") as file:
        json.dump({name: kept[name] for name in drivers.ALL if name in kept}, file, indent=1, ensure_ascii=False)
        file.write("\n")


def main():
    parser = argparse.ArgumentParser(description="snaphook in running agents")
    parser.add_argument("--kept", required=True, help=argparse.SUPPRESS)
    parser.add_argument("--program", help="the snaphook to test")
    parser.add_argument("--only", action="append", default=[], metavar="AGENT[:SCENE]", help="only these; a scene by the beginning of its name")
    parser.add_argument("--list", action="store_true", help="print what there is, with what is expected")
    parser.add_argument("--few", action="store_true", help="try a broken snaphook in fewer ways where each takes a start of the agent, and no hanging one")
    parser.add_argument("--json", metavar="FILE", help="write what was found there")
    parser.add_argument("--record", action="store_true", help="keep what was found in seen.json, which docs/agents.md is made of")
    parser.add_argument("--keep", metavar="FOLDER", help="lay the runs here and leave them")
    options = parser.parse_args()
    if options.few and options.record:
        parser.error("what was seen of all ways is recorded, and --few tries fewer")
    chosen = [
        (agent, names) for agent in drivers.ALL.values()
        if (names := [name for together, _ in scenes.of(agent) for name in together if wanted(options.only, agent.name, name)])
    ]
    if options.list or not chosen:
        for agent, names in chosen:
            for name in names:
                wants = expected.of(agent.name, name)
                print(f"{agent.name}:{name} {'not tried: ' if isinstance(wants, expected.NotTried) else ''}{wants}")
        sys.exit(0 if chosen else 2)
    folder = options.keep or tempfile.mkdtemp(prefix="agents-")
    os.makedirs(folder, exist_ok=True)
    began = time.monotonic()
    try:
        bench = Bench(options.kept, program_of(options.program), os.path.realpath(folder))
        bench.few = options.few
        # Agents mostly wait. More of them at a time are slower on two processors, and could reach
        # their time limits by chance. The agent with the most runs starts first.
        with ThreadPoolExecutor(2) as pool:
            running = {agent.name: pool.submit(tried, bench, agent, options.only, options.keep) for agent, _ in sorted(chosen, key=lambda pair: not pair[0].ends_at_denial)}
            rows = [row for agent, _ in chosen for row in running[agent.name].result()]
    finally:
        if not options.keep:
            shutil.rmtree(folder, ignore_errors=True)
    print(f"\n{table(rows)}\n")
    if options.json:
        with open(options.json, "w", encoding="utf-8") as file:
            json.dump(rows, file, indent=1, ensure_ascii=False)
            file.write("\n")
    if options.record:
        record(rows, chosen)
    failed = sum(row["ok"] is False for row in rows)
    skipped = sum(row["ok"] is None for row in rows)
    print(f"{time.monotonic() - began:.0f} s")
    print(f"{len(rows) - failed - skipped} passed, {failed} failed, {skipped} skipped")
    sys.exit(1 if failed else 0)


main()
