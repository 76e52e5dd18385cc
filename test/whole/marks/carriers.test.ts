// Marks for the cache as they reach each carrier of Claude: where they stand, for how long, and which word of the operator's sets
// them.
import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { noteMarks } from "../../../src/app/models/claude-providers.ts";
import { asArray, asObject, isObject, type JsonObject, parseJson } from "../../../src/core/json/json.ts";
import { type Setup, startUnderTest, type UnderTest } from "../../harness/harness.ts";
import { readSettings } from "../../harness/settings.ts";
import { createBatch, makeClients, until } from "../batches/batch-bench.ts";
import { createOperator } from "../world/operator.ts";
import { startPlatformWorld } from "../world/platform-world.ts";

const PRICE = "{ input: 2, output: 10, cached_input: 0.2, cache_write: 2.5, cache_write_1h: 4 }";
/** The carriers, with the operator's word for all of them, or without any. */
function writeProviders(mode: string, url = "http://127.0.0.1:9"): string {
  const word = mode === "" ? "" : `, cache_marks: ${mode}`;
  const row = (name: string) => `{ name: ${name}, context: 200000, output: 1000, price: ${PRICE} }`;
  return [
    `  Own: { dialect: anthropic, base_url: "${url}", keys: [k], models: [${row("claude-sonnet-5")}]${word} }`,
    `  Azure: { base_url: "${url}/openai/v1", keys: [k], models: [{ name: claude-sonnet-5 }]${word} }`,
    `  Cloud: { platform: bedrock, region: us-east-1, base_url: "${url}", keys: [k], models: [${row("us.anthropic.claude-sonnet-5")}, ${row('"us.amazon.nova-2-lite-v1:0"')}, ${row("meta.llama3-3-70b-instruct-v1:0")}]${word} }`,
    `  OpenRouter: { base_url: "${url}/api/v1", keys: [k], models: [${row("anthropic/claude-sonnet-5")}, ${row("openai/gpt-5.4")}]${word} }`,
  ].join("\n");
}

let sent: JsonObject = {};
const USAGE = { prompt_tokens: 5000, completion_tokens: 1, total_tokens: 5001 };

/** Answers in the words of the API that is asked. */
const answer: Setup["fetch"] = async (url, init) => {
  sent = asObject(parseJson(await new Request(url, init).text()));
  if (url.includes("/converse"))
    return Response.json({
      output: { message: { role: "assistant", content: [{ text: "hi" }] } },
      stopReason: "end_turn",
      usage: { inputTokens: 5000, outputTokens: 1, totalTokens: 5001 },
    });
  if (url.includes("/chat/completions")) {
    const message = { role: "assistant", content: "hi" };
    const choices = [{ index: 0, message, finish_reason: "stop" }];
    return Response.json({
      id: "c",
      object: "chat.completion",
      created: 1,
      model: "m",
      choices,
      usage: USAGE,
    });
  }
  return Response.json({
    id: "msg_1",
    type: "message",
    role: "assistant",
    model: "m",
    content: [{ type: "text", text: "hi" }],
    stop_reason: "end_turn",
    usage: { input_tokens: 5000, output_tokens: 1 },
  });
};

/** Lists the marks of a body with their places, and with their times unless that is the usual one. */
function listMarks(value: unknown, place: readonly string[] = []): readonly string[] {
  if (Array.isArray(value)) return value.flatMap((one, at) => listMarks(one, [...place, String(at)]));
  if (!isObject(value)) return [];
  const { cache_control: mark, cachePoint: point = mark } = value;
  const time = asObject(point).ttl;
  const own = point === undefined ? [] : [[place.join("."), ...(time === undefined ? [] : [time])].join(" ")];
  return [...own, ...Object.entries(value).flatMap(([name, one]) => listMarks(one, [...place, name]))];
}

const tool = (name: string) => ({ type: "function", function: { name, parameters: { type: "object" } } });
const LONG_TEXT = "lorem ipsum ".repeat(1000);
const CALL = { id: "c1", type: "function", function: { name: "look", arguments: "{}" } };
let opened = 0;
/** A turn that doesn't show that it goes on: no other has its first message. */
const makeQuestion = (): readonly object[] => [
  { role: "system", content: "Be brief." },
  { role: "user", content: `${++opened} ${LONG_TEXT}` },
];
/** Goes on with a tool's result. */
const makeLoop = (): readonly object[] => [
  ...makeQuestion(),
  { role: "assistant", content: null, tool_calls: [CALL] },
  { role: "tool", tool_call_id: "c1", content: "It is there." },
];
const TOOLS = [tool("look"), tool("go")];

let world: UnderTest;
async function ask(
  model: string,
  messages: readonly object[],
  more: object = {},
): Promise<readonly string[]> {
  const response = await world.chat({ model, messages, tools: TOOLS, ...more });
  expect([response.status, await response.text()]).toEqual([200, expect.any(String)]);
  return listMarks(sent).toSorted();
}

/** The places of the marks in a conversation. */
const IN_MESSAGES = ["messages.0.content.0", "messages.2.content.0", "system.0", "tools.1"];
const IN_CHAT = ["messages.0.content.0", "messages.1.content.0", "messages.3.content.0", "tools.1"];
/** No marks stand among Nova's tools. */
const AT_NOVA = ["messages.0.content.1", "messages.2.content.1", "system.1"];

/** False for the mark of the tool's result. */
const isInQuestion = (place: string) => !/^messages\.[23]\./.test(place);

const CARRIERS: readonly (readonly [model: string, marks: readonly string[], hour: string])[] = [
  ["Own#claude-sonnet-5", IN_MESSAGES, " 1h"],
  ["Azure#claude-sonnet-5", IN_MESSAGES, " 1h"],
  ["Cloud#us.anthropic.claude-sonnet-5", IN_MESSAGES, " 1h"],
  ["Cloud#us.amazon.nova-2-lite-v1:0", AT_NOVA, ""],
  ["OpenRouter#anthropic/claude-sonnet-5", IN_CHAT, " 1h"],
];
const OTHERS = ["Cloud#meta.llama3-3-70b-instruct-v1:0", "OpenRouter#openai/gpt-5.4"];

describe("by default", () => {
  beforeAll(async () => {
    world = await startUnderTest({ fetch: answer, more: (url) => writeProviders("", url) });
  });
  afterAll(() => world.stop());

  test.each(CARRIERS)(
    "%s gets the marks of a conversation, for an hour where that is asked",
    async (...row) => {
      const [model, marks, hour] = row;
      expect(await ask(model, makeLoop())).toEqual(marks);
      expect(await ask(model, makeLoop(), { prompt_cache_retention: "24h" })).toEqual(
        marks.map((mark) => mark + hour),
      );
      expect(await ask(model, makeQuestion())).toEqual([]);
      const { body } = await createOperator(world).get("/requests?limit=3");
      const marked = asArray(body.data).map((one) => asObject(one).cache_marked);
      expect(marked).toEqual([null, hour === "" ? "5m" : "1h", "5m"]);
    },
  );

  test.each(OTHERS)("%s gets none", async (model) => {
    expect(await ask(model, makeLoop())).toEqual([]);
  });

  test("a client's own mark is the only one", async () => {
    const marked = { type: "text", text: LONG_TEXT, cache_control: { type: "ephemeral" } };
    const messages = makeLoop().with(1, { role: "user", content: [marked] });
    expect(await ask("Own#claude-sonnet-5", messages)).toEqual(["messages.0.content.0"]);
    expect(await ask("OpenRouter#anthropic/claude-sonnet-5", messages)).toEqual(["messages.1.content.0"]);
  });

  test("the lines of a batch get none", async () => {
    const { openai } = makeClients(world.url, world.secret);
    const body = { model: "Own#claude-sonnet-5", messages: makeLoop(), tools: TOOLS };
    const line = { custom_id: "a", method: "POST", url: "/v1/chat/completions", body };
    const { id } = await createBatch(openai, [line]);
    sent = {};
    const ended = await until(
      () => openai.batches.retrieve(id),
      ({ status }) => status === "completed" || status === "failed",
    );
    expect(ended.request_counts).toMatchObject({ completed: 1 });
    expect([asArray(sent.messages).length, listMarks(sent)]).toEqual([3, []]);
  });
});

describe.each(["auto", "off"])("with %s", (mode) => {
  beforeAll(async () => {
    world = await startUnderTest({ fetch: answer, more: (url) => writeProviders(mode, url) });
  });
  afterAll(() => world.stop());

  test.each(CARRIERS)("%s gets marks on every request, or on none", async (model, marks) => {
    expect(await ask(model, makeLoop())).toEqual(mode === "off" ? [] : marks);
    expect(await ask(model, makeQuestion())).toEqual(mode === "off" ? [] : marks.filter(isInQuestion));
  });

  test("another family at OpenRouter and a request in the provider's own API get none", async () => {
    for (const model of OTHERS) expect(await ask(model, makeLoop())).toEqual([]);
    const response = await fetch(`${world.url}/v1/messages`, {
      method: "POST",
      headers: { authorization: `Bearer ${world.secret}`, "content-type": "application/json" },
      body: JSON.stringify({
        model: "Own#claude-sonnet-5",
        max_tokens: 50,
        messages: [{ role: "user", content: LONG_TEXT }],
      }),
    });
    expect([response.status, listMarks(sent)]).toEqual([200, []]);
  });
});

test("Claude on Vertex gets the marks of a conversation", async () => {
  const { cloud, post, stop } = await startPlatformWorld();
  const asked = { model: "Vertex#claude-sonnet-5@default", messages: makeLoop(), tools: TOOLS };
  for (const [kept, time] of Object.entries({ in_memory: "", "24h": " 1h" })) {
    const { status } = await post("/v1/chat/completions", { ...asked, prompt_cache_retention: kept });
    const marks = listMarks(cloud.calls.at(-1)?.body).toSorted();
    expect([status, marks]).toEqual([200, IN_MESSAGES.map((mark) => mark + time)]);
  }
  await stop();
});

test.each([
  ["", ["Own", "Azure", "Cloud", "OpenRouter"]],
  ["conversations", []],
  ["off", []],
])("with the word '%s', the start names the providers that the default marks", (mode, named) => {
  const logged: unknown[] = [];
  noteMarks(readSettings(`providers:\n${writeProviders(mode)}`), (event) => logged.push(event));
  expect(logged).toEqual(named.map((provider) => ({ event: "cache_marks_on", level: "info", provider })));
});
