"""LiteLLM's library as a client of the gateway, over every API that it speaks, with what it sends by default.

    litellm_client.py --list            the calls' names
    litellm_client.py URL SECRET        makes them, and prints JSON: per call null, or its error
"""

import asyncio
import io
import json
import os
import sys
import wave

# Its prices come with it. Without this it would ask for newer ones.
os.environ["LITELLM_LOCAL_MODEL_COST_MAP"] = "True"

import litellm
from litellm.proxy.client import Client

litellm.suppress_debug_info = True

PLAIN = "Local#sim-mini"
CLAUDE = "Anthropic#claude-haiku-4-5"
SAY = "say: good day"
MESSAGES = [{"role": "user", "content": SAY}]
CALLS = {}


def call(name):
    def register(function):
        CALLS[name] = function
        return function

    return register


def make_sound():
    sound = io.BytesIO()
    with wave.open(sound, "wb") as file:
        file.setnchannels(1)
        file.setsampwidth(2)
        file.setframerate(8000)
        file.writeframes(bytes(16000))
    sound.seek(0)
    sound.name = "a.wav"
    return sound


def chat(model, **options):
    def ask(url, secret):
        given = {"model": model, "messages": MESSAGES, "api_base": url, "api_key": secret, "num_retries": 0}
        answer = litellm.completion(**{**given, **options})
        if options.get("stream"):
            return "".join(chunk.choices[0].delta.content or "" for chunk in answer)
        return answer.choices[0].message.content

    return ask


PROXY = f"litellm_proxy/{PLAIN}"
for name, model, options in [
    ("chat of a proxy", PROXY, {}),
    ("chat of a proxy, streamed", PROXY, {"stream": True}),
    ("chat of OpenAI", f"openai/{PLAIN}", {}),
    ("chat of OpenRouter", f"openrouter/{PLAIN}", {}),
]:
    CALLS[name] = lambda url, secret, ask=chat(model, **options): ask(f"{url}/v1", secret)
for name, options in [("Messages", {}), ("Messages, streamed", {"stream": True})]:
    CALLS[name] = chat(f"anthropic/{CLAUDE}", **options)


@call("Messages as they are")
def messages(url, secret):
    given = {"model": f"anthropic/{CLAUDE}", "messages": MESSAGES, "max_tokens": 100}
    answer = asyncio.run(litellm.anthropic_messages(**given, api_base=url, api_key=secret))
    return answer["content"][0]["text"]


@call("Gemini")
def gemini(url, secret):
    model = "gemini/gemini-3.5-flash"
    base = f"{url}/v1beta/models/Google%23gemini-3.5-flash"
    answer = litellm.completion(model=model, messages=MESSAGES, api_base=base, api_key=secret, num_retries=0)
    return answer.choices[0].message.content


@call("Responses")
def responses(url, secret):
    given = {"model": "openai/Responses#gpt-6.1-sol", "input": SAY}
    return litellm.responses(**given, api_base=f"{url}/v1", api_key=secret).output_text


@call("Responses of a proxy, streamed")
def streamed_responses(url, secret):
    given = {"model": PROXY, "input": SAY, "stream": True}
    return [event.type for event in litellm.responses(**given, api_base=f"{url}/v1", api_key=secret)][-1]


@call("completions")
def completions(url, secret):
    given = {"model": f"text-completion-openai/{PLAIN}", "prompt": SAY}
    return litellm.text_completion(**given, api_base=f"{url}/v1", api_key=secret).choices[0].text


@call("embeddings")
def embeddings(url, secret):
    given = {"model": "litellm_proxy/Local#embed", "input": ["a"]}
    return len(litellm.embedding(**given, api_base=f"{url}/v1", api_key=secret).data[0]["embedding"])


@call("rerank")
def rerank(url, secret):
    given = {"model": "litellm_proxy/Cohere#rerank-v3.5", "query": "a", "documents": ["a", "b"]}
    return len(litellm.rerank(**given, api_base=url, api_key=secret).results)


@call("moderations")
def moderations(url, secret):
    given = {"model": "Local#moderate", "input": "a", "custom_llm_provider": "openai"}
    return len(litellm.moderation(**given, api_base=f"{url}/v1", api_key=secret).results)


@call("images")
def images(url, secret):
    given = {"model": "litellm_proxy/Local#gpt-image-2", "prompt": "a cat"}
    return len(litellm.image_generation(**given, api_base=f"{url}/v1", api_key=secret).data)


@call("speech")
def speech(url, secret):
    given = {"model": "openai/Local#tts-1", "input": "a", "voice": "alloy"}
    return len(litellm.speech(**given, api_base=f"{url}/v1", api_key=secret).content)


@call("transcriptions")
def transcriptions(url, secret):
    given = {"model": "openai/Local#whisper-1", "file": make_sound()}
    return litellm.transcription(**given, api_base=f"{url}/v1", api_key=secret).text


@call("its proxy's client")
def client(url, secret):
    answer = Client(base_url=url, api_key=secret).chat.completions(model=PLAIN, messages=MESSAGES)
    return answer["choices"][0]["message"]["content"]


@call("a constraint that nothing meets")
def constraint(url, secret):
    try:
        chat(PROXY, extra_body={"guardrails": ["pii"]})(f"{url}/v1", secret)
    except litellm.BadRequestError as error:
        assert "No guard rule is named 'pii'" in str(error), error
        return "refused"


def run(function, url, secret):
    try:
        assert function(url, secret), "the answer is empty"
    except Exception as error:
        return f"{type(error).__name__}: {error}"


if __name__ == "__main__":
    if sys.argv[1] == "--list":
        print(json.dumps(list(CALLS)))
    else:
        print(json.dumps({name: run(function, *sys.argv[1:3]) for name, function in CALLS.items()}))
