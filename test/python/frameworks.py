"""Frameworks in their default modes: a tool call, its result, an answer, whole and streamed.

Called with the gateway's address and a key. Prints one JSON object of answers by check."""

import asyncio
import json
import os
import sys

ADDRESS, KEY = sys.argv[1:3]
MODELS = ["Responses#gpt-6.1-sol", "Anthropic#claude-opus-5-5", "Google#gemini-3.5-flash"]
ASK = 'call get_weather({"city":"Oslo"})'


def get_weather(city: str) -> str:
    """Today's weather in a city."""
    return f"7 degrees in {city}"


async def run_agents(model: str) -> list[str]:
    from agents import Agent, Runner, function_tool, set_default_openai_client, set_tracing_disabled
    from openai import AsyncOpenAI

    set_default_openai_client(AsyncOpenAI(base_url=f"{ADDRESS}/v1", api_key=KEY))
    set_tracing_disabled(True)
    agent = Agent(name="Guide", model=model, tools=[function_tool(get_weather)])
    whole = await Runner.run(agent, ASK)
    streamed = Runner.run_streamed(agent, ASK)
    async for _ in streamed.stream_events():
        pass
    return [whole.final_output, streamed.final_output]


async def run_pydantic_ai(model: str) -> list[str]:
    from pydantic_ai import Agent
    from pydantic_ai.models.openai import OpenAIResponsesModel
    from pydantic_ai.providers.openai import OpenAIProvider

    provider = OpenAIProvider(base_url=f"{ADDRESS}/v1", api_key=KEY)
    return await ask_pydantic_ai(Agent(OpenAIResponsesModel(model, provider=provider), tools=[get_weather]))


async def run_pydantic_ai_by_name(model: str) -> list[str]:
    from pydantic_ai import Agent

    os.environ.update(OPENAI_BASE_URL=f"{ADDRESS}/v1", OPENAI_API_KEY=KEY)
    return await ask_pydantic_ai(Agent(f"openai:{model}", tools=[get_weather]))


async def ask_pydantic_ai(agent) -> list[str]:
    whole = await agent.run(ASK)
    async with agent.run_stream(ASK) as streamed:
        return [whole.output, await streamed.get_output()]


async def run_langchain(model: str) -> list[str]:
    return await ask_langchain(model, use_responses_api=True)


async def run_langchain_by_default(model: str) -> list[str]:
    return await ask_langchain(model)


async def ask_langchain(model: str, **options) -> list[str]:
    from langchain_core.messages import HumanMessage, ToolMessage
    from langchain_openai import ChatOpenAI

    chat = ChatOpenAI(model=model, base_url=f"{ADDRESS}/v1", api_key=KEY, **options)
    bound = chat.bind_tools([get_weather])
    answers = []
    for streams in (False, True):
        messages = [HumanMessage(ASK)]
        for _ in range(2):
            if streams:
                chunks = [chunk async for chunk in bound.astream(messages)]
                reply = sum(chunks[1:], chunks[0])
            else:
                reply = await bound.ainvoke(messages)
            messages.append(reply)
            for call in reply.tool_calls:
                result = get_weather(**call["args"])
                messages.append(ToolMessage(result, tool_call_id=call["id"]))
        answers.append(messages[-1].text)
    return answers


async def run_tool_runner(model: str) -> list[str]:
    """Anthropic's own loop, which asks for a thread first."""
    from anthropic import Anthropic, beta_tool

    runner = Anthropic(base_url=ADDRESS, api_key=KEY).beta.messages.tool_runner
    asked = {"model": model, "max_tokens": 2000, "messages": [{"role": "user", "content": ASK}]}
    tool = beta_tool(get_weather)
    whole = runner(tools=[tool], **asked).until_done()
    streamed = None
    for stream in runner(tools=[tool], stream=True, **asked):
        streamed = stream.get_final_message()
    return ["".join(block.text for block in last.content if block.type == "text") for last in (whole, streamed)]


# The session takes names like OpenAI's own only.
COMPACTED = ["gpt-native", "gpt-other"]


async def run_compaction(model: str) -> list[str]:
    """Runs a session of the Agents SDK that compacts itself after each answer, with its items as each mode leaves them."""
    from agents import Agent, Runner, SQLiteSession, set_default_openai_client, set_tracing_disabled
    from agents.memory import OpenAIResponsesCompactionSession
    from openai import AsyncOpenAI

    client = AsyncOpenAI(base_url=f"{ADDRESS}/v1", api_key=KEY)
    set_default_openai_client(client)
    set_tracing_disabled(True)
    agent = Agent(name="Guide", model=model)
    found = []
    for mode in ["input", "previous_response_id"]:
        store = SQLiteSession(mode)
        session = OpenAIResponsesCompactionSession(
            session_id=mode,
            underlying_session=store,
            client=client,
            model=model,
            compaction_mode=mode,
            should_trigger_compaction=lambda _: True,
        )
        for text in ["one", "two"]:
            answer = await Runner.run(agent, f"say: {text}", session=session)
        items = [item.get("type") or item["role"] for item in await store.get_items()]
        found.append(f"{answer.final_output.split()[-1]}: {' '.join(items)}")
    return found


CHECKS = {
    "tool runner": run_tool_runner,
    "agents": run_agents,
    "pydantic-ai": run_pydantic_ai,
    "pydantic-ai by name": run_pydantic_ai_by_name,
    "langchain": run_langchain,
    "langchain by default": run_langchain_by_default,
}


async def main() -> None:
    found = {}
    runs = [(name, check, model) for name, check in CHECKS.items() for model in MODELS]
    runs += [("compaction", run_compaction, model) for model in COMPACTED]
    for name, check, model in runs:
        try:
            found[f"{name} {model}"] = await check(model)
        except Exception as error:  # Each check is a test of its own: one that fails must not hide the others.
            found[f"{name} {model}"] = [f"{type(error).__name__}: {error}"]
    print(json.dumps(found))


asyncio.run(main())
