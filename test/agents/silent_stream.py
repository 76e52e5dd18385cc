"""Prints the text of one streamed answer: SDK, the gateway's address, key, model, prompt."""

import sys


def read_openai(url, key, model, prompt):
    from openai import OpenAI

    messages = [{"role": "user", "content": prompt}]
    client = OpenAI(base_url=f"{url}/v1", api_key=key)
    for chunk in client.chat.completions.create(model=model, messages=messages, stream=True):
        yield from (choice.delta.content or "" for choice in chunk.choices)


def read_responses(url, key, model, prompt):
    from openai import OpenAI

    client = OpenAI(base_url=f"{url}/v1", api_key=key)
    for event in client.responses.create(model=model, input=prompt, stream=True):
        if event.type == "response.output_text.delta":
            yield event.delta


def read_anthropic(url, key, model, prompt):
    from anthropic import Anthropic

    messages = [{"role": "user", "content": prompt}]
    client = Anthropic(base_url=url, api_key=key)
    with client.messages.stream(model=model, max_tokens=100, messages=messages) as stream:
        yield from stream.text_stream


def read_google(url, key, model, prompt):
    from google import genai

    client = genai.Client(api_key=key, http_options={"base_url": url})
    for chunk in client.models.generate_content_stream(model=model, contents=prompt):
        yield chunk.text or ""


READERS = {
    "openai": read_openai,
    "openai-responses": read_responses,
    "anthropic": read_anthropic,
    "google": read_google,
}

sdk, *rest = sys.argv[1:]
print("".join(READERS[sdk](*rest)))
