"""OpenAI's Python SDK with tools that the gateway runs, whole and streamed. Prints what it saw as JSON."""

import json
import sys

from openai import OpenAI

url, secret, model = sys.argv[1:4]
TOOLS = [
    {
        "type": "mcp",
        "server_label": "desk",
        "server_url": "poundkey:old",
        "require_approval": "never",
    }
]
PROMPT = 'step 1: call old_echo({"text":"one"}) step 2: say: done'


def describe(response):
    calls = [item for item in response.output if item.type == "mcp_call"]
    listed = [item for item in response.output if item.type == "mcp_list_tools"]
    return {
        "status": response.status,
        "text": response.output_text,
        "lists": len(listed),
        "outputs": [call.output for call in calls],
    }


def run():
    client = OpenAI(api_key=secret, base_url=f"{url}/v1", max_retries=0)
    asked = {"model": model, "input": PROMPT, "tools": TOOLS}
    whole = client.responses.create(**asked)
    with client.responses.stream(**asked) as stream:
        types = [event.type for event in stream]
        streamed = stream.get_final_response()
    again = client.responses.create(
        model=model,
        input=[{"role": "user", "content": PROMPT}, *whole.output, {"role": "user", "content": "say: on"}],
        tools=TOOLS,
    )
    return {
        "whole": describe(whole),
        "streamed": describe(streamed),
        "events": [type for type in types if "mcp_call." in type],
        "again": describe(again),
    }


print(json.dumps(run()))
