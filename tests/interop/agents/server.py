"""A small MCP server over stdio. Its one tool, `note`, leaves the mark `mcp-TEXT` in a folder.

The folder is its argument. For the text `show`, it returns `redact-mcp.txt` beside that folder.
"""

import json
import os
import sys

TOOL = {
    "name": "note",
    "description": "Takes a note.",
    "inputSchema": {"type": "object", "properties": {"text": {"type": "string"}}, "required": ["text"]},
}


def answer(method, params):
    if method == "initialize":
        info = {"name": "ours", "version": "1"}
        return {"protocolVersion": params.get("protocolVersion", "2025-06-18"), "capabilities": {"tools": {}}, "serverInfo": info}
    if method == "tools/list":
        return {"tools": [TOOL]}
    if method == "tools/call":
        text = params["arguments"]["text"]
        open(os.path.join(sys.argv[1], "mcp-" + text), "w", encoding="utf-8").close()
        said = f"NOTED {text}"
        if text == "show":
            with open(os.path.join(sys.argv[1], "../redact-mcp.txt"), encoding="utf-8") as file:
                said = file.read()
        return {"content": [{"type": "text", "text": said}]}
    return {"resources": [], "prompts": [], "resourceTemplates": []}


for line in sys.stdin:
    asked = json.loads(line)
    if "id" in asked and "method" in asked:
        result = answer(asked["method"], asked.get("params") or {})
        print(json.dumps({"jsonrpc": "2.0", "id": asked["id"], "result": result}), flush=True)
