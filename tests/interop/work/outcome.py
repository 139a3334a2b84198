"""What a run of a job came to, as lines that two runs can be compared by."""

import difflib
import hashlib
import os
import re
import stat


def entry(path, name, job):
    """A line about a file: its kind, mode, owner, and what is in it."""
    seen = os.lstat(path)
    words = [stat.filemode(seen.st_mode), f"{seen.st_uid}:{seen.st_gid}", name]
    if stat.S_ISLNK(seen.st_mode):
        words += ["->", os.readlink(path)]
    elif stat.S_ISREG(seen.st_mode):
        if seen.st_nlink > 1:
            words.append(f"{seen.st_nlink} names")
        if not any(re.search(loose, name) for loose in job.loose):
            with open(path, "rb") as file:
                words.append(f"{seen.st_size} bytes {hashlib.sha256(file.read()).hexdigest()[:16]}")
    if any(re.search(timed, name) for timed in job.timed):
        words.append(f"at {seen.st_mtime:.6f}")
    try:
        words += [f"{key}={os.getxattr(path, key, follow_symlinks=False)!r}" for key in sorted(os.listxattr(path, follow_symlinks=False))]
    except OSError:
        pass
    return " ".join(words)


def tree(root, job):
    """The lines of all files below a folder, by their names."""
    lines = []
    for folder, folders, files in os.walk(root):
        for name in folders + files:
            path = os.path.join(folder, name)
            shown = os.path.relpath(path, root)
            for pattern, replacement in job.names:
                shown = re.sub(pattern, replacement, shown)
            lines.append(entry(path, shown, job))
    return sorted(lines, key=lambda line: (line.split(" ", 2)[2], line))


def output(text, job):
    for pattern, replacement in job.texts:
        text = re.sub(pattern, replacement, text, flags=re.MULTILINE)
    lines = text.splitlines()
    return sorted(lines) if job.unordered else lines


class Outcome:
    """The calls of a run, and the files that it left in the project, the home, and the folder for temporary files."""

    def __init__(self, place, job, calls):
        self.wall = sum(call.wall for call in calls)
        self.cpu = sum(call.cpu for call in calls)
        self.lines = []
        for number, call in enumerate(calls, 1):
            shown = call.line if len(call.line) < 80 else call.line[:77] + "..."
            self.lines.append(f"call {number}, `{shown}`: exit {call.code}")
            self.lines += [f"call {number} out: {line}" for line in output(call.out, job)]
            self.lines += [f"call {number} err: {line}" for line in output(call.err, job)]
        self.unexpected = [
            f"call {number}, `{call.line}`: exit {call.code}, expected {job.codes.get(number, 0)}: {(call.out + call.err)[-400:]!r}"
            for number, call in enumerate(calls, 1) if call.code != job.codes.get(number, 0)
        ]
        for name, folder in (("project", place.project), ("home", place.home), ("tmp", place.temporary), ("outside", place.env["OUTSIDE"])):
            self.lines += [f"{name}: {line}" for line in tree(folder, job)]


def difference(unheld, held):
    """The lines that differ, first those of the first place. Empty if there are none."""
    found = difflib.unified_diff(unheld.lines, held.lines, "unheld", "held", n=0, lineterm="")
    return [line for line in found if not line.startswith(("---", "+++", "@@"))]
