"""Google's Python SDK with interactions, sync and async: a function loop by id, streams, reading again, deleting.

Called with the gateway's address, a key and a model. Prints what each part gave as JSON."""

import asyncio
import json
import sys

from google import genai

ADDRESS, KEY, MODEL = sys.argv[1:4]
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
        missing = getattr(error, "status_code", None) or getattr(error, "code", None)
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


print(json.dumps({"sync": sync_part(), "async": asyncio.run(async_part())}))
