"""ADK's runner with interactions: three turns by id, with a tool that is called twice in one turn, whole and streamed.

Called with the gateway's address, a key and models. Prints what each way gave, by model, as JSON."""

import asyncio
import json
import os
import sys

ADDRESS, KEY, *MODELS = sys.argv[1:]
os.environ.update(GOOGLE_GEMINI_BASE_URL=ADDRESS, GOOGLE_API_KEY=KEY)

from google.adk.agents import Agent, RunConfig
from google.adk.agents.run_config import StreamingMode
from google.adk.models import Gemini
from google.adk.runners import InMemoryRunner
from google.genai import types

TWICE = 'call get_weather({"city":"Oslo"}) and call get_weather({"city":"Rome"})'
TURNS = ["say: first", TWICE, "say: third"]


def get_weather(city: str) -> str:
    """Today's weather in a city."""
    return f"7 degrees in {city}"


async def ask(model, mode):
    gemini = Gemini(model=model, use_interactions_api=True)
    runner = InMemoryRunner(agent=Agent(name="guide", model=gemini, tools=[get_weather]))
    session = await runner.session_service.create_session(app_name=runner.app_name, user_id="u")
    texts, calls, errors = [], 0, []
    for turn in TURNS:
        final = ""
        message = types.Content(role="user", parts=[types.Part(text=turn)])
        config = RunConfig(streaming_mode=mode)
        async for event in runner.run_async(
            user_id="u", session_id=session.id, new_message=message, run_config=config
        ):
            if event.error_code:
                errors.append(f"{event.error_code}: {event.error_message}")
            if event.partial:
                continue
            calls += len(event.get_function_calls())
            for part in event.content.parts if event.content else []:
                if part.text and not part.thought:
                    final += part.text
        texts.append(final)
    return {"texts": texts, "calls": calls, "errors": errors}


async def main():
    ways = {"whole": StreamingMode.NONE, "streamed": StreamingMode.SSE}
    return {model: {way: await ask(model, mode) for way, mode in ways.items()} for model in MODELS}


print(json.dumps(asyncio.run(main())))
