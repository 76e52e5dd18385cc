// The guard's rules and their trial over HTTP: by a key's own rules, without a call, a row or an entry.
import { afterAll, beforeAll, expect, test } from "bun:test";
import { asArray, asObject, type JsonObject } from "../../src/core/json/json.ts";
import { createOperator, type Operator } from "../whole/world/operator.ts";
import { type HttpWorld, startHttpWorld } from "../whole/world/world.ts";

const RULES = `guard:
  rules:
    - { name: mails, detect: [email], accounts: [default] }
    - { name: cards, detect: [card], keys: [] }
    - { name: cheap, detect: ["words:names"], models: ["Acme#cheap"] }
    - { name: answers, detect: [email, card], at: [answer] }
  words: { names: [Kestrel GmbH] }
  allow: ["*@own.example.net"]
`;
const TEXT = "ada@corp-x.de 4532 0151 1283 0366 Kestrel GmbH";

let world: HttpWorld;
let operator: Operator;
beforeAll(async () => {
  world = await startHttpWorld({ more: RULES });
  operator = createOperator(world);
});
afterAll(() => world.stop());

async function tryIt(body: JsonObject) {
  const answer = await operator.post("/guard/try", body);
  const found = asArray(answer.body.findings).map(asObject);
  return { ...answer, found: found.map(({ path, detector, rule }) => [path, detector, rule].join(" ")) };
}

test("shows rules with their detectors, and of words only how many there are", async () => {
  const { body } = await operator.get("/guard");
  expect(body).toMatchObject({
    version: expect.stringMatching(/^[0-9a-f]{16}$/),
    words: [{ name: "names", count: 1 }],
    allow: ["*@own.example.net"],
    constraints: "refuse",
  });
  expect(asArray(body.rules)[1]).toEqual({
    name: "cards",
    detect: ["card"],
    action: "report",
    at: ["request"],
    keys: [],
    accounts: ["*"],
    models: ["*"],
    providers: ["*"],
    attachments: "pass",
  });
  expect(JSON.stringify(body)).not.toContain("Kestrel");
});

test("without a key all rules of the place apply, and the text is returned as it leaves", async () => {
  const { body, found } = await tryIt({ text: TEXT });
  expect(found).toEqual([" email mails", " card cards", " words:names cheap"]);
  expect(body.text).toBe(TEXT);
  expect(asArray(body.findings)[0]).toEqual({
    path: null,
    from: 0,
    to: 13,
    detector: "email",
    action: "report",
    rule: "mails",
  });
  expect((await tryIt({ text: TEXT, at: "answer" })).found).toEqual([" email answers", " card answers"]);
});

test("with a key its own rules apply, and those whose patterns it matches", async () => {
  const key = await operator.post("/keys", { name: "plain" });
  const guarded = await operator.post("/keys", { name: "guarded", guard: ["cards"] });
  const { body: account } = await operator.post("/accounts", { name: "Other" });
  const foreign = await operator.post("/keys", { name: "foreign", account_id: account.id });
  const of = async (made: { readonly body: JsonObject }) =>
    (await tryIt({ text: TEXT, key_id: String(made.body.id) })).found;
  expect(await of(key)).toEqual([" email mails", " words:names cheap"]);
  expect(await of(guarded)).toEqual([" email mails", " card cards", " words:names cheap"]);
  expect(await of(foreign)).toEqual([" words:names cheap"]);
  const ask = (model: string) =>
    tryIt({
      path: "/v1/chat/completions",
      body: { model, messages: [{ role: "user", content: TEXT }] },
      key_id: String(key.body.id),
    });
  expect((await ask("Acme#cheap")).found).toEqual([
    "messages[0].content email mails",
    "messages[0].content words:names cheap",
  ]);
  expect((await ask("Acme#dear")).found).toEqual(["messages[0].content email mails"]);
});

test("asks nobody, and leaves no row and no entry", async () => {
  world.callsSince();
  const before = await operator.get("/audit?limit=1");
  await tryIt({ text: TEXT });
  expect(world.callsSince()).toBe(0);
  expect((await operator.get("/audit?limit=1")).body.data).toEqual(before.body.data);
  expect(asArray((await operator.get("/requests")).body.data)).toEqual([]);
});

test.each([
  [{}, "text"],
  [{ text: "x", path: "/v1/messages" }, "path"],
  [{ path: "/v1/mesages", body: {} }, "did you mean /v1/messages?"],
  [{ path: "/v1/messages" }, "body"],
  [{ text: "x", at: "answers" }, "at"],
  [{ text: "x", key_id: "none" }, "There is no key with that id."],
  [{ path: "/v1/messages", body: {} }, "model"],
])("a mistake names what is wrong: %j", async (body, words) => {
  const { status, body: answer } = await operator.post("/guard/try", body);
  expect(status).toBeGreaterThanOrEqual(400);
  expect(String(asObject(answer.error).message)).toContain(words);
});

test("a body above 1 MB is refused", async () => {
  expect((await operator.post("/guard/try", { text: "x".repeat(1024 * 1024) })).status).toBe(413);
});
