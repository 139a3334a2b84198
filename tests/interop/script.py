"""What the scripted client asks of each server, as the lines that it sends. Ids are given in order, so that two runs have the same.

Not here: sending (`lines.py`), comparing (`compare.py`).
"""

import json
import os

CAPABILITIES = {"roots": {"listChanged": True}, "sampling": {}, "elicitation": {}}
ANSWERS = {
    "roots/list": '"result":{"roots":[{"uri":"file:///a%20b","name":"é"},{"uri":"file:///c"}], "_meta":{"x/y":[1.0]}}',
    "sampling/createMessage": '"result":{"role":"assistant","content":{"type":"text","text":"from \\u0041 model"},'
                              '"model":"none","stopReason":"endTurn"}',
    "elicitation/create": '"result":{"action":"decline"}',
}


class Script:
    """Lines in order, each with what is waited for behind it."""

    def __init__(self):
        self.steps = []
        self.id = 0

    def line(self, text, wait=None):
        """A line as it is, and the id or method that is waited for."""
        self.steps.append((text, wait))

    def wait(self, method):
        """Waits for a message of the server."""
        self.steps.append((None, method))

    def request(self, method, params=None, wait=True):
        self.id += 1
        message = {"jsonrpc": "2.0", "id": self.id, "method": method}
        if params is not None:
            message["params"] = params
        self.line(json.dumps(message, ensure_ascii=False), self.id if wait else None)
        return self.id

    def tell(self, method, params=None):
        message = {"jsonrpc": "2.0", "method": method}
        if params is not None:
            message["params"] = params
        self.line(json.dumps(message), None)

    def call(self, tool, arguments=None, wait=True, **more):
        params = dict({"name": tool}, **more)
        if arguments is not None:
            params["arguments"] = arguments
        return self.request("tools/call", params, wait)

    def open(self, version="2025-11-25"):
        self.request("initialize", {"protocolVersion": version, "capabilities": CAPABILITIES,
                                    "clientInfo": {"name": "lines", "version": "0"}, "_meta": {"a.b/c": {"d": None}}})
        self.tell("notifications/initialized")

    def lists(self):
        """What every server is asked, whether it has it or not."""
        self.request("ping")
        for method in ("tools/list", "resources/list", "resources/templates/list", "prompts/list"):
            self.request(method, {})
        self.request("tools/list", {"cursor": "there is no such page"})
        self.request("no/such-method", {"x": [1, 2.50, 1e3]})
        self.call("no-such-tool", {"a": 1})
        self.tell("notifications/no-such", {"x": 1})
        # Numbers and texts that have other spellings; an id that is a text.
        self.line('{ "params" : {"_meta":{"k":"\\u00e9","n":1.0e0}} ,"method":"ping","id":"t\\u0031", "jsonrpc":"2.0" }', "t1")
        self.request("logging/setLevel", {"level": "debug"})


def everything(world):
    """Progress, images, subscriptions, sampling, elicitation, tasks, cancellation."""
    del world
    script = Script()
    script.open()
    script.wait("roots/list")
    script.wait("notifications/message")
    script.lists()
    script.call("echo", {"message": "ä \u2028 😀 \\ \" \t"})
    script.call("echo", {"message": 1})
    script.call("echo")
    script.call("echo", {"message": "m", "more": {"deep": [[[]]]}}, _meta={"progressToken": "p", "own/key": 1})
    for kind in ("success", "error", "debug"):
        script.call("get-annotated-message", {"messageType": kind, "includeImage": True})
    script.call("get-resource-links", {"count": 4})
    for kind in ("Text", "Blob"):
        script.call("get-resource-reference", {"resourceType": kind, "resourceId": 2})
    script.call("get-structured-content", {"location": "Chicago"})
    script.call("get-structured-content", {"location": "nowhere"})
    script.call("get-sum", {"a": 1e2, "b": -0.5})
    script.call("get-sum", {"a": "x"})
    script.call("get-tiny-image", {})
    script.call("gzip-file-as-resource", {"name": "a.gz", "data": "data:text/plain,abc", "outputType": "resource"})
    script.call("gzip-file-as-resource", {"name": "a.gz", "data": "file:///etc/passwd", "outputType": "resource"})
    script.call("get-roots-list", {})
    script.call("trigger-sampling-request", {"prompt": "p", "maxTokens": 7})
    script.call("trigger-elicitation-request", {})
    script.call("trigger-url-elicitation", {"url": "http://127.0.0.1/x", "message": "m", "elicitationId": "e1"})
    script.call("trigger-long-running-operation", {"duration": 0.4, "steps": 4}, _meta={"progressToken": 0})
    slow = script.call("trigger-long-running-operation", {"duration": 3, "steps": 1}, wait=False)
    script.tell("notifications/cancelled", {"requestId": slow, "reason": "no more"})
    script.request("ping")
    for uri in ("demo://resource/static/document/features.md", "demo://resource/dynamic/blob/1", "demo://no/such"):
        script.request("resources/read", {"uri": uri})
        script.request("resources/subscribe", {"uri": uri})
    script.call("toggle-subscriber-updates", {})
    script.wait("notifications/resources/updated")
    script.call("toggle-subscriber-updates", {})
    script.request("resources/unsubscribe", {"uri": "demo://no/such"})
    script.request("prompts/get", {"name": "simple-prompt"})
    script.request("prompts/get", {"name": "args-prompt", "arguments": {"city": "Ö", "state": "x"}})
    script.request("prompts/get", {"name": "args-prompt"})
    script.request("prompts/get", {"name": "resource-prompt", "arguments": {"resourceType": "Text", "resourceId": "1"}})
    script.request("completion/complete", {"ref": {"type": "ref/prompt", "name": "completable-prompt"},
                                           "argument": {"name": "name", "value": "A"},
                                           "context": {"arguments": {"department": "Engineering"}}})
    script.request("completion/complete", {"ref": {"type": "ref/resource", "uri": "demo://resource/dynamic/text/{resourceId}"},
                                           "argument": {"name": "resourceId", "value": "7"}})
    script.request("tasks/list", {})
    script.request("tasks/get", {"taskId": "none"})
    script.tell("notifications/roots/list_changed")
    script.wait("roots/list")
    script.wait("notifications/message")
    return script


def filesystem(world):
    script = Script()
    script.open("2025-06-18")
    script.wait("roots/list")
    script.lists()
    files = os.path.join(world, "files")
    script.call("list_allowed_directories", {})
    for path in ("notes.txt", "sub/deep/a.md", "empty.txt", "not there", "../../etc/passwd"):
        script.call("read_text_file", {"path": os.path.join(files, path)})
    script.call("read_text_file", {"path": os.path.join(files, "notes.txt"), "head": 1})
    script.call("read_media_file", {"path": os.path.join(files, "dot.png")})
    script.call("read_multiple_files", {"paths": [os.path.join(files, name) for name in ("notes.txt", "no", "config.txt")]})
    script.call("write_file", {"path": os.path.join(files, "new.txt"), "content": "é\n\u0000\u001f"})
    script.call("edit_file", {"path": os.path.join(files, "notes.txt"), "edits": [{"oldText": "two", "newText": "2"}], "dryRun": True})
    script.call("edit_file", {"path": os.path.join(files, "notes.txt"), "edits": [{"oldText": "not in it", "newText": "2"}]})
    script.call("create_directory", {"path": os.path.join(files, "made")})
    script.call("move_file", {"source": os.path.join(files, "new.txt"), "destination": os.path.join(files, "made/b.txt")})
    script.call("directory_tree", {"path": files})
    script.call("list_directory_with_sizes", {"path": files})
    script.call("search_files", {"path": files, "pattern": "**/*.txt"})
    script.call("get_file_info", {"path": os.path.join(files, "notes.txt")})
    return script


def memory(world):
    del world
    script = Script()
    script.open("2025-03-26")
    script.lists()
    script.call("create_entities", {"entities": [{"name": "a", "entityType": "t", "observations": ["ü", ""]},
                                                 {"name": "b", "entityType": "t", "observations": []}]})
    script.call("create_relations", {"relations": [{"from": "a", "to": "b", "relationType": "r"}]})
    script.call("add_observations", {"observations": [{"entityName": "b", "contents": ["x"]}]})
    script.call("add_observations", {"observations": [{"entityName": "c", "contents": ["x"]}]})
    script.call("read_graph", {})
    script.call("search_nodes", {"query": "ü"})
    script.call("open_nodes", {"names": ["b"]})
    script.call("delete_entities", {"entityNames": ["a"]})
    script.call("read_graph", {})
    return script


def git(world):
    script = Script()
    script.open("2024-11-05")
    script.lists()
    repository = os.path.join(world, "repo")
    for tool, more in [("git_status", {}), ("git_diff_unstaged", {}), ("git_diff_staged", {}), ("git_add", {"files": ["file.txt"]}),
                       ("git_diff_staged", {}), ("git_commit", {"message": "one more\n\ntext"}), ("git_log", {"max_count": 3}),
                       ("git_show", {"revision": "HEAD"}), ("git_diff", {"target": "HEAD~2"}), ("git_diff", {"target": "--output=x"}),
                       ("git_create_branch", {"branch_name": "b"}), ("git_checkout", {"branch_name": "b"}),
                       ("git_branch", {"branch_type": "local"}), ("git_log", {"max_count": "x"})]:
        script.call(tool, dict({"repo_path": repository}, **more))
    script.call("git_status", {"repo_path": "/not there"})
    return script


def time(world):
    del world
    script = Script()
    script.open()
    script.lists()
    script.call("get_current_time", {"timezone": "Asia/Tokyo"})
    script.call("get_current_time", {"timezone": "Nowhere/None"})
    script.call("convert_time", {"source_timezone": "Europe/Berlin", "time": "16:30", "target_timezone": "Asia/Tokyo"})
    script.call("convert_time", {"source_timezone": "Europe/Berlin", "time": "25:99", "target_timezone": "Asia/Tokyo"})
    return script


ALL = {"everything": everything, "filesystem": filesystem, "memory": memory, "git": git, "time": time}


def run(script, client):
    """Sends it all; the client keeps what comes."""
    for text, wait in script.steps:
        if text is not None:
            client.send(text)
        if isinstance(wait, str) and "/" in wait:
            client.until(lambda m, method=wait: isinstance(m, dict) and m.get("method") == method)
        elif wait is not None:
            client.answer_to(wait)
    return client.end()
