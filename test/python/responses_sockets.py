"""OpenAI's Python SDK over WebSockets, as `responses.connect()` opens them. Prints what it saw as JSON."""

import asyncio
import json
import sys

from openai import AsyncOpenAI, OpenAI

url, secret, model = sys.argv[1:4]
ENDS = ("response.completed", "response.failed", "response.incomplete", "error")


def read(connection):
    """Returns the last event of a turn."""
    for event in connection:
        if event.type in ENDS:
            return event


def run():
    client = OpenAI(api_key=secret, base_url=f"{url}/v1", max_retries=0)
    seen = {}
    with client.responses.connect() as connection:
        connection.response.create(model=model, input="say: first codeword", store=False)
        first = read(connection).response
        connection.response.create(
            model=model, input="say: second", previous_response_id=first.id, store=False
        )
        second = read(connection).response
        seen["texts"] = [first.output_text, second.output_text]
        connection.response.create(
            model=model, input="x", previous_response_id="resp_unknown", store=False
        )
        refused = read(connection)
        seen["refused"] = [refused.status, refused.error.code]
        connection.response.create(model=model, input="say: on", store=False)
        seen["after"] = read(connection).response.output_text
    return seen


async def run_async():
    client = AsyncOpenAI(api_key=secret, base_url=f"{url}/v1", max_retries=0)
    async with client.responses.connect() as connection:
        await connection.response.create(model=model, input="say: async", store=False)
        async for event in connection:
            if event.type in ENDS:
                return event.response.output_text


print(json.dumps({**run(), "async": asyncio.run(run_async())}))
