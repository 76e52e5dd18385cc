// Everyday prompts as requests, plain and in other wrappings, and the sets of models that they are routed among.
import { applyFreePrice } from "../../../../src/catalogue/free-price.ts";
import { loadShippedCards } from "../../../../src/catalogue/rows.ts";
import { makeUnlistedCard } from "../../../../src/catalogue/unlisted.ts";
import type { ModelCard } from "../../../../src/core/models/card.ts";
import type { ChatMessage, ChatRequest, ContentPart, Tool } from "../../../../src/operations/chat/form.ts";
import data from "./prompts.data.json";

/** A prompt as it stands in the file. */
interface Entry {
  readonly id: string;
  readonly language: string;
  readonly accepts: readonly string[];
  readonly text: string;
  /** Text that stands after the prompt, or before it if `first`. */
  readonly paste?: { readonly of: string; readonly chars: number; readonly first?: boolean };
  readonly agent?: string;
  readonly image?: boolean;
  readonly schema?: boolean;
}

export interface DayOnePrompt {
  readonly id: string;
  readonly language: string;
  /** The kinds of tasks that a reader would accept, the expected one first. */
  readonly accepts: readonly string[];
  readonly request: ChatRequest;
}

const PARAGRAPHS = new Map<string, readonly string[]>(Object.entries(data.paragraphs));
const AGENTS = new Map(Object.entries(data.agents));
const ENTRIES: readonly Entry[] = data.prompts;

const PIXEL =
  "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==";
const CODE_TOOLS = "bash read_file edit_file write_file grep glob fetch_page list_todos run_subtask";
const DESK_TOOLS = "search_trains book_ticket list_events create_event send_message";
const NEEDLESS_TOOLS = "get_weather convert_currency";
const SCHEMA: NonNullable<ChatRequest["response_format"]> = {
  type: "json_schema",
  json_schema: { name: "answer", schema: { type: "object", properties: { values: { type: "array" } } } },
};

export const DAY_ONE_PROMPTS: readonly DayOnePrompt[] = ENTRIES.map((entry) => ({
  id: entry.id,
  language: entry.language,
  accepts: entry.accepts,
  request: makeRequest(entry),
}));

function makeRequest(entry: Entry): ChatRequest {
  const text = paste(entry);
  const image: ContentPart = { type: "image_url", image_url: { url: `data:image/png;base64,${PIXEL}` } };
  const user: ChatMessage = {
    role: "user",
    content: entry.image === true ? [{ type: "text", text }, image] : text,
  };
  const system = AGENTS.get(entry.agent ?? "");
  return {
    model: "Router#best",
    messages: system === undefined ? [user] : [{ role: "system", content: system }, user],
    ...(system === undefined ? {} : { tools: toolsOf(entry.agent === "code" ? CODE_TOOLS : DESK_TOOLS) }),
    ...(entry.schema === true ? { response_format: SCHEMA } : {}),
  };
}

function toolsOf(names: string): Tool[] {
  return names.split(" ").map((name) => ({
    type: "function",
    function: {
      name,
      description: `Use this to ${name.replaceAll("_", " ")}.`,
      parameters: { type: "object", properties: { input: { type: "string" } }, required: ["input"] },
    },
  }));
}

function paste({ text, paste: wanted }: Entry): string {
  if (wanted === undefined) return text;
  const paragraphs = PARAGRAPHS.get(wanted.of) ?? [];
  let pasted = "";
  for (let at = 0; pasted.length < wanted.chars; at++)
    pasted += `${paragraphs[at % paragraphs.length]?.replaceAll("{n}", String(at + 1))}\n`;
  return wanted.first === true ? `${pasted}\n${text}` : `${text}\n\n${pasted}`;
}

/** The same task in a wrapping that doesn't change it. */
export const WRAPPINGS: Readonly<Record<string, (request: ChatRequest) => ChatRequest>> = {
  "company's system prompt": (request) => ({
    ...request,
    messages: [{ role: "system", content: data.company }, ...request.messages],
  }),
  "two needless tools": (request) => ({
    ...request,
    tools: [...(request.tools ?? []), ...toolsOf(NEEDLESS_TOOLS)],
  }),
  "a greeting and its answer before": (request) => ({
    ...request,
    messages: request.messages.flatMap((message): ChatMessage[] => {
      if (message.role !== "user") return [message];
      const before: ChatMessage[] = [
        { role: "user", content: "Hello!" },
        { role: "assistant", content: "Hello! How can I help you today?" },
      ];
      return [...before, message];
    }),
  }),
};

const SIX = new Set(["OpenAI", "Anthropic", "Google", "Mistral", "DeepSeek", "Groq"]);

/** The shipped models of a few providers, and a local server's as they are discovered: by name alone. */
export function listProviderSets(cards = loadShippedCards()): ReadonlyMap<string, readonly ModelCard[]> {
  const of = (wanted: (provider: string) => boolean) => cards.filter(({ provider }) => wanted(provider));
  return new Map([
    ["six providers", of((provider) => SIX.has(provider))],
    ...["OpenAI", "Anthropic", "OpenRouter"].map(
      (name) => [name, of((provider) => provider === name)] as const,
    ),
    [
      "Ollama, discovered",
      OLLAMA.map((name) => applyFreePrice(makeUnlistedCard("Ollama", name), OWN_SERVER)),
    ],
  ]);
}

const OWN_SERVER = { discovers: true };
const OLLAMA = ["llama3.2:3b", "qwen3:8b", "gemma3:12b", "mistral-small:24b", "gpt-oss:20b"] as const;
