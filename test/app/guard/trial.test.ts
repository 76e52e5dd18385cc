// A trial shows what would leave: as the provider of a real request gets it, with the same codes for a key's account.
import { afterAll, beforeAll, expect, test } from "bun:test";
import { asArray, asObject, type JsonObject } from "../../../src/core/json/json.ts";
import { makeRequest, nameWay, WAYS } from "../../steps/asked.ts";
import { type GuardWorld, startGuardWorld } from "../../whole/guard/world.ts";
import { createOperator, type Operator } from "../../whole/world/operator.ts";

const ADDRESS = "ada@corp-x.de";
const OTHER = "bob@corp-x.de";
const CARD = "4532 0151 1283 0366";
const NHS = "943 476 5870";
const CODE = /<EMAIL_[0-9A-Z]{8}>/;
let own: GuardWorld;
let operator: Operator;
beforeAll(async () => {
  own = await startGuardWorld(`
guard:
  rules:
    - { name: people, detect: [email], action: swap }
    - { name: ids, detect: [uk_nhs], action: mask }
    - { name: cards, detect: [card], action: refuse }
    - { name: numbers, detect: [ip], attachments: refuse }
    - { name: said, detect: [email], action: mask, at: [answer] }
`);
  operator = createOperator(own.world);
});
afterAll(() => own.stop());

async function tryIt(body: JsonObject) {
  const answer = await operator.post("/guard/try", body);
  expect(answer.status).toBe(200);
  const { text, body: shown } = answer.body;
  const found = asArray(answer.body.findings).map(asObject);
  return {
    found: found.map(({ path, detector, action }) => `${path}: ${detector} ${action}`),
    text: String(text),
    body: asObject(shown),
    json: JSON.stringify(shown),
  };
}

test("a text leaves masked and swapped, and as it came where it is refused or only reported", async () => {
  const { text, found } = await tryIt({ text: `${ADDRESS}, ${NHS}, ${CARD}, 93.184.216.34, ${ADDRESS}` });
  expect(text).toMatch(
    new RegExp(`^(${CODE.source}), \\[NHS\\], ${CARD}, 93\\.184\\.216\\.34, (${CODE.source})$`),
  );
  const [, first, second] = /^(<.*?>).*(<.*>)$/.exec(text) ?? [];
  expect(first).toBe(String(second));
  expect(found).toEqual([
    "null: email swap",
    "null: uk_nhs mask",
    "null: card refuse",
    "null: ip report",
    "null: email swap",
  ]);
  expect((await tryIt({ text: `Ask ${ADDRESS}.`, at: "answer" })).text).toBe("Ask [EMAIL].");
});

test("codes are those of the key's account, and without a key of one trial alone", async () => {
  const make = async (more: JsonObject) => String((await operator.post("/keys", more)).body.id);
  const { body: account } = await operator.post("/accounts", { name: "Other" });
  const [one, same, foreign] = [
    await make({ name: "one" }),
    await make({ name: "same" }),
    await make({ name: "foreign", account_id: account.id }),
  ];
  const read = async (key?: string) =>
    CODE.exec((await tryIt({ text: ADDRESS, ...(key === undefined ? {} : { key_id: key }) })).text)?.[0];
  const code = await read(one);
  expect(code).toMatch(CODE);
  expect([await read(one), await read(same)]).toEqual([code, code]);
  const others = [await read(foreign), await read(), await read()];
  expect(new Set([code, ...others]).size).toBe(4);

  const before = own.world.simulator.calls.total;
  const { id, secret } = await own.world.newKey({ name: "asks", requests_per_day: null });
  await own.post(
    "/v1/chat/completions",
    { model: "Local#sim", messages: [{ role: "user", content: ADDRESS }] },
    secret,
  );
  const sent = JSON.stringify(own.world.simulator.calls.all().slice(before));
  expect(CODE.exec(sent)?.[0]).toBe(await read(id));
});

test.each(WAYS.map((way) => [nameWay(way), way] as const))(
  "%s: a body as its provider gets it",
  async (_, way) => {
    const { id } = await own.world.newKey({ name: "body", requests_per_day: null });
    const [path, body] = makeRequest(way, `Write to ${ADDRESS}, not ${NHS}.`);
    const tried = await tryIt({ path: path.replace(/\?.*/, ""), body, key_id: id });
    expect(tried.found.map((line) => line.replace(/.*: /, ""))).toEqual(["email swap", "uk_nhs mask"]);
    expect(tried.json).toMatch(/Write to <EMAIL_[0-9A-Z]{8}>, not \[NHS\]\./);
    expect(tried.json).not.toContain(ADDRESS);
    const code = CODE.exec(tried.json)?.[0] ?? "";
    expect(JSON.parse(tried.json.replace(code, ADDRESS).replace("[NHS]", NHS))).toEqual(body);
  },
);

test.each([
  ["/v1/embeddings", { model: "m", input: [`x ${ADDRESS}`] }, ["input"]],
  ["/v1/rerank", { model: "m", query: ADDRESS, documents: [OTHER, { text: NHS }] }, ["query", "documents"]],
  ["/v1/moderations", { model: "m", input: ADDRESS }, ["input"]],
  ["/v1/images/generations", { model: "m", prompt: ADDRESS, size: "1024x1024" }, ["prompt"]],
  ["/v1/audio/speech", { model: "m", input: ADDRESS, voice: "alloy" }, ["input"]],
  ["/v1/completions", { model: "m", prompt: `${ADDRESS} and ${NHS}` }, ["prompt"]],
  ["/v1/interactions", { model: "m", input: `${ADDRESS} and ${NHS}` }, ["input"]],
  ["/v1beta/models/m:embedContent", { content: { parts: [{ text: ADDRESS }] } }, ["content"]],
])("%s: the other fields of a body stay as they are", async (path, body, fields) => {
  const tried = await tryIt({ path, body });
  expect(tried.found.length).toBeGreaterThan(0);
  expect(tried.json).not.toMatch(/corp-x|943/);
  expect(Object.keys(tried.body).toSorted()).toEqual(Object.keys(body).toSorted());
  const others = Object.entries(body).filter(([name]) => !fields.includes(name));
  expect(tried.body).toMatchObject(Object.fromEntries(others));
});

test("a value is hidden at its place, and not where its word is missing before it", async () => {
  const messages = [
    { role: "user", content: "Order 943 476 5870 and 536904399" },
    { role: "user", content: "536904399" },
    { role: "user", name: ADDRESS, content: "ok" },
    {
      role: "assistant",
      content: null,
      tool_calls: [
        {
          id: "c",
          type: "function",
          function: {
            name: "pay",
            arguments: JSON.stringify({ to: ADDRESS, [OTHER]: [ADDRESS, 4532015112830366] }),
          },
        },
      ],
    },
  ];
  const { body, found } = await tryIt({ path: "/v1/chat/completions", body: { model: "m", messages } });
  const [first, second, third, fourth] = asArray(body.messages).map(asObject);
  expect(first?.content).toBe("Order [NHS] and 536904399");
  expect(second?.content).toBe("536904399");
  expect(third?.name).toMatch(/^EMAIL_[0-9A-Z]{8}$/);
  const [call] = asArray(fourth?.tool_calls).map(asObject);
  expect(asObject(call?.function)).toEqual({
    name: "pay",
    arguments: expect.stringMatching(
      /^\{"to":"(<EMAIL_\w{8}>)","<EMAIL_\w{8}>":\["\1",4532015112830366\]\}$/,
    ),
  });
  expect(found).toContain("messages[3].tool_calls[0].function.arguments: card refuse");
});

const PICTURE = { type: "image_url", image_url: { url: "data:image/png;base64,iVBORw0KGgo=" } };

test.each([
  ["token ids", "/v1/embeddings", { input: [[1, 2, 3]] }],
  ["a picture", "/v1/chat/completions", { messages: [{ role: "user", content: [PICTURE] }] }],
])("%s are refused as in the request", async (_, path, rest) => {
  const body = { model: "Local#sim", ...rest };
  const { id, secret } = await own.world.newKey({ name: "unsearchable" });
  const asked = await own.post(path, body, secret);
  for (const key of [{}, { key_id: id }]) {
    const tried = await operator.post("/guard/try", { path, body, ...key });
    expect([asked.status, tried.status]).toEqual([400, 400]);
    expect(tried.body.error).toMatchObject({ code: "content_blocked" });
    expect(asObject(tried.body.error).message).toBe(asObject(asObject(JSON.parse(asked.text)).error).message);
  }
});

test("answers leave masked, on a path's own form", async () => {
  const said = { type: "text", text: `Ask ${ADDRESS}.` };
  const answer = { id: "msg_1", type: "message", role: "assistant", model: "m", content: [said] };
  const native = await tryIt({ path: "/v1/messages", at: "answer", body: answer });
  expect(native.body).toEqual({ ...answer, content: [{ ...said, text: "Ask [EMAIL]." }] });
  const choices = [
    { index: 0, message: { role: "assistant", content: `Ask ${ADDRESS}.` }, finish_reason: "stop" },
  ];
  const chat = { id: "c", object: "chat.completion", created: 1, model: "m", choices };
  const translated = await tryIt({ path: "/v1/chat/completions", at: "answer", body: chat });
  expect(asObject(asObject(asArray(translated.body.choices)[0]).message).content).toBe("Ask [EMAIL].");
});
