"""What came direct and through the gate, made comparable, and told apart.

Only what the clock makes differ is masked: times, ids of tasks, ages of files. Everything else is compared as the bytes that came.
"""

import difflib
import json
import re

MASKS = [
    # Times: ISO, and as a JavaScript `Date` prints itself.
    (re.compile(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?(Z|[+-]\d\d:\d\d)?"), "TIME"),
    (re.compile(r"\b(Mon|Tue|Wed|Thu|Fri|Sat|Sun) [A-Z][a-z]{2} \d\d \d{4} \d\d:\d\d:\d\d GMT[+-]\d{4}( \([^)]*\))?"), "TIME"),
    (re.compile(r"\b\d{1,2}:\d\d:\d\d [AP]M\b"), "TIME"),
    # " created at ", in base64, with the time behind it.
    (re.compile(r"(IGNyZWF0ZWQgYXQg)[A-Za-z0-9+/]+=*"), r"\1TIME"),
    # Random ids: of tasks and elicitations.
    (re.compile(r'("taskId":")[0-9a-f]{32}"'), r'\1ID"'),
    (re.compile(r"\b[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}\b"), "UUID"),
]


def masked(line):
    text = line.decode("utf-8", "surrogateescape").rstrip("\n")
    for pattern, put in MASKS:
        text = pattern.sub(put, text)
    return text


def sorted_out(lines):
    """The lines in their order, but those that a server tells by its own clock behind all others: they may come earlier or later.

    Answers and progress stay in one order, requests of the server in another.
    """
    answers, asked, told = [], [], []
    for line in lines:
        text = masked(line)
        try:
            message = json.loads(line)
        except ValueError:
            answers.append(text)
            continue
        method = message.get("method") if isinstance(message, dict) else None
        if method is None or method == "notifications/progress":
            answers.append(text)
        elif "id" in message:
            asked.append(text)
        else:
            told.append(text)
    return answers + asked + sorted(told)


def differences(direct, through):
    """The lines of a diff, shortened; none if all is the same."""
    lines = difflib.unified_diff(direct, through, "direct", "through", lineterm="", n=0)
    return [around(line) for line in lines]


def around(line, most=600):
    return line if len(line) <= most else f"{line[:most]}… ({len(line)} characters)"


def masked_text(text):
    return masked(text.encode("utf-8", "surrogateescape"))
