"""What a job is, and all of them. Their calls are in `toolchains`, `repositories` and `system`."""

import re
from dataclasses import dataclass, field


@dataclass
class Known:
    """A difference that is there: its reason, and patterns of the lines that only a held run has.

    Each such line matches one of the patterns, and each pattern one of the lines.
    """

    reason: str
    lines: list
    # `root` or `user`, where only root, or only others see it.
    who: str = "all"

    def explains(self, lines):
        held = [line for line in lines if line.startswith("+")]
        return all(any(re.search(pattern, line) for pattern in self.lines) for line in held) and all(
            any(re.search(pattern, line) for line in held) for pattern in self.lines
        )


@dataclass
class Job:
    """Calls that are made in a project, one after the other, each held by itself."""

    name: str
    calls: list
    # The exit codes of unheld calls that do not end with 0, by their numbers from 1 on.
    codes: dict = field(default_factory=dict)
    # A folder of `projects`, which the project begins as.
    files: str = None
    # Makes more of what the calls find.
    before: object = None
    # `used`: caches exist in the home; `fresh`: nothing does.
    home: str = "used"
    # Programs without which it is not tried, as words that have to end well.
    needs: list = field(default_factory=list)
    # Variables; a function of the place.
    env: object = None
    # Output whose lines come in any order.
    unordered: bool = False
    # What differs from run to run: patterns in output and in names with their replacements, files by their names whose contents differ.
    texts: list = field(default_factory=list)
    names: list = field(default_factory=list)
    loose: list = field(default_factory=list)
    # Files whose times are compared.
    timed: list = field(default_factory=list)
    # A difference that a held run is known to have.
    known: Known = None


def all_of():
    """Every job, in the order in which they are listed."""
    import repositories
    import system
    import toolchains

    return {job.name: job for module in (toolchains, repositories, system) for job in module.JOBS}
