// The guard over HTTP: the requests that rules apply to, and what is found in requests and answers.
import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { asArray, asObject, type JsonObject } from "../../../src/core/json/json.ts";
import { nameWay, WAYS } from "../../steps/asked.ts";
import { type GuardWorld, startGuardWorld } from "./world.ts";

const CARD = "4532 0151 1283 0366";
const BARE = 4532015112830366;
const CHAT = "/v1/chat/completions";

const RULES = `
guard:
  rules:
    - { name: people, detect: [email, "words:customers"], at: [request, answer] }
    - { name: cards, detect: [finance], keys: [] }
    - { name: again, detect: [email, card], keys: [], accounts: [default] }
    - { name: elsewhere, detect: [card], accounts: [another] }
    - { name: abroad, detect: [card], providers: ["!OpenAI"], keys: [abroad] }
    - { name: files, detect: [card], keys: [], attachments: refuse }
  words: { customers: "Kestrel GmbH" }
  allow: ["*@corp.example"]
`;

let own: GuardWorld;
beforeAll(async () => {
  own = await startGuardWorld(RULES);
});
afterAll(() => own.stop());

const chat = (content: unknown, more: JsonObject = {}): JsonObject => ({
  model: "Local#sim",
  messages: [{ role: "user", content }],
  ...more,
});
const newKey = async (fields: JsonObject) =>
  (await own.world.newKey({ requests_per_day: null, ...fields })).secret;

describe.each(WAYS.map((way) => [nameWay(way), way] as const))("%s", (_name, way) => {
  test("values are counted in the request and in its answer, each once", async () => {
    const { status, findings, times } = await own.ask(
      way,
      "say: ada@corp-x.de kestrel  gmbh ADA@corp.example",
    );
    expect(status).toBe(200);
    expect(findings.toSorted()).toEqual([
      "1 email at answer: report by people",
      "1 email at request: report by people",
      "1 words:customers at answer: report by people",
      "1 words:customers at request: report by people",
    ]);
    expect(times?.request).toBeGreaterThan(0);
  });
});

test("a key adds rules, which apply whatever their patterns of keys and models say", async () => {
  const secret = await newKey({ name: "adds", guard: ["again", "cards"] });
  const { findings } = await own.look(CHAT, chat(`${CARD} and ada@corp-x.de`), secret);
  expect(findings.slice(0, 2)).toEqual([
    "1 email at request: report by people",
    "1 card at request: report by cards",
  ]);
  expect((await own.look(CHAT, chat(CARD))).findings).toEqual([]);
});

test("a key whose rule isn't there is refused, and its maker is warned", async () => {
  const made = await own.world.newKey({ name: "gone", guard: ["gone"] });
  expect(asArray(asObject(made).warnings)).toContain(
    "No rule of the guard here is called 'gone': the key's requests are refused until one is.",
  );
  const got = await own.post(CHAT, chat("hello"), made.secret);
  expect([got.status, got.text]).toEqual([
    503,
    expect.stringContaining("The key's rule 'gone' is not configured."),
  ]);
});

test("a request adds rules of its account, and another account's is one that isn't there", async () => {
  expect(await own.look(CHAT, chat(CARD, { guardrails: ["cards"] }))).toMatchObject({
    status: 200,
    findings: ["1 card at request: report by cards"],
  });
  for (const name of ["elsewhere", "nobody"]) {
    const { status, text } = await own.post(CHAT, chat(CARD, { guardrails: ["cards", name] }));
    expect([status, asObject(JSON.parse(text)).error]).toMatchObject([
      400,
      {
        code: "unsupported_parameter",
        param: "guardrails[1]",
        message: `No guard rule is named '${name}'. Those that the operator set for this key apply unnamed.`,
      },
    ]);
  }
});

test("a rule may leave out the models of a provider", async () => {
  const secret = await newKey({ name: "abroad" });
  const ask = async (model: string) => (await own.look(CHAT, { ...chat(CARD), model }, secret)).findings;
  expect(await ask("OpenAI#sim")).toEqual([]);
  expect(await ask("Local#sim")).toEqual(["1 card at request: report by abroad"]);
});

test("integers and fields' names in the client's own JSON are texts", async () => {
  const call = (name: string, given: string) => ({
    id: `call_${name}`,
    type: "function",
    function: { name, arguments: given },
  });
  const parameters = { type: "object", properties: { card: { type: "integer", enum: [BARE] } } };
  const body = chat("hello", {
    guardrails: ["cards"],
    messages: [
      { role: "user", content: "hello" },
      {
        role: "assistant",
        tool_calls: [call("one", `{"a":[1, ${BARE}]}`), call("two", '{"ada@corp-x.de":1}')],
      },
      { role: "tool", tool_call_id: "call_one", content: "done" },
      { role: "tool", tool_call_id: "call_two", content: "done" },
    ],
    tools: [{ type: "function", function: { name: "one", parameters } }],
  });
  expect((await own.look(CHAT, body)).findings.toSorted()).toEqual([
    "1 card at request: report by cards",
    "1 email at request: report by people",
  ]);
  const only = { type: "function", function: { name: "one", parameters } };
  expect((await own.look(CHAT, chat("hello", { guardrails: ["cards"], tools: [only] }))).findings).toEqual([
    "1 card at request: report by cards",
  ]);
});

test("what was found is found again in the next turn, in texts that are remembered", async () => {
  const long = `${"A long text. ".repeat(100)} ada@corp-x.de`;
  const first = await own.look(CHAT, chat(long));
  expect(first.findings).toContain("1 email at request: report by people");
  expect((await own.look(CHAT, chat(long))).findings).toEqual(first.findings);
  // Other rules look for other values in the same text.
  const both = await own.look(CHAT, chat(`${long} ${CARD}`));
  const cards = await own.look(CHAT, chat(`${long} ${CARD}`, { guardrails: ["cards"] }));
  expect([both.findings, cards.findings]).toEqual([
    first.findings,
    expect.arrayContaining(["1 card at request: report by cards"]),
  ]);
});

test("a rule may refuse attachments", async () => {
  const secret = await newKey({ name: "files", guard: ["files"] });
  const picture = { type: "image_url", image_url: { url: "data:image/png;base64,iVBORw0KGgo=" } };
  const { status, text } = await own.post(CHAT, chat([picture]), secret);
  expect([status, asObject(JSON.parse(text)).error]).toMatchObject([
    400,
    { code: "content_blocked", reason: "pictures, sounds and files are refused" },
  ]);
});

test("other operations are searched too", async () => {
  const { findings } = await own.look("/v1/embeddings", {
    model: "OpenAI#sim",
    input: ["x", "ada@corp-x.de"],
  });
  expect(findings).toEqual(["1 email at request: report by people"]);
});

test("a large hostile text is searched to its end", async () => {
  const text = `${"4".repeat(2_000_000)} ${"a@".repeat(500_000)} ada@corp-x.de`;
  const { status, findings } = await own.look(CHAT, chat(text));
  expect([status, findings[0]]).toEqual([200, "1 email at request: report by people"]);
});
