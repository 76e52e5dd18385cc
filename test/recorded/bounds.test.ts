// The bounds of every provider on names and ids: no recorded request leaves beyond them, as it is or stretched.
import { expect, test } from "bun:test";
import { Fault } from "../../src/core/faults/fault.ts";
import { asObject } from "../../src/core/json/json.ts";
import type { ChatMessage, ChatRequest, Tool, ToolCall } from "../../src/operations/chat/form.ts";
import { PROVIDERS } from "../../src/providers/index.ts";
import { Checker } from "../../src/surfaces/checker.ts";
import { chatRequestSchema } from "../../src/surfaces/openai-chat/schema.ts";
import { encode, lint, type Server } from "../dialects/bound-lint.ts";
import { requestForm } from "./expect/requests.ts";
import { atLeast, readTraffic } from "./load.ts";
import { NotPlain } from "./plain.ts";

/** A model of each provider that has rules of its own by name. */
const MODELS: Readonly<Record<string, readonly string[]>> = {
  OpenAI: ["gpt-4.1", "gpt-6.1-sol"],
  Anthropic: ["claude-sonnet-5"],
  Google: ["gemini-3.5-flash"],
  Bedrock: ["us.amazon.nova-2-lite-v1:0"],
};
/** At least one provider of each dialect. */
const FAMILIES: ReadonlySet<string> = new Set([
  "OpenAI",
  "Anthropic",
  "Google",
  "Mistral",
  "Cohere",
  "Perplexity",
  "Bedrock",
  "OpenRouter",
  "xAI",
  "DeepSeek",
  "vLLM",
  "Azure",
  "Vertex",
]);

function listServers(): readonly Server[] {
  const servers: Server[] = [];
  for (const { name: provider, dialects } of PROVIDERS.filter(({ name }) => FAMILIES.has(name))) {
    for (const { chat, ...dialect } of dialects) {
      if (chat === undefined) continue;
      for (const name of MODELS[provider] ?? ["some-model"])
        servers.push({ label: `${provider}#${name}`, dialect: { ...dialect, chat }, name });
    }
  }
  return servers;
}

const SERVERS = listServers();

/** OpenAI's newer models take tools at `/responses`. */
function findForm({ dialect }: Server, url: string): string {
  return dialect.name === "openai" && url.endsWith("/responses") ? "responses" : dialect.name;
}

const stretchName = (name: string) => `${name}.${"n".repeat(150 - name.length)}`;
const stretchId = (id: string) => `${id}:${"i".repeat(90)}`;

/** Returns the request with names, ids and identifiers longer than any provider accepts. */
function stretch(request: ChatRequest): ChatRequest {
  const rename = <Named extends Tool | ToolCall>(named: Named): Named => {
    const kind = named.type === "custom" ? "custom" : "function";
    const held = asObject(named[kind]);
    return { ...named, [kind]: { ...held, name: stretchName(String(held.name)) } };
  };
  const messages = request.messages.map((message): ChatMessage => {
    if (message.role === "tool") return { ...message, tool_call_id: stretchId(message.tool_call_id) };
    if (message.role !== "assistant" || !message.tool_calls) return message;
    return {
      ...message,
      tool_calls: message.tool_calls.map((call) => rename({ ...call, id: stretchId(call.id) })),
    };
  });
  const long = "u".repeat(300);
  const metadata = Object.fromEntries(
    Array.from({ length: 20 }, (_, at) => [`${"k".repeat(70)}${at}`, long + long]),
  );
  return {
    ...request,
    messages,
    user: long,
    safety_identifier: long,
    prompt_cache_key: long,
    metadata,
    ...(request.tools
      ? { tools: request.tools.filter(({ type }) => type === "function" || type === "custom").map(rename) }
      : {}),
    ...(typeof request.tool_choice === "object" ? { tool_choice: "auto" } : {}),
  };
}

/** Old recordings have forms that the gateway refuses. */
const CHECKER = new Checker(chatRequestSchema);

test("no recorded request leaves any provider's bounds, as it is or stretched", () => {
  const problems = new Set<string>();
  let requests = 0;
  let encoded = 0;
  for (const recording of readTraffic().recordings) {
    const text = JSON.stringify(recording.request);
    // Requests without names or ids say nothing here.
    if (!/"(tools?|functions?|tool_calls|user|metadata)"/.test(text)) continue;
    const form = requestForm(recording);
    if (form === null || recording.request === null) continue;
    let request: ChatRequest;
    try {
      request = form.chat(recording.request, recording);
      CHECKER.check({ ...request }, "messages");
    } catch (thrown) {
      if (thrown instanceof NotPlain || thrown instanceof Fault) continue;
      throw thrown;
    }
    requests++;
    for (const server of SERVERS) {
      for (const sent of [request, stretch(request)]) {
        const outgoing = encode(server, sent);
        if (outgoing === null) continue;
        encoded++;
        const form = findForm(server, outgoing.url);
        for (const problem of lint(outgoing.body, form))
          problems.add(`${server.label}: ${problem.slice(0, 160)}`);
      }
    }
  }
  console.log(`${requests} recorded requests, ${encoded} calls: ${problems.size} beyond a bound`);
  expect([...problems]).toEqual([]);
  expect(encoded).toBeGreaterThanOrEqual(atLeast(1000));
});
