"""Google's Python SDK with a function that it calls itself, and a second turn on its own history.

Called with the gateway's address, a key and a model. Prints both answers as JSON."""

import json
import sys

from google import genai

ADDRESS, KEY, MODEL = sys.argv[1:4]


def get_weather(city: str) -> str:
    """Today's weather in a city."""
    return f"7 degrees in {city}"


client = genai.Client(api_key=KEY, http_options={"base_url": ADDRESS})
config = {"tools": [get_weather], "thinking_config": {"include_thoughts": True}}
chat = client.chats.create(model="models/" + MODEL, config=config)
whole = chat.send_message('call get_weather({"city":"Oslo"})').text
streamed = "".join(piece.text or "" for piece in chat.send_message_stream("say: both seen"))
print(json.dumps([whole, streamed]))
