"""Google's Python SDK with interactions, sync and async: a function loop by id, streams, reading again, deleting, what else a
request may say, a chain of turns over several models, and refusals.

Called with the gateway's address, a key, a model, models for the chain, a key that may ask once, and a model that fails. Prints what each part gave as
JSON."""

import asyncio
import json
import sys

from google import genai

ADDRESS, KEY, MODEL, CHAIN, POOR_KEY, FAILING = sys.argv[1:7]
OPTIONS = {"base_url": ADDRESS, "retry_options": {"attempts": 1}}
ASK = 'call get_weather({"city":"Oslo"}) and call get_weather({"city":"Rome"})'
PARAMETERS = {"type": "object", "properties": {"city": {"type": "string"}}}
TOOLS = [{"type": "function", "name": "get_weather", "parameters": PARAMETERS}]


def answer(steps):
    calls = [step for step in steps if step.type == "function_call"]
    result = {"type": "function_result", "result": "7 degrees"}
    return [{**result, "call_id": call.id, "name": call.name} for call in calls]


def joined(events):
    deltas = [event.delta for event in events if event.event_type == "step.delta"]
    return "".join(delta.text for delta in deltas if delta.type == "text")


def read_status(error):
    return getattr(error, "status_code", None) or getattr(error, "code", None)


def sync_part():
    client = genai.Client(api_key=KEY, http_options=OPTIONS)
    first = client.interactions.create(model=MODEL, input=ASK, tools=TOOLS)
    results = answer(first.steps)
    last = client.interactions.create(model=MODEL, input=results, tools=TOOLS, previous_interaction_id=first.id)
    kept = client.interactions.get(last.id)
    replayed = list(client.interactions.get(last.id, stream=True))
    streamed = list(client.interactions.create(model=MODEL, input="say: a stream", stream=True))
    client.interactions.delete(last.id)
    try:
        client.interactions.get(last.id)
        missing = None
    except Exception as error:
        missing = read_status(error)
    return {
        "status": first.status,
        "results": len(results),
        "text": last.output_text,
        "kept": kept.steps[0].type,
        "replayed": joined(replayed),
        "streamed": joined(streamed),
        "end": streamed[-1].event_type,
        "missing": missing,
    }


async def async_part():
    client = genai.Client(api_key=KEY, http_options=OPTIONS).aio
    whole = await client.interactions.create(model=MODEL, input="say: async", store=False)
    stream = await client.interactions.create(model=MODEL, input="say: async stream", stream=True)
    return {"text": whole.output_text, "streamed": joined([event async for event in stream])}


PIXEL = "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg=="
SCHEMA = {"type": "object", "properties": {"city": {"type": "string"}}, "required": ["city"], "additionalProperties": False}
JSON_FORMAT = {"type": "text", "mime_type": "application/json", "schema": SCHEMA}
FORCED = {"tool_choice": {"allowed_tools": {"mode": "any", "tools": ["get_weather"]}}}
THINKING = {"thinking_level": "low", "thinking_summaries": "auto"}


async def forms_part():
    """The same sync and async: what was asked for in both must be the same."""
    client = genai.Client(api_key=KEY, http_options=OPTIONS)
    sync, other = client.interactions, client.aio.interactions
    picture = {"type": "image", "mime_type": "image/png", "data": PIXEL}
    asked = {
        "system": {"input": "say: hi", "system_instruction": "Be brief."},
        "picture": {"input": [{"type": "text", "text": "describe"}, picture]},
        "forced": {"input": "say: hi", "tools": TOOLS, "generation_config": FORCED},
        "schema": {"input": "A city.", "response_format": JSON_FORMAT},
        "search": {"input": "search: who won?", "tools": [{"type": "google_search"}]},
        "thinking": {"input": "think: hard. say: done", "generation_config": THINKING},
    }
    given = {}
    for name, fields in asked.items():
        first = sync.create(model=MODEL, store=False, **fields)
        second = await other.create(model=MODEL, store=False, **fields)
        assert [step.type for step in first.steps] == [step.type for step in second.steps], name
        assert first.output_text == second.output_text, name
        given[name] = {"types": sorted({step.type for step in first.steps}), "text": first.output_text}
    return given


async def chain_part():
    client = genai.Client(api_key=KEY, http_options=OPTIONS)
    sync, other = client.interactions, client.aio.interactions
    previous = {}
    for turn, model in enumerate(CHAIN.split(",")):
        fields = {"model": model, "input": f"say: turn {turn}", **previous}
        last = sync.create(**fields) if turn % 2 == 0 else await other.create(**fields)
        previous = {"previous_interaction_id": last.id}
    forks = [await other.create(model=MODEL, input="say: a fork", **previous) for _ in range(2)]
    return {"last": last.output_text, "forks": len({fork.id for fork in forks} - {last.id})}


def refuse_part():
    def status(key, **fields):
        try:
            client = genai.Client(api_key=key, http_options=OPTIONS)
            client.interactions.create(**{"model": MODEL, "input": "say: hi", **fields})
            return 200
        except Exception as error:
            return read_status(error)

    return [
        status(KEY, input=[]),
        status("pk-nobody"),
        status(KEY, model="Acme/nobody"),
        status(KEY, previous_interaction_id="int_nobody"),
        status(POOR_KEY),
        status(POOR_KEY),
    ]


async def rest_part():
    """A provider that fails until it rests, which is 503, sync and async, whole and streamed."""
    client = genai.Client(api_key=KEY, http_options=OPTIONS)
    sync, other = client.interactions, client.aio.interactions
    fields = {"model": FAILING, "input": "say: hi", "store": False}

    async def status(call):
        try:
            answer = call()
            if asyncio.iscoroutine(answer):
                await answer
            return "", 200
        except Exception as error:
            return type(error).__name__, read_status(error)

    async def until_rests(call):
        """The rest may end meanwhile: then a call tests the provider, fails, and the next one is refused."""
        statuses = []
        while len(statuses) < 20 and (not statuses or statuses[-1][1] != 503):
            statuses.append(await status(call))
        return statuses

    statuses = await until_rests(lambda: sync.create(**fields))
    ways = [lambda: sync.create(**fields, stream=True), lambda: other.create(**fields)]
    ways.append(lambda: other.create(**fields, stream=True))
    rests = [(await until_rests(way))[-1] for way in ways]
    return {"failed": sorted({status for _, status in statuses}), "rests": rests}


parts = {"sync": sync_part(), "async": asyncio.run(async_part())}
parts |= {"forms": asyncio.run(forms_part()), "chain": asyncio.run(chain_part()), "refused": refuse_part()}
parts |= {"rest": asyncio.run(rest_part())}
print(json.dumps(parts))
