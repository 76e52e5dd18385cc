"""LangChain's standard tests of a chat model, over the gateway: pytest langchain_standard.py, run by langchain-standard.ts."""

import os
from base64 import b64decode
from types import SimpleNamespace

import httpx
from langchain_anthropic import ChatAnthropic
from langchain_openai import ChatOpenAI
from langchain_tests.integration_tests import ChatModelIntegrationTests

URL = os.environ["POUNDKEY_URL"]
KEY = os.environ["POUNDKEY_KEY"]
MODELS = os.environ["POUNDKEY_MODELS"].split(",")

# The tests fetch a picture from the internet and send its bytes.
PIXEL = b64decode(
    "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg=="
)
httpx.get = lambda *_words, **_options: SimpleNamespace(content=PIXEL)


class OverGateway(ChatModelIntegrationTests):
    """Declares what every model behind the gateway takes."""

    model_id = ""

    @property
    def supports_image_inputs(self) -> bool:
        return True

    @property
    def supports_image_tool_message(self) -> bool:
        return True

    @property
    def supports_json_mode(self) -> bool:
        return True

    @property
    def model_override_value(self) -> str:
        return self.model_id

    # Pictures at addresses are fetched by providers, which not all do.
    @property
    def supports_image_urls(self) -> bool:
        return False


class OverChat(OverGateway):
    @property
    def chat_model_class(self):
        return ChatOpenAI

    @property
    def chat_model_params(self):
        return {"model": self.model_id, "base_url": f"{URL}/v1", "api_key": KEY, "max_retries": 0, "stream_usage": True}


class OverResponses(OverChat):
    @property
    def chat_model_params(self):
        return {**super().chat_model_params, "use_responses_api": True, "store": False}


class OverMessages(OverGateway):
    @property
    def chat_model_class(self):
        return ChatAnthropic

    @property
    def chat_model_params(self):
        return {"model": self.model_id, "base_url": URL, "api_key": KEY, "max_retries": 0}

    # LangChain's class has none.
    @property
    def supports_json_mode(self) -> bool:
        return False

    @property
    def supports_anthropic_inputs(self) -> bool:
        return True


for surface in (OverChat, OverResponses, OverMessages):
    for model in MODELS:
        name = f"Test{surface.__name__}_{model.replace('#', '_').replace('.', '_').replace('-', '_')}"
        globals()[name] = type(name, (surface,), {"model_id": model, "__module__": __name__})
# pytest would collect them without a model.
del OverGateway, OverChat, OverResponses, OverMessages, surface
