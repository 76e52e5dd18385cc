"""OpenAI's Python SDK against a running gateway: prints one JSON line per check, {"check", "error"}.

    python_client.py --list             the checks' names; fails if the SDK is not installed
    python_client.py '{"url": …}'       runs them: url, secret, bound (a key for other models only),
                                        spent (a key without allowance left) and door (a url that counts requests)
"""

import asyncio
import json
import re
import sys
import traceback
from typing import Callable, Optional

import openai
from openai import AsyncOpenAI, OpenAI
from pydantic import BaseModel

PLAIN = "Local#sim-mini"
THINKING = "Local#sim-think"
DIALECTS = [
    "OpenAI#gpt-5.4",
    "OpenAI#gpt-5.6-sol",
    "Anthropic#claude-haiku-4-5",
    "Google#gemini-3.5-flash",
    "Mistral#mistral-large-latest",
    "Perplexity#sonar-pro",
    "Cohere#command-a-03-2025",
    PLAIN,
]
ASK_TWO = 'call get_weather({"city":"Oslo"}) and call get_weather({"city":"Rome"})'
CHECKS: dict[str, Callable[[], None]] = {}
GIVEN = json.loads(sys.argv[1]) if sys.argv[1].startswith("{") else {}


def check(name: str):
    def register(function: Callable[[], None]):
        CHECKS[name] = function
        return function

    return register


def client(secret: Optional[str] = None, **options) -> OpenAI:
    """A client that doesn't retry and rejects answers that its models don't describe."""
    given = {"base_url": GIVEN["url"] + "/v1", "api_key": secret or GIVEN["secret"], "max_retries": 0}
    return OpenAI(**{**given, "_strict_response_validation": True, **options})


def user(content) -> list:
    return [{"role": "user", "content": content}]


def same(actual, expected) -> None:
    assert actual == expected, f"got {actual!r}, expected {expected!r}"


def failure(kind, work: Callable[[], object]):
    """Returns the error that the work raises, which must be of exactly this class."""
    try:
        work()
    except openai.OpenAIError as error:
        same(type(error), kind)
        return error
    raise AssertionError(f"nothing failed, {kind.__name__} was expected")


class Weather(BaseModel):
    """Today's weather in a city."""

    city: str


class City(BaseModel):
    name: str
    size: int
    twin: Optional[str]
    tags: list[str]


WEATHER = openai.pydantic_function_tool(Weather, name="get_weather")


# First, while the key still has to wait for its next slot.
@check("one call alone when the allowance is used up")
def spent():
    patient = OpenAI(base_url=GIVEN["door"] + "/v1", api_key=GIVEN["spent"])
    given = {"model": PLAIN, "messages": user("say: hi")}
    error = failure(openai.RateLimitError, lambda: patient.chat.completions.create(**given))
    same((error.code, error.type), ("rate_limit_exceeded", "rate_limit_error"))
    assert error.body["reset_at"].endswith("Z"), error.body
    assert 0 < int(error.response.headers["retry-after"]) <= 60, error.response.headers


@check("a whole answer with usage and the request's id")
def whole():
    answer = client().chat.completions.create(model="local/sim-mini", messages=user("say: one two three"))
    same(answer.choices[0].message.content, "one two three")
    same((answer.model, answer.choices[0].finish_reason), (PLAIN, "stop"))
    same((answer.usage.prompt_tokens, answer.usage.completion_tokens, answer.usage.total_tokens), (5, 4, 9))
    assert re.match(r"req_\w+$", answer._request_id), answer._request_id


@check("a stream in pieces, with usage when it is asked for")
def stream():
    given = {"model": PLAIN, "messages": user("say: one two three"), "stream": True}
    chunks = list(client().chat.completions.create(**given, stream_options={"include_usage": True}))
    pieces = [choice.delta.content for chunk in chunks for choice in chunk.choices if choice.delta.content]
    same(pieces, ["one", " two", " three"])
    same((chunks[-1].choices, chunks[-1].usage.total_tokens), ([], 9))
    same({chunk.id for chunk in chunks}, {chunks[0].id})
    assert not any(chunk.usage for chunk in client().chat.completions.create(**given))


@check("several choices")
def choices():
    answer = client().chat.completions.create(model="OpenAI#gpt-5.4", n=2, messages=user("say: hi"))
    same([one.message.content for one in answer.choices], ["hi", "hi (choice 2)"])


@check("a picture")
def picture():
    parts = [{"type": "text", "text": "What is this?"}, {"type": "image_url", "image_url": {"url": GIVEN["picture"]}}]
    answer = client().chat.completions.create(model=PLAIN, messages=user(parts))
    same(answer.choices[0].message.content, f"You said: What is this? {GIVEN['seen']}")


@check("the thinking, whole and streamed")
def thinking():
    given = {"model": THINKING, "messages": user("say: hi")}
    message = client().chat.completions.create(**given).choices[0].message
    same(message.model_extra["reasoning_content"], "Thinking about: say: hi")
    deltas = [chunk.choices[0].delta for chunk in client().chat.completions.create(**given, stream=True)]
    thoughts = [(delta.model_extra or {}).get("reasoning_content") or "" for delta in deltas]
    same("".join(thoughts), "Thinking about: say: hi")


@check("the stream helper's events and final completion")
def helper():
    with client().chat.completions.stream(
        model=PLAIN, messages=user("say: one two three"), stream_options={"include_usage": True}
    ) as events:
        seen = list(events)
        final = events.get_final_completion()
    pieces = [event.delta for event in seen if event.type == "content.delta" and event.delta]
    same(pieces, ["one", " two", " three"])
    same([event.content for event in seen if event.type == "content.done"], ["one two three"])
    same((final.choices[0].message.content, final.usage.total_tokens), ("one two three", 9))


@check("the asynchronous client, whole and streamed")
def asynchronous():
    async def run():
        async with AsyncOpenAI(base_url=GIVEN["url"] + "/v1", api_key=GIVEN["secret"]) as there:
            given = {"model": PLAIN, "messages": user("say: one two")}
            same((await there.chat.completions.create(**given)).choices[0].message.content, "one two")
            pieces = [chunk async for chunk in await there.chat.completions.create(**given, stream=True)]
            same("".join(one.choices[0].delta.content or "" for one in pieces), "one two")

    asyncio.run(run())


@check("models, listed and by their percent-encoded ids")
def models():
    ids = [model.id for model in client().models.list()]
    for one in ("OpenAI#gpt-5.4", "Router#best"):
        assert one in ids, ids
        same(client().models.retrieve(one).id, one)
    same(client().models.retrieve("openai/gpt-5.4").id, "OpenAI#gpt-5.4")
    error = failure(openai.NotFoundError, lambda: client().models.retrieve("Nobody#nothing"))
    same(error.code, "model_not_found")


def speaks(model: str) -> None:
    completions = client().chat.completions
    messages = user(ASK_TWO)
    first = completions.parse(model=model, messages=messages, tools=[WEATHER], reasoning_effort="low")
    calls = first.choices[0].message.tool_calls
    same([call.function.parsed_arguments for call in calls], [Weather(city="Oslo"), Weather(city="Rome")])
    messages.append(first.choices[0].message)
    for call in calls:
        sky = {"role": "tool", "tool_call_id": call.id, "content": f"sun in {call.function.parsed_arguments.city}"}
        messages.append(sky)
    with completions.stream(model=model, messages=messages, tools=[WEATHER], reasoning_effort="low") as events:
        text = events.get_final_completion().choices[0].message.content
    assert re.search("sun in Oslo.*sun in Rome", text), text
    with completions.stream(model=model, messages=user(ASK_TWO), tools=[WEATHER]) as events:
        done = [event for event in events if event.type == "tool_calls.function.arguments.done"]
    same([event.arguments for event in done], ['{"city":"Oslo"}', '{"city":"Rome"}'])
    parsed = completions.parse(model=model, messages=user("A city."), response_format=City)
    same(parsed.choices[0].message.parsed.name, "sample")


for model in DIALECTS:
    check(f"tools and structured output of {model}")(lambda model=model: speaks(model))


@check("an exception of its own class for each failure")
def failures():
    def ask(secret=None, **fields):
        given = {"model": PLAIN, "messages": user("say: hi"), **fields}
        return lambda: client(secret).chat.completions.create(**given)

    rows = [
        (openai.BadRequestError, ask(temperature=3), 400, "decimal_above_max_value", "temperature"),
        (openai.BadRequestError, ask(messages=[]), 400, "empty_array", "messages"),
        (openai.BadRequestError, ask(model=PLAIN + "~context"), 400, "context_length_exceeded", None),
        (openai.AuthenticationError, ask("sk-not-a-key"), 401, "invalid_api_key", None),
        (openai.PermissionDeniedError, ask(GIVEN["bound"]), 403, "model_not_allowed", "model"),
        (openai.NotFoundError, ask(model="gpt-5.4"), 404, "model_not_found", None),
        (openai.RateLimitError, ask(model=PLAIN + "~429"), 429, "provider_busy", None),
        (openai.InternalServerError, ask(model=PLAIN + "~500"), 502, "upstream_error", None),
        (openai.InternalServerError, ask(model=PLAIN + "~504", stream=True), 504, "upstream_timeout", None),
    ]
    for kind, work, status, code, param in rows:
        error = failure(kind, work)
        same((error.status_code, error.code, error.param), (status, code, param))
        assert error.request_id.startswith("req_"), error.request_id


@check("an APIError out of a stream that breaks off")
def broken():
    pieces = []

    def read():
        given = {"model": PLAIN + "~pace=200~error-mid", "messages": user("say: one two three")}
        for chunk in client().chat.completions.create(**given, stream=True):
            pieces.append(chunk.choices[0].delta.content or "")

    error = failure(openai.APIError, read)
    same(error.type, "api_error")
    assert "".join(pieces).startswith("one"), pieces


@check("leaving a stream, and giving up on an answer")
def leaving():
    with client().chat.completions.create(
        model=PLAIN + "~stall", messages=user("say: one two three"), stream=True
    ) as pieces:
        for chunk in pieces:
            if chunk.choices[0].delta.content == " two":
                break
    hasty = client(timeout=0.3)
    silent = {"model": PLAIN + "~silent", "messages": user("say: hi")}
    failure(openai.APITimeoutError, lambda: hasty.chat.completions.create(**silent))


if sys.argv[1] == "--list":
    print(json.dumps(list(CHECKS)))
else:
    for name, function in CHECKS.items():
        try:
            function()
            print(json.dumps({"check": name, "error": None}))
        except Exception:
            print(json.dumps({"check": name, "error": traceback.format_exc(limit=-3)}))
