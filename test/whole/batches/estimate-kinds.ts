// Kinds of batches, with the lengths that prompts and answers of their kind have. `long N` has the simulated models
// write N words, of about 1.8 tokens each.

export interface Kind {
  readonly name: string;
  readonly endpoint: string;
  readonly body: (at: number) => object;
}

const SMALL = "OpenAI#gpt-4.1-mini";
const CLAUDE = "Anthropic#claude-haiku-4-5";
const TOKENS_PER_WORD = 1.8;

/** Lengths differ from line to line by up to a quarter. */
function ask(outputTokens: number, at: number): string {
  const words = Math.round((outputTokens / TOKENS_PER_WORD) * (0.75 + (at % 5) / 8));
  return `Question ${at}: long ${words}`;
}

/** Text of about so many tokens. */
function prose(tokens: number): string {
  return "The tide rises twice a day along most coasts, and each harbour keeps its own table. ".repeat(
    Math.ceil(tokens / 21),
  );
}

const FACTS = {
  type: "object",
  properties: Object.fromEntries(
    ["title", "author", "language", "summary", "mood"].map((name) => [name, { type: "string" }]),
  ),
  required: ["title", "author", "language", "summary", "mood"],
  additionalProperties: false,
};
const REPORT = {
  type: "object",
  properties: { city: { type: "string" }, days: { type: "integer" }, text: { type: "string" } },
  required: ["city", "days", "text"],
};
const PICTURE = `data:image/png;base64,${"iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJ".repeat(40)}`;

function chat(name: string, content: (at: number) => unknown, more: object = {}): Kind {
  const endpoint = "/v1/chat/completions";
  return {
    name,
    endpoint,
    body: (at) => ({ model: SMALL, messages: [{ role: "user", content: content(at) }], ...more }),
  };
}

function messages(name: string, content: (at: number) => string, more: object): Kind {
  const body = (at: number) => ({
    model: CLAUDE,
    messages: [{ role: "user", content: content(at) }],
    ...more,
  });
  return { name, endpoint: "/v1/messages", body };
}

function other(name: string, endpoint: string, body: (at: number) => object): Kind {
  return { name, endpoint, body };
}

function conversation(at: number): object {
  const earlier = Array.from({ length: 6 }, (_, turn) => ({
    role: turn % 2 === 0 ? "user" : "assistant",
    content: prose(150),
  }));
  const turns = [
    { role: "system", content: prose(200) },
    ...earlier,
    { role: "user", content: ask(180, at) },
  ];
  return { model: SMALL, messages: turns };
}

const CHATS: readonly Kind[] = [
  chat("short question", (at) => ask(60, at)),
  chat("short question, longer answer", (at) => ask(250, at)),
  chat("short question, max_tokens 50", (at) => ask(90, at), { max_tokens: 50 }),
  chat("short question, max_tokens 4,000", (at) => ask(150, at), { max_tokens: 4000 }),
  chat("essay of 1,200 tokens", (at) => ask(1200, at)),
  chat("classification of 600 tokens", (at) => `${prose(600)} ${ask(8, at)}`),
  chat("classification, max_tokens 5", (at) => `${prose(600)} ${ask(8, at)}`, { max_tokens: 5 }),
  chat("summary of 4,000 tokens", (at) => `${prose(4000)} ${ask(300, at)}`),
  chat("report on 15,000 tokens", (at) => `${prose(15_000)} ${ask(800, at)}`),
  chat("three answers each", (at) => ask(100, at), { n: 3 }),
  other("conversation of eight turns", "/v1/chat/completions", conversation),
  chat("JSON by a schema", (at) => `Text ${at}: ${prose(300)}`, {
    response_format: { type: "json_schema", json_schema: { name: "facts", schema: FACTS, strict: true } },
  }),
  chat("tools", (at) => `call report({"city":"Town ${at}","days":${at % 7},"text":"${prose(60)}"})`, {
    tools: [{ type: "function", function: { name: "report", parameters: REPORT } }],
  }),
  chat("pictures", (at) => [
    { type: "text", text: ask(120, at) },
    { type: "image_url", image_url: { url: PICTURE } },
  ]),
];

const OTHERS: readonly Kind[] = [
  messages("Messages, thinking", (at) => `${prose(150)} ${ask(250, at)}`, {
    max_tokens: 8000,
    thinking: { type: "enabled", budget_tokens: 2000 },
  }),
  messages("Messages, max_tokens 1,024", (at) => ask(200, at), { max_tokens: 1024 }),
  other("Responses", "/v1/responses", (at) => ({ model: SMALL, input: `${prose(400)} ${ask(150, at)}` })),
  other("embeddings", "/v1/embeddings", (at) => ({
    model: "OpenAI#text-embedding-3-small",
    input: [prose(100 + at), prose(300)],
  })),
  other("moderations", "/v1/moderations", (at) => ({
    model: "Mistral#mistral-moderation-latest",
    input: prose(80 + at),
  })),
  other("rerank", "/v1/rerank", (at) => ({
    model: "Voyage#rerank-2.5",
    query: `Which harbour is number ${at}?`,
    documents: Array.from({ length: 20 }, () => prose(120)),
  })),
  other("images", "/v1/images/generations", (at) => ({
    model: "OpenAI#gpt-image-2",
    prompt: `Harbour ${at}, at low tide`,
    size: "1024x1024",
    quality: "medium",
  })),
  other("legacy completions", "/v1/completions", (at) => ({
    model: "Texts#coder",
    prompt: `${prose(200)} ${at}`,
    max_tokens: 60,
  })),
];

export const KINDS: readonly Kind[] = [...CHATS, ...OTHERS];

/** A provider of legacy completions, and the price of a model that the catalogue has none of. */
export function configureKinds(simulator: string): string {
  const coder =
    "{ name: coder, operations: [completion], context: 8000, output: 1000, price: { input: 1, output: 2 } }";
  return `  Texts: { keys: [sim], dialect: openai, base_url: "${simulator}/openai/v1", models: [${coder}] }
models:
  "Mistral#mistral-moderation-latest": { price: { input: 0.1, output: 0 } }`;
}
