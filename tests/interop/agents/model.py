"""A scripted model on loopback. It keeps every request, so that scenes can check what the model read.

A request without the agent's shell tool is a side request (a title, a topic). One whose first text
contains `SUBTASK` comes from a subagent.
"""

import json
import sys
import threading
import time
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from urllib.parse import urlparse

import wires
from wires import Say

# Part of the task of every subagent, and of no other text before the model's first answer.
SUBTASK = "SUBAGENT-TASK"
# The limit of requests in one run. No scene needs as many; the run is ended there.
MOST = 60


class Asked:
    """One request of an agent."""

    def __init__(self, agent, wire, body):
        self.wire = wire
        self.at = time.monotonic()
        self.body = body
        self.tools = wire.tools(body)
        # Tool descriptions are the agent's own text.
        self.text = wires.text_of({key: value for key, value in body.items() if key != "tools"})
        self.opening = wire.opening(body)
        aside = agent.shell_tool not in self.tools or (agent.aside and agent.aside in self.text)
        self.part = "side" if aside else "sub" if SUBTASK in self.opening else "main"


    def messages(self):
        """Returns the conversation as it was sent."""
        return json.dumps(next((self.body[key] for key in ("messages", "input", "contents") if key in self.body), None), ensure_ascii=False)


class Server(ThreadingHTTPServer):
    daemon_threads = True

    def handle_error(self, request, client_address):
        """Ignores connections that an ended agent closed."""
        if not isinstance(sys.exc_info()[1], ConnectionError):
            super().handle_error(request, client_address)


class Model:
    """The server. Answers with the steps of `main` and `sub` in order, and then with "done".

    A step is a list of parts, or a function that makes one from the request.
    """

    def __init__(self, agent):
        self.agent = agent
        self.steps = {}
        self.asked = []
        self.elsewhere = []
        self.lock = threading.Lock()
        self.enough = threading.Event()
        self.server = Server(("127.0.0.1", 0), self.handler())
        self.port = self.server.server_address[1]
        self.thread = threading.Thread(target=self.server.serve_forever, args=(0.05,), daemon=True)

    def say(self, main, sub=()):
        self.steps = {"main": list(main), "sub": list(sub)}

    def __enter__(self):
        self.thread.start()
        return self

    def __exit__(self, *_):
        self.server.shutdown()
        self.server.server_close()

    def of(self, *parts):
        """Returns the requests of these parts (`main`, `sub`, `side`)."""
        with self.lock:
            return [one for one in self.asked if one.part in parts]

    def read(self, text, *parts):
        """Tells if the model read this text."""
        return any(text in one.text for one in self.of(*(parts or ("main", "sub"))))

    def answer(self, wire, body):
        asked = Asked(self.agent, wire, body)
        with self.lock:
            count = sum(one.part == asked.part for one in self.asked)
            self.asked.append(asked)
        if count >= MOST:
            self.enough.set()
            return None
        steps = self.steps.get(asked.part, [])
        if asked.part == "side" or count >= len(steps):
            return [Say("done")]
        step = steps[count]
        return step(asked) if callable(step) else step

    def handler(self):
        model = self

        class Handler(BaseHTTPRequestHandler):
            protocol_version = "HTTP/1.1"

            def log_message(self, *_):
                pass

            def send(self, code, kind, data):
                self.send_response(code)
                self.send_header("content-type", kind)
                self.send_header("content-length", str(len(data)))
                self.end_headers()
                if self.command != "HEAD":
                    self.wfile.write(data)

            def json(self, value, code=200):
                self.send(code, "application/json", json.dumps(value).encode())

            def small(self, path):
                """Answers the small endpoints that agents use besides the model's."""
                with model.lock:
                    model.elsewhere.append(f"{self.command} {path}")
                if path.endswith("/models"):
                    self.json({"object": "list", "data": [{"id": "mock-model", "object": "model", "created": 1, "owned_by": "mock"}]})
                elif path.endswith("/whoami"):
                    # Droid needs a user and an organization to start a subagent.
                    self.json({"userId": "user", "orgId": "org"})
                elif path.endswith("count_tokens"):
                    self.json({"input_tokens": 10})
                elif path.endswith(":countTokens"):
                    self.json({"totalTokens": 10})
                else:
                    self.json({})

            def do_HEAD(self):
                self.small(urlparse(self.path).path)

            def do_GET(self):
                self.small(urlparse(self.path).path)

            def do_POST(self):
                path = urlparse(self.path).path
                given = self.given()
                wire = next((wire for wire in wires.ALL if wire.takes(path)), None)
                if wire is None:
                    self.small(path)
                    return
                body = json.loads(given)
                parts = model.answer(wire, body)
                if parts is None:
                    self.json({"error": {"type": "invalid_request_error", "message": "the scripted model was asked too often"}}, 400)
                elif wire.streams(path, body):
                    self.send(200, "text/event-stream", "".join(wire.stream(body, parts)).encode())
                else:
                    self.json(wire.whole(body, parts))

            def given(self):
                if "chunked" not in self.headers.get("transfer-encoding", ""):
                    return self.rfile.read(int(self.headers.get("content-length") or 0))
                data = b""
                while size := int(self.rfile.readline().split(b";")[0], 16):
                    data += self.rfile.read(size)
                    self.rfile.readline()
                self.rfile.readline()
                return data

        return Handler
