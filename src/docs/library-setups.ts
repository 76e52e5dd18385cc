// SDKs and frameworks with the lines that connect them.
import { ADDRESS, type ClientSetup, KEY } from "./client-setup.ts";

export const LIBRARIES: readonly ClientSetup[] = [
  {
    name: "openai-sdk",
    title: "OpenAI SDK",
    kind: "library",
    speaks: "chat completions",
    snippets: [
      {
        about: "JavaScript:",
        language: "js",
        code: `import OpenAI from "openai";

const client = new OpenAI({ baseURL: "${ADDRESS}/v1", apiKey: "${KEY}" });
const answer = await client.chat.completions.create({
  model: "Router#fair",
  messages: [{ role: "user", content: "Hello!" }],
});
console.log(answer.choices[0].message.content);`,
      },
      {
        about: "Python:",
        language: "python",
        code: `from openai import OpenAI

client = OpenAI(base_url="${ADDRESS}/v1", api_key="${KEY}")
answer = client.chat.completions.create(
    model="Router#fair", messages=[{"role": "user", "content": "Hello!"}]
)
print(answer.choices[0].message.content)`,
      },
    ],
    notes: ["`client.responses` works as well, on every chat model."],
  },
  {
    name: "anthropic-sdk",
    title: "Anthropic SDK",
    kind: "library",
    speaks: "Messages",
    snippets: [
      {
        about: "JavaScript. The address ends before `/v1`:",
        language: "js",
        code: `import Anthropic from "@anthropic-ai/sdk";

const client = new Anthropic({ baseURL: "${ADDRESS}", apiKey: "${KEY}" });
const message = await client.messages.create({
  model: "Router#best",
  max_tokens: 4096,
  messages: [{ role: "user", content: "Hello!" }],
});
console.log(message.content.map((block) => block.text ?? "").join(""));`,
      },
      {
        about: "Python:",
        language: "python",
        code: `from anthropic import Anthropic

client = Anthropic(base_url="${ADDRESS}", api_key="${KEY}")
message = client.messages.create(
    model="Router#best", max_tokens=4096, messages=[{"role": "user", "content": "Hello!"}]
)
print("".join(block.text for block in message.content if block.type == "text"))`,
      },
    ],
    notes: ["Files, batches and other objects in the provider's account aren't served."],
  },
  {
    name: "google-sdk",
    title: "Google Gen AI SDK",
    kind: "library",
    speaks: "generateContent",
    snippets: [
      {
        about: "JavaScript. The provider is set off by a slash, since the SDK loses what follows a `#`:",
        language: "js",
        code: `import { GoogleGenAI } from "@google/genai";

const client = new GoogleGenAI({ apiKey: "${KEY}", httpOptions: { baseUrl: "${ADDRESS}" } });
const answer = await client.models.generateContent({ model: "Router/best", contents: "Hello!" });
console.log(answer.text);`,
      },
    ],
    notes: [],
  },
  {
    name: "ai-sdk",
    title: "Vercel AI SDK",
    kind: "library",
    speaks: "chat completions",
    snippets: [
      {
        about: "With the provider for OpenAI-compatible servers:",
        language: "js",
        code: `import { createOpenAICompatible } from "@ai-sdk/openai-compatible";
import { generateText } from "ai";

const poundkey = createOpenAICompatible({ name: "poundkey", baseURL: "${ADDRESS}/v1", apiKey: "${KEY}" });
const { text } = await generateText({ model: poundkey("Router#fair"), prompt: "Hello!" });
console.log(text);`,
      },
    ],
    notes: [
      "`@ai-sdk/openai` speaks Responses and refers to earlier messages by their ids. Set `responses.keep` in the gateway's configuration, or pass `providerOptions: { openai: { store: false } }`.",
      "`@ai-sdk/anthropic` takes the address with `/v1`, and `@ai-sdk/google` with `/v1beta`, where the model is named as `models/OpenAI/gpt-5.4`.",
    ],
  },
  {
    name: "langchain",
    title: "LangChain",
    kind: "library",
    speaks: "chat completions",
    snippets: [
      {
        about: "JavaScript:",
        language: "js",
        code: `import { ChatOpenAI } from "@langchain/openai";

const model = new ChatOpenAI({
  model: "Router#best",
  apiKey: "${KEY}",
  configuration: { baseURL: "${ADDRESS}/v1" },
});
const answer = await model.invoke("Hello!");
console.log(answer.text);`,
      },
      {
        about: "Python:",
        language: "python",
        code: `from langchain_openai import ChatOpenAI

model = ChatOpenAI(model="Router#best", base_url="${ADDRESS}/v1", api_key="${KEY}")
print(model.invoke("Hello!").text)`,
      },
    ],
    notes: ["For some models and tools LangChain goes over to Responses by itself, which works too."],
  },
  {
    name: "llamaindex",
    title: "LlamaIndex",
    kind: "library",
    speaks: "chat completions",
    snippets: [
      {
        about: "Python:",
        language: "python",
        code: `from llama_index.llms.openai_like import OpenAILike

model = OpenAILike(
    model="Router#best",
    api_base="${ADDRESS}/v1",
    api_key="${KEY}",
    is_chat_model=True,
    is_function_calling_model=True,
    context_window=128_000,
)
print(model.complete("Hello!"))`,
      },
    ],
    notes: ["Its class `OpenAI` refuses names of models that it doesn't know, so use `OpenAILike`."],
  },
  {
    name: "instructor",
    title: "instructor",
    kind: "library",
    speaks: "chat completions",
    snippets: [
      {
        about: "Python:",
        language: "python",
        code: `import instructor
from openai import OpenAI
from pydantic import BaseModel


class Greeting(BaseModel):
    text: str


client = instructor.from_openai(OpenAI(base_url="${ADDRESS}/v1", api_key="${KEY}"))
greeting = client.chat.completions.create(
    model="Router#best", response_model=Greeting, messages=[{"role": "user", "content": "Hello!"}]
)
print(greeting.text)`,
      },
    ],
    notes: [
      "It forces a tool call. Models that can't be forced are asked to in words, and may answer otherwise.",
    ],
  },
  {
    name: "pydantic-ai",
    title: "Pydantic AI",
    kind: "library",
    speaks: "chat completions",
    snippets: [
      {
        about: "Python:",
        language: "python",
        code: `from pydantic_ai import Agent
from pydantic_ai.models.openai import OpenAIChatModel
from pydantic_ai.providers.openai import OpenAIProvider

provider = OpenAIProvider(base_url="${ADDRESS}/v1", api_key="${KEY}")
agent = Agent(OpenAIChatModel("Router#best", provider=provider))
print(agent.run_sync("Hello!").output)`,
      },
    ],
    notes: ["`OpenAIResponsesModel` works as well, on every chat model."],
  },
  {
    name: "openai-agents",
    title: "OpenAI Agents SDK",
    kind: "library",
    speaks: "Responses",
    snippets: [
      {
        about: "JavaScript:",
        language: "js",
        code: `import { Agent, run, setDefaultOpenAIClient, setTracingDisabled } from "@openai/agents";
import OpenAI from "openai";

setDefaultOpenAIClient(new OpenAI({ baseURL: "${ADDRESS}/v1", apiKey: "${KEY}" }));
setTracingDisabled(true);
const result = await run(new Agent({ name: "Guide", model: "Router#best" }), "Hello!");
console.log(result.finalOutput);`,
      },
      {
        about: "Python:",
        language: "python",
        code: `from agents import Agent, Runner, set_default_openai_client, set_tracing_disabled
from openai import AsyncOpenAI

set_default_openai_client(AsyncOpenAI(base_url="${ADDRESS}/v1", api_key="${KEY}"))
set_tracing_disabled(True)
print(Runner.run_sync(Agent(name="Guide", model="Router#best"), "Hello!").final_output)`,
      },
    ],
    notes: ["Tracing sends what the agent does to OpenAI with the key of that SDK: turn it off."],
  },
];
