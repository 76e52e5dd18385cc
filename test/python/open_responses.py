"""Answers of /v1/responses, judged by Open Responses' own types and by OpenAI's SDK in its strict mode.

    open_responses.py --list        fails if a judge is not installed
    open_responses.py '{"url": …}'  asks each model, whole and streamed: url, secret, models. Prints a JSON line per case,
                                    {"case", "errors"}
"""

import json
import sys
import urllib.request
from typing import Any, Iterator

from openai import OpenAI
from openresponses_types import types
from pydantic import TypeAdapter, ValidationError

SCHEMA = {
    "type": "object",
    "properties": {"answer": {"type": "string"}},
    "required": ["answer"],
    "additionalProperties": False,
}
TOOL = {"type": "function", "name": "find", "parameters": SCHEMA}
CASES: dict[str, dict[str, Any]] = {
    "text": {"input": "say: hi"},
    "settings": {
        "input": "say: hi",
        "instructions": "Be brief.",
        "max_output_tokens": 300,
        "metadata": {"a": "b"},
        "safety_identifier": "someone",
        "prompt_cache_key": "key",
    },
    "a call": {"input": 'call find({"answer":"x"})', "tools": [TOOL], "tool_choice": "auto"},
    "an earlier turn": {
        "input": [
            {"type": "message", "role": "user", "content": "hi"},
            {"type": "message", "role": "assistant", "phase": "commentary", "content": "hello"},
            {"type": "message", "role": "user", "content": "say: hi"},
        ]
    },
}
EVENTS = {
    model.model_fields["type"].annotation(next(iter(model.model_fields["type"].annotation)).value).value: model
    for name, model in vars(types).items()
    if name.endswith("StreamingEvent")
}


def post(given: dict, body: dict) -> Iterator[str]:
    headers = {"authorization": f"Bearer {given['secret']}", "content-type": "application/json"}
    request = urllib.request.Request(f"{given['url']}/v1/responses", json.dumps(body).encode(), headers)
    with urllib.request.urlopen(request) as answer:
        for line in answer:
            yield line.decode()


def find_errors(model: Any, value: Any) -> list:
    try:
        TypeAdapter(model).validate_python(value)
        return []
    except ValidationError as error:
        return [f"{'.'.join(map(str, one['loc']))}: {one['msg']}" for one in error.errors()]


def judge_whole(given: dict, body: dict) -> list:
    errors = find_errors(types.ResponseResource, json.loads("".join(post(given, body))))
    client = OpenAI(
        base_url=f"{given['url']}/v1", api_key=given["secret"], max_retries=0, _strict_response_validation=True
    )
    answer = client.responses.create(**body)
    details = answer.usage.input_tokens_details
    for field in ("cached_tokens", "cache_write_tokens"):
        if not isinstance(getattr(details, field, None), int):
            errors.append(f"OpenAI's SDK reads no {field}")
    return errors


def judge_stream(given: dict, body: dict) -> list:
    errors: list = []
    numbers = []
    for line in post(given, {**body, "stream": True}):
        if not line.startswith("data: ") or line.strip() == "data: [DONE]":
            continue
        event = json.loads(line[len("data: ") :])
        numbers.append(event.get("sequence_number"))
        if event["type"] in EVENTS:
            errors += [f"{event['type']}: {one}" for one in find_errors(EVENTS[event["type"]], event)]
    if numbers != list(range(len(numbers))):
        errors.append(f"sequence_number: {numbers[:5]}")
    client = OpenAI(
        base_url=f"{given['url']}/v1", api_key=given["secret"], max_retries=0, _strict_response_validation=True
    )
    with client.responses.stream(**body) as stream:
        for _ in stream:
            pass
        if stream.get_final_response().status != "completed":
            errors.append("the stream helper has no completed response")
    return errors


def judge(work, given: dict, body: dict) -> list:
    try:
        return work(given, body)
    except Exception as error:
        return [f"{type(error).__name__}: {str(error.__cause__ or error)[:300]}"]


if __name__ == "__main__" and sys.argv[1] != "--list":
    given = json.loads(sys.argv[1])
    for model in given["models"]:
        for name, fields in CASES.items():
            for way, work in {"whole": judge_whole, "streamed": judge_stream}.items():
                errors = judge(work, given, {"model": model, **fields})
                print(json.dumps({"case": f"{model}, {name}, {way}", "errors": sorted(set(errors))}), flush=True)
