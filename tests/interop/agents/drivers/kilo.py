"""Kilo, which was made from OpenCode."""

from .opencode import OpenCode


class Kilo(OpenCode):
    name = "kilo"
    title = "Kilo"
    package = "@kilocode/cli-linux-x64"
    # Its start takes long on a busy machine.
    limit = 240
    folder = ".config/kilo"
    plugin = ".config/kilo/plugins/snaphook.js"
    settings = "kilo.json"
    program = "bin/kilo"
    needs = "@kilocode/plugin"
    variables = "KILO"

    def environment(self, place, port):
        return {**super().environment(place, port), "KILO_TELEMETRY_LEVEL": "off", "KILO_NO_DAEMON": "1"}
