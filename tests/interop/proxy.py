"""Stand-ins for the gate, to see that the checks see: `pass` copies both pipes, the others each do one wrong thing.

    proxy.py HOW mcp [OPTION…] -- COMMAND…
"""

import json
import os
import signal
import subprocess
import sys
import threading


def changed(how, line, count):
    """What this stand-in makes of a line of the server."""
    if how == "pass":
        return line
    try:
        message = json.loads(line)
    except ValueError:
        return line
    if how == "reorder" and isinstance(message.get("result"), dict):
        message["result"] = dict(reversed(list(message["result"].items())))
    elif how == "meta" and isinstance(message.get("params"), dict):
        message["params"].pop("_meta", None)
    elif how == "respell":
        pass
    elif how == "drop" and "method" in message and "id" not in message:
        return b""
    elif how == "drop-one" and count == 4:
        return b""
    else:
        return line
    return json.dumps(message, ensure_ascii=False, separators=(",", ":")).encode() + b"\n"


def main():
    how = sys.argv[1]
    command = sys.argv[sys.argv.index("--") + 1:]
    server = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, env=os.environ)

    def stop(*_):
        server.terminate()
        os._exit(143)

    signal.signal(signal.SIGTERM, stop)

    def forward():
        for count, line in enumerate(sys.stdin.buffer):
            server.stdin.write(changed("meta", line, count) if how == "meta" else line)
            server.stdin.flush()
        server.stdin.close()

    threading.Thread(target=forward, daemon=True).start()
    for count, line in enumerate(server.stdout):
        sys.stdout.buffer.write(changed(how, line, count))
        sys.stdout.buffer.flush()
    sys.exit(server.wait())


main()
