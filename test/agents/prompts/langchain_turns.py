"""A conversation of five turns with tools by LangChain: langchain_turns.py ADDRESS KEY MODEL SURFACE STREAMED PROMPT...

Prints the text of the last answer."""

import sys

from langchain_core.messages import AIMessageChunk, HumanMessage, ToolMessage
from langchain_core.tools import tool
from langchain_openai import ChatOpenAI

ADDRESS, KEY, MODEL, SURFACE, STREAMED, *PROMPTS = sys.argv[1:]


@tool
def get_weather(city: str) -> str:
    """Today's weather in a city."""
    return f"7 degrees in {city}"


chat = ChatOpenAI(
    base_url=f"{ADDRESS}/v1",
    api_key=KEY,
    model=MODEL,
    max_retries=0,
    reasoning_effort="low" if SURFACE == "chat" else None,
    reasoning={"effort": "low"} if SURFACE == "responses" else None,
    include=["reasoning.encrypted_content"] if SURFACE == "responses" else None,
    store=False if SURFACE == "responses" else None,
    use_responses_api=SURFACE == "responses",
).bind_tools([get_weather])


def ask(history):
    if STREAMED != "streamed":
        return chat.invoke(history)
    whole: AIMessageChunk | None = None
    for piece in chat.stream(history):
        whole = piece if whole is None else whole + piece
    return whole


history = []
for prompt in PROMPTS:
    history.append(HumanMessage(prompt))
    while True:
        answer = ask(history)
        history.append(answer)
        if not answer.tool_calls:
            break
        for call in answer.tool_calls:
            history.append(ToolMessage(get_weather.invoke(call["args"]), tool_call_id=call["id"]))
print(history[-1].text)
