"""A server of an earlier protocol that says nothing to whom it does not know: no word before `initialize`."""

import json
import sys

RESULTS = {
    "initialize": {"protocolVersion": "2025-06-18", "capabilities": {"tools": {}}, "serverInfo": {"name": "silent", "version": "0"}},
    "tools/list": {"tools": [{"name": "say", "inputSchema": {"type": "object"}}]},
    "tools/call": {"content": [{"type": "text", "text": "said"}]},
}

known = False
for line in sys.stdin:
    message = json.loads(line)
    known = known or message.get("method") == "initialize"
    if known and message.get("method") in RESULTS and "id" in message:
        print(json.dumps({"jsonrpc": "2.0", "id": message["id"], "result": RESULTS[message["method"]]}), flush=True)
