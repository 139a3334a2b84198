"""One run of an agent: a fresh place, hooks, `snaphook install`, the model, and the agent itself."""

import os
import shutil
import subprocess

from model import Model
from place import Place

PROMPT = "PERSON-PROMPT: work on the project."
# A hook in force that says nothing.
IDLE = 'on("tool_call", function() end)\n'


class Broken(Exception):
    """A run that shows nothing, because something of ours failed."""


class Run:
    """One run: its place, its model, and how the agent ended."""

    def __init__(self, bench, agent, name, mcp=False):
        self.bench = bench
        self.agent = agent
        self.mcp = mcp
        self.ended = None
        self.model = None
        folder = os.path.join(bench.folder, agent.name, name)
        shutil.rmtree(folder, ignore_errors=True)
        os.makedirs(folder)
        self.place = Place(folder, bench.kept)
        self.put_program(bench.program)

    def put_program(self, program):
        """Replaces snaphook. The old file may be running, so it is renamed over, not written to."""
        fresh = self.place.program + ".new"
        try:
            os.link(program, fresh)
        except OSError:
            shutil.copy2(program, fresh)
        os.replace(fresh, self.place.program)

    def hook(self, name, text, project=False):
        place = self.place
        folder = place.in_project(".snaphook/hooks") if project else place.at_home(".config/snaphook/hooks")
        place.write(os.path.join(folder, f"{name}.lua"), text)

    def snaphook(self, *arguments):
        return self.place.run([self.place.program, *arguments])

    def install(self):
        """Sets the agent up as its user does: its settings, `snaphook install`, and the manual steps."""
        self.lay()
        ended = self.snaphook("install", self.agent.name)
        if ended.code != 0:
            raise Broken(f"snaphook install {self.agent.name}: {ended.code}\n{ended.out}")
        if wrong := self.agent.approve(self.place):
            raise Broken(wrong)

    def lay(self):
        """Starts the model and writes the agent's settings, which contain its port."""
        self.model = Model(self.agent)
        self.agent.lay(self.place, self.model.port, self.mcp)

    def drive(self, main, sub=(), limit=None):
        """Starts the agent. The model answers it with `main`, and its subagents with `sub`."""
        with self.model:
            self.model.say(main, sub)
            environment = self.agent.environment(self.place, self.model.port)
            self.ended = self.place.run(self.agent.command(self.place, PROMPT), environment, limit or self.agent.limit, self.model.enough)
        return self

    def answered(self, number):
        """Returns the seconds from this answer of the model to the next request, or to the end of the run."""
        times = [one.at for one in self.model.of("main")] + [self.ended.at]
        return times[number + 1] - times[number] if len(times) > number + 1 else 0

    def told(self):
        """Returns details of the run, to print where its outcome is not the expected one."""
        asked = self.model.of("main", "sub", "side") if self.model else []
        lines = [f"the model was asked {len(asked)} times: {', '.join(one.part for one in asked)}"]
        if self.model and self.model.elsewhere:
            lines.append(f"other requests: {', '.join(dict.fromkeys(self.model.elsewhere))}"[:400])
        if asked:
            lines.append(f"tools: {', '.join(str(tool) for tool in asked[0].tools)}"[:600])
            lines.append("the end of what the model read: " + asked[-1].messages()[-1500:])
        if self.ended:
            code = "none, it was ended" if self.ended.code is None else self.ended.code
            lines.append(f"exit code {code} after {self.ended.took:.0f} s; the end of what it printed: {self.ended.out[-1500:]}")
        return lines


def ready(bench, agent, name, **hooks):
    """Returns a run that can be driven, with these hooks and one in force that says nothing."""
    run = Run(bench, agent, name)
    for kind, text in {**hooks, "idle": IDLE}.items():
        run.hook(kind, text)
    run.install()
    return run


class Bench:
    """The installed agents, the program that is tested, and the folder in which runs are laid."""

    def __init__(self, kept, program, folder):
        self.kept = kept
        self.program = program
        self.folder = folder
        # True to try a broken snaphook in fewer ways, and no hanging one.
        self.few = False
        told = subprocess.run([program, "hook", "--agents"], check=True, capture_output=True, text=True).stdout
        # Agents with an adapter. Their lines are not indented.
        self.known = {line.split()[0] for line in told.splitlines() if line and not line[0].isspace()}
