"""OpenAI's, Anthropic's and Google's Python SDKs with a key without rules, and with one whose values are swapped.

    guard_swapped.py --list         the checks' names; fails if an SDK is not installed
    guard_swapped.py '{"url": …}'   runs them: url, plain and swapped (the secrets of two keys). Prints a JSON line per check,
                                    {"check", "error"}: an answer is the same for both keys, whole and streamed
"""

import json
import sys
import traceback
from typing import Any, Callable

from anthropic import Anthropic
from google import genai
from openai import OpenAI

TEXT = "say: Write to ada@corp-x.de, or pay by 4532 0151 1283 0366. 😀 Ünïcödé"
CALLS = 'call get_weather({"city":"ada@corp-x.de"}) and call get_weather({"city":"4532 0151 1283 0366"})'
SCHEMA = {"type": "object", "properties": {"city": {"type": "string"}}, "required": ["city"]}
FUNCTION = {"name": "get_weather", "description": "Today's weather in a city.", "parameters": SCHEMA}

Ask = Callable[[dict, str, str, bool], Any]


def ask_chat(given: dict, secret: str, prompt: str, streamed: bool) -> Any:
    client = OpenAI(base_url=given["url"] + "/v1", api_key=secret, max_retries=0)
    request: dict = {
        "model": "Anthropic#claude-haiku-4-5",
        "messages": [{"role": "user", "content": prompt}],
        "tools": [{"type": "function", "function": FUNCTION}],
    }
    if streamed:
        with client.chat.completions.stream(**request) as stream:
            answer = stream.get_final_completion()
    else:
        answer = client.chat.completions.create(**request)
    message = answer.choices[0].message
    calls = [[call.function.name, json.loads(call.function.arguments)] for call in message.tool_calls or []]
    return [message.content or "", calls]


def ask_responses(given: dict, secret: str, prompt: str, streamed: bool) -> Any:
    client = OpenAI(base_url=given["url"] + "/v1", api_key=secret, max_retries=0)
    request: dict = {"model": "Responses#gpt-6.1-sol", "input": prompt, "tools": [{"type": "function", **FUNCTION}]}
    if streamed:
        with client.responses.stream(**request) as stream:
            for _ in stream:
                pass
            answer = stream.get_final_response()
    else:
        answer = client.responses.create(**request)
    calls = [[item.name, json.loads(item.arguments)] for item in answer.output if item.type == "function_call"]
    return [answer.output_text, calls]


def ask_messages(given: dict, secret: str, prompt: str, streamed: bool) -> Any:
    client = Anthropic(base_url=given["url"], api_key=secret, max_retries=0)
    request: dict = {
        "model": "Anthropic#claude-haiku-4-5",
        "max_tokens": 2000,
        "messages": [{"role": "user", "content": prompt}],
        "tools": [{"name": "get_weather", "description": FUNCTION["description"], "input_schema": SCHEMA}],
    }
    if streamed:
        with client.messages.stream(**request) as stream:
            answer = stream.get_final_message()
    else:
        answer = client.messages.create(**request)
    text = "".join(block.text for block in answer.content if block.type == "text")
    return [text, [[block.name, block.input] for block in answer.content if block.type == "tool_use"]]


def ask_gemini(given: dict, secret: str, prompt: str, streamed: bool) -> Any:
    client = genai.Client(api_key=secret, http_options={"base_url": given["url"]})
    declared = {"name": "get_weather", "description": FUNCTION["description"], "parameters_json_schema": SCHEMA}
    request: dict = {
        "model": "models/Google/gemini-3.5-flash",
        "contents": prompt,
        "config": {
            "tools": [{"function_declarations": [declared]}],
            "automatic_function_calling": {"disable": True},
        },
    }
    models = client.models
    pieces = list(models.generate_content_stream(**request)) if streamed else [models.generate_content(**request)]
    parts = [
        part
        for piece in pieces
        for candidate in piece.candidates or []
        for part in (candidate.content.parts if candidate.content else None) or []
    ]
    text = "".join(part.text or "" for part in parts if not part.thought)
    return [text, [[part.function_call.name, part.function_call.args] for part in parts if part.function_call]]


CHECKS: dict[str, tuple[Ask, str]] = {
    f"{kind} with {sdk}": (ask, prompt)
    for sdk, ask in [
        ("OpenAI's chat", ask_chat),
        ("OpenAI's Responses", ask_responses),
        ("Anthropic's", ask_messages),
        ("Google's", ask_gemini),
    ]
    for kind, prompt in [("texts", TEXT), ("calls", CALLS)]
}


def run(given: dict) -> None:
    for check, (ask, prompt) in CHECKS.items():
        error = None
        try:
            answers = [
                ask(given, given[key], prompt, streamed)
                for key in ("plain", "swapped")
                for streamed in (False, True)
            ]
            assert "ada@corp-x.de" in json.dumps(answers[0]), answers[0]
            assert all(answer == answers[0] for answer in answers), answers
        except Exception:
            error = traceback.format_exc()
        print(json.dumps({"check": check, "error": error}))


if sys.argv[1] == "--list":
    print(json.dumps(list(CHECKS)))
else:
    run(json.loads(sys.argv[1]))
