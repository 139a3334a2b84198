"""Mistral Vibe, a Python package. Its model has few tools of its own, and reaches the others from programs that it writes."""

import json
import os
import re

from wires import Call

from .base import KEY, Agent, server, url

HERE = os.path.dirname(os.path.abspath(__file__))


def program(call):
    """Returns the call that runs a program with one line."""
    return Call("run_typescript", {"code": f"async function main() {{\n  return await {call};\n}}\n"})


class Vibe(Agent):
    name = "vibe"
    title = "Mistral Vibe"
    shell_tool = "bash"
    hooks = ".vibe/hooks.toml"

    def version(self, kept):
        with open(os.path.join(HERE, "../python.txt"), encoding="utf-8") as file:
            return re.search(r"(?m)^mistral-vibe==(\S+)", file.read()).group(1)

    def missing(self, kept):
        return None if os.path.exists(os.path.join(kept, "python/python.txt")) else "there is no Python 3.12"

    def lay(self, place, port, mcp):
        settings = f"""active_model = "mock"
enable_telemetry = false
enable_update_checks = false
enable_auto_update = false

[session_logging]
generate_titles = false

[[providers]]
name = "mock"
api_base = "{url(port, "/v1")}"
api_key_env_var = "MOCK_API_KEY"

[[models]]
name = "mock-model"
provider = "mock"
alias = "mock"
"""
        if mcp:
            command, *arguments = server(place)
            settings += f"""
[[mcp_servers]]
name = "ours"
transport = "stdio"
command = {json.dumps(command)}
args = {json.dumps(arguments)}
"""
        place.write(place.at_home(".vibe/config.toml"), settings)

    def environment(self, place, port):
        return {"MOCK_API_KEY": KEY}

    def command(self, place, prompt):
        return [os.path.join(place.kept, "python/bin/vibe"), "-p", prompt, "--yolo", "--trust", "--output", "streaming"]

    def task(self, prompt):
        return program(f'tools.agents.spawn({{ name: "kid", message: {json.dumps(prompt)} }})')

    def await_task(self, asked):
        return None if "Subagent kid completed" in asked.text else Call("wait", {"timeout_ms": 20000})

    def note(self, text):
        return program(f"tools.mcp_ours.note({{ text: {json.dumps(text)} }})")

    def wait(self, place, seconds):
        return place.edit(place.at_home(self.hooks), lambda text: re.sub(r"(?m)^timeout = \d+$", f"timeout = {seconds}", text))

    def taken(self, where):
        """Makes a hook with the name of ours, which runs in its place."""

        def switch(place):
            text = '[[hooks]]\nname = "snaphook-pre_tool"\ntype = "pre_tool"\ncommand = "true"\n\n'
            path = where(place)
            if os.path.exists(path):
                place.edit(path, lambda ours: text + ours)
            else:
                place.write(path, text)

        return switch

    @property
    def off_switches(self):
        return {
            "same-name": self.taken(lambda place: place.at_home(self.hooks)),
            "same-name-in-project": self.taken(lambda place: place.in_project(self.hooks)),
        }
