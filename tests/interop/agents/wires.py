"""The wire formats of model providers: reads a request, writes an answer, streamed or not.

An answer is a list of `Say` and `Call`. `model.py` decides which.
"""

import itertools
import json
from collections import namedtuple

Say = namedtuple("Say", "text")
Call = namedtuple("Call", "tool input")

_numbers = itertools.count(1)


def fresh(prefix):
    """Returns an id that no other answer has."""
    return f"{prefix}{next(_numbers):08d}"


def strings(value):
    """Yields all text in a JSON value, without its keys."""
    if isinstance(value, str):
        yield value
    elif isinstance(value, dict):
        for inner in value.values():
            yield from strings(inner)
    elif isinstance(value, list):
        for inner in value:
            yield from strings(inner)


def text_of(value):
    return "\n".join(strings(value))


def event(data, name=None):
    """One server-sent event."""
    head = f"event: {name}\n" if name else ""
    return f"{head}data: {data if isinstance(data, str) else json.dumps(data)}\n\n"


def least(schema):
    """Returns the smallest value for a JSON schema: empty, 0 or false."""
    kind = str(schema.get("type", "")).lower()
    if kind == "object":
        return {name: least(inner) for name, inner in (schema.get("properties") or {}).items()}
    return {"array": [], "number": 0, "integer": 0, "boolean": False}.get(kind, (schema.get("enum") or [""])[0])


def until(messages, speaker):
    """Returns the messages before the model's first one."""
    return list(itertools.takewhile(lambda message: message.get("role") != speaker and message.get("type") not in ("function_call", "custom_tool_call"), messages))


class Anthropic:
    """Anthropic Messages."""

    name = "anthropic"

    @staticmethod
    def takes(path):
        return path.endswith("/messages")

    @staticmethod
    def streams(path, body):
        return bool(body.get("stream"))

    @staticmethod
    def tools(body):
        return [tool.get("name") for tool in body.get("tools") or []]

    @staticmethod
    def opening(body):
        return text_of([message.get("content") for message in until(body.get("messages", []), "assistant")])

    @staticmethod
    def blocks(parts):
        for part in parts:
            if isinstance(part, Say):
                yield {"type": "text", "text": part.text}
            else:
                yield {"type": "tool_use", "id": fresh("toolu_"), "name": part.tool, "input": part.input}

    @classmethod
    def whole(cls, body, parts):
        calls = any(isinstance(part, Call) for part in parts)
        return {
            "id": fresh("msg_"), "type": "message", "role": "assistant", "model": body.get("model", "mock"),
            "content": list(cls.blocks(parts)), "stop_reason": "tool_use" if calls else "end_turn", "stop_sequence": None,
            "usage": {"input_tokens": 10, "output_tokens": 10},
        }

    @classmethod
    def stream(cls, body, parts):
        whole = cls.whole(body, parts)
        yield event({"type": "message_start", "message": {**whole, "content": [], "stop_reason": None}}, "message_start")
        for index, block in enumerate(whole["content"]):
            if block["type"] == "text":
                empty, delta = {**block, "text": ""}, {"type": "text_delta", "text": block["text"]}
            else:
                empty, delta = {**block, "input": {}}, {"type": "input_json_delta", "partial_json": json.dumps(block["input"])}
            yield event({"type": "content_block_start", "index": index, "content_block": empty}, "content_block_start")
            yield event({"type": "content_block_delta", "index": index, "delta": delta}, "content_block_delta")
            yield event({"type": "content_block_stop", "index": index}, "content_block_stop")
        end = {"stop_reason": whole["stop_reason"], "stop_sequence": None}
        yield event({"type": "message_delta", "delta": end, "usage": {"output_tokens": 10}}, "message_delta")
        yield event({"type": "message_stop"}, "message_stop")


class Responses:
    """OpenAI Responses."""

    name = "responses"

    @staticmethod
    def takes(path):
        return path.endswith("/responses")

    @staticmethod
    def streams(path, body):
        return bool(body.get("stream"))

    @staticmethod
    def tools(body):
        """A tool in a namespace is `NAMESPACE/NAME`."""
        found = []
        for tool in body.get("tools") or []:
            if tool.get("type") == "namespace":
                found += [f"{tool.get('name')}/{inner.get('name')}" for inner in tool.get("tools") or []]
            else:
                found.append(tool.get("name") or tool.get("type"))
        return found

    @staticmethod
    def opening(body):
        given = body.get("input", [])
        if isinstance(given, str):
            return given
        return text_of([message.get("content") for message in until(given, "assistant")])

    @staticmethod
    def items(parts):
        for part in parts:
            if isinstance(part, Say):
                content = [{"type": "output_text", "text": part.text, "annotations": []}]
                yield {"type": "message", "id": fresh("msg_"), "role": "assistant", "status": "completed", "content": content}
            else:
                space, _, tool = part.tool.rpartition("/")
                item = {"type": "function_call", "id": fresh("fc_"), "call_id": fresh("call_"), "name": tool, "arguments": json.dumps(part.input), "status": "completed"}
                yield {**item, "namespace": space} if space else item

    @classmethod
    def whole(cls, body, parts):
        return {
            "id": fresh("resp_"), "object": "response", "created_at": 1, "status": "completed", "model": body.get("model", "mock"),
            "output": list(cls.items(parts)),
            "usage": {"input_tokens": 10, "input_tokens_details": None, "output_tokens": 10, "output_tokens_details": None, "total_tokens": 20},
        }

    @classmethod
    def stream(cls, body, parts):
        whole = cls.whole(body, parts)
        yield event({"type": "response.created", "response": {**whole, "status": "in_progress", "output": []}}, "response.created")
        for index, item in enumerate(whole["output"]):
            yield event({"type": "response.output_item.added", "output_index": index, "item": item}, "response.output_item.added")
            yield event({"type": "response.output_item.done", "output_index": index, "item": item}, "response.output_item.done")
        yield event({"type": "response.completed", "response": whole}, "response.completed")


class Chat:
    """OpenAI chat completions."""

    name = "chat"

    @staticmethod
    def takes(path):
        return path.endswith("/chat/completions")

    @staticmethod
    def streams(path, body):
        return bool(body.get("stream"))

    @staticmethod
    def tools(body):
        return [tool.get("function", tool).get("name") for tool in body.get("tools") or []]

    @staticmethod
    def opening(body):
        return text_of([message.get("content") for message in until(body.get("messages", []), "assistant") if message.get("role") != "system"])

    @staticmethod
    def message(parts):
        text = "".join(part.text for part in parts if isinstance(part, Say))
        calls = [
            {"id": fresh("call_"), "type": "function", "function": {"name": part.tool, "arguments": json.dumps(part.input)}}
            for part in parts if isinstance(part, Call)
        ]
        message = {"role": "assistant", "content": text or None}
        return {**message, "tool_calls": calls} if calls else message

    usage = {"prompt_tokens": 10, "completion_tokens": 10, "total_tokens": 20}

    @classmethod
    def whole(cls, body, parts):
        message = cls.message(parts)
        end = "tool_calls" if "tool_calls" in message else "stop"
        return {
            "id": fresh("chatcmpl-"), "object": "chat.completion", "created": 1, "model": body.get("model", "mock"),
            "choices": [{"index": 0, "message": message, "finish_reason": end}], "usage": cls.usage,
        }

    @classmethod
    def stream(cls, body, parts):
        whole = cls.whole(body, parts)
        choice = whole["choices"][0]
        head = {"id": whole["id"], "object": "chat.completion.chunk", "created": 1, "model": whole["model"]}
        delta = dict(choice["message"])
        if "tool_calls" in delta:
            delta["tool_calls"] = [{"index": index, **call} for index, call in enumerate(delta["tool_calls"])]
        yield event({**head, "choices": [{"index": 0, "delta": delta, "finish_reason": None}]})
        yield event({**head, "choices": [{"index": 0, "delta": {}, "finish_reason": choice["finish_reason"]}]})
        yield event({**head, "choices": [], "usage": cls.usage})
        yield event("[DONE]")


class Gemini:
    """Gemini's generateContent and streamGenerateContent."""

    name = "gemini"

    @staticmethod
    def takes(path):
        return path.endswith((":generateContent", ":streamGenerateContent"))

    @staticmethod
    def streams(path, body):
        return path.endswith(":streamGenerateContent")

    @staticmethod
    def tools(body):
        return [one.get("name") for tool in body.get("tools") or [] for one in tool.get("functionDeclarations") or []]

    @staticmethod
    def opening(body):
        return text_of([content.get("parts") for content in until(body.get("contents", []), "model")])

    @staticmethod
    def whole(body, parts):
        settings = body.get("generationConfig") or {}
        schema = settings.get("responseJsonSchema") or settings.get("responseSchema")
        if schema:
            # For example its check for loops. It repeats the request until the answer has this form.
            parts = [Say(json.dumps(least(schema)))]
        made = [
            {"text": part.text} if isinstance(part, Say) else {"functionCall": {"id": fresh("call_"), "name": part.tool, "args": part.input}}
            for part in parts
        ]
        return {
            "candidates": [{"index": 0, "content": {"role": "model", "parts": made}, "finishReason": "STOP"}],
            "usageMetadata": {"promptTokenCount": 10, "candidatesTokenCount": 10, "totalTokenCount": 20}, "modelVersion": "mock",
        }

    @classmethod
    def stream(cls, body, parts):
        yield event(cls.whole(body, parts))


ALL = (Anthropic, Responses, Chat, Gemini)
