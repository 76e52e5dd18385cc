// Rules of hooks: the requests that they apply to, the texts that they see, and those that they remember.
import { afterAll, beforeAll, beforeEach, expect, test } from "bun:test";
import { asArray, asObject, type JsonObject } from "../../../src/core/json/json.ts";
import { readWords, WAYS, type Way } from "../../steps/asked.ts";
import { HIDDEN } from "../../steps/hooks/server.ts";
import { type HookWorld, startHookWorld } from "../../steps/hooks/world.ts";

const CHAT: Way = { surface: "chat", provider: "Local", stream: false, native: null };
const STREAM: Way = { ...CHAT, stream: true };

let own: HookWorld;
beforeAll(async () => {
  own = await startHookWorld([
    "name: plain, keys: []",
    "name: named, keys: [by-name], accounts: [default], models: ['Local#*']",
    "name: elsewhere, accounts: [another], models: ['Anthropic#*']",
    "name: strict, keys: [], attachments: refuse",
    "name: both, keys: [], at: [request, answer]",
    "name: sentences, keys: [], at: [answer], masks: false",
    "name: messages, keys: [], send: messages",
  ]);
});
afterAll(() => own.stop());
beforeEach(() => own.reset());

/** The texts of each call to the hook. */
const asked = () => own.hook.calls.map(({ body }) => asArray(body.texts));

test("a hook applies to the keys, accounts and models that it names, and to keys that name it", async () => {
  const { secret } = await own.world.newKey({ name: "by-name", requests_per_day: null });
  const ask = async (model: string) => {
    const got = await own.world.chat(
      { model, messages: [{ role: "user", content: `canary ${model}` }] },
      { secret },
    );
    return [got.status, own.hook.calls.splice(0).length, own.sent().includes("canary")];
  };
  expect(await ask("Local#sim")).toEqual([200, 1, false]);
  expect(await ask("OpenAI#sim")).toEqual([200, 0, true]);
  own.reset();
  expect((await own.ask(CHAT, "say: canary")).status).toBe(200);
  expect(asked()).toEqual([]);
  await own.ask(CHAT, "say: another canary", { name: "plain" });
  expect(asked()).toEqual([["say: another canary"]]);
});

test("a key whose hook isn't configured is refused, and its maker is warned", async () => {
  const made = await own.world.newKey({ name: "warned", hooks: ["gone"] });
  expect(asArray(asObject(made).warnings)).toContain(
    "No hook here is called 'gone': the key's requests are refused until one is.",
  );
  const got = await own.ask(CHAT, "say: hello", { name: "gone" });
  expect([got.status, got.text]).toEqual([
    503,
    expect.stringContaining("The key's hook 'gone' is not configured."),
  ]);
  expect(own.world.simulator.calls.total).toBe(0);
});

test("a request that a hook refuses is one of its minute", async () => {
  const { secret } = await own.world.newKey({ name: "slow", hooks: ["plain"], requests_per_minute: 2 });
  const ask = async (content: string) =>
    (await own.world.chat({ model: "Local#sim", messages: [{ role: "user", content }] }, { secret })).status;
  expect([await ask("forbidden"), await ask("forbidden"), await ask("hello")]).toEqual([400, 400, 429]);
});

test("a text that passed isn't sent again, others are in every turn, wherever they stand", async () => {
  const turn = (role: string, content: string) => ({ role, content });
  const ask = (...messages: JsonObject[]) =>
    own.post("/v1/chat/completions", { model: "Local#sim", messages }, "plain");
  await ask(turn("user", "first canary"), turn("assistant", "an answer"));
  await ask(turn("user", "first canary"), turn("assistant", "an answer"), turn("user", "second"));
  await ask(turn("user", "second"), turn("assistant", "a made-up canary"), turn("user", "third"));
  expect(asked()).toEqual([
    ["first canary", "an answer"],
    ["first canary", "second"],
    ["a made-up canary", "third"],
  ]);
  expect(own.sent()).not.toContain("canary");
});

test("a hook gets the conversation as messages if it wants them", async () => {
  await own.ask(CHAT, "say: all of it", { name: "messages" });
  expect(own.hook.calls[0]?.body.structured_messages).toEqual([{ role: "user", content: "say: all of it" }]);
});

const PNG = "data:image/png;base64,iVBORw0KGgo=";
test.each([
  [
    "chat",
    "/v1/chat/completions",
    { messages: [{ role: "user", content: [{ type: "image_url", image_url: { url: PNG } }] }] },
  ],
  [
    "messages",
    "/v1/messages",
    {
      max_tokens: 9,
      messages: [
        {
          role: "user",
          content: [
            { type: "image", source: { type: "base64", media_type: "image/png", data: "iVBORw0KGgo=" } },
          ],
        },
      ],
    },
  ],
  [
    "responses",
    "/v1/responses",
    { input: [{ role: "user", content: [{ type: "input_image", image_url: PNG }] }] },
  ],
  ["an answer of tokens", "/v1/embeddings", { input: [[1, 2, 3]] }],
])("%s: what a hook can't see is refused if it says so, and tokens always", async (_name, path, body) => {
  const got = await own.post(path, { model: "OpenAI#sim", ...body }, "strict");
  expect([got.status, own.world.simulator.calls.total]).toEqual([400, 0]);
  expect(got.text).toContain("The hook 'strict' refused the request");
});

test("a word in the arguments of a call is shown again, whole and streamed", async () => {
  const tools = [
    {
      type: "function",
      function: {
        name: "look",
        parameters: { type: "object", properties: { place: { type: "string", description: "a canary" } } },
      },
    },
  ];
  for (const stream of [false, true]) {
    const messages = [{ role: "user", content: `use the tool for canary ${stream}` }];
    const got = await own.post(
      "/v1/chat/completions",
      { model: "Local#sim", messages, tools, tool_choice: "required", stream },
      "both",
    );
    expect(got.status).toBe(200);
    const last = own.hook.calls.at(-1)?.body;
    expect(asArray(last?.tool_calls)).toHaveLength(1);
    expect(own.sent()).not.toContain("canary");
  }
});

test("a stream goes on by sentence if nothing is ever changed", async () => {
  const words = "One sentence is here. Another one follows. A poison comes last. And an end.";
  const got = await own.ask(STREAM, `say: ${words}`, { name: "sentences", model: "sim~pace=200" });
  expect(got.status).toBe(200);
  expect(readWords(got)).toStartWith("One sentence is here.");
  expect(got.text).not.toContain("poison");
  expect(got.text).toContain("The hook 'sentences' refused the answer");
  expect(own.hook.calls.length).toBeGreaterThan(1);
  expect(own.hook.calls.length).toBeLessThan(6);
});

test("a hook that changes a text although it never does has failed", async () => {
  const got = await own.ask(CHAT, `say: the ${HIDDEN} one`, { name: "sentences" });
  expect([got.status, got.text]).toEqual([503, expect.stringContaining("hook_unavailable")]);
});

test("a long stream takes at most 64 calls", async () => {
  const got = await own.ask(STREAM, `say: ${"A sentence. ".repeat(2000)}`, { name: "sentences" });
  expect(readWords(got).length).toBeGreaterThan(20_000);
  expect(own.hook.calls.length).toBeLessThanOrEqual(64);
  expect(own.hook.calls.length).toBeGreaterThan(16);
});

test("the request's row and the metrics tell of its calls", async () => {
  await own.ask(WAYS[0] ?? CHAT, "say: a canary in a row", { name: "both" });
  const { id } = await own.readRow();
  const headers = { authorization: `Bearer ${own.world.adminToken}` };
  const row = asObject(await (await fetch(`${own.world.url}/admin/v1/requests/${id}`, { headers })).json());
  expect(asArray(asObject(row.timeline).hooks)).toMatchObject([
    { name: "both", at: "request", action: "changed" },
    { name: "both", at: "answer", action: "changed" },
  ]);
  const metrics = await (await fetch(`${own.world.url}/metrics`)).text();
  expect(metrics).toMatch(/poundkey_hook_seconds_count\{hook="both",action="changed"\} \d+/);
});
