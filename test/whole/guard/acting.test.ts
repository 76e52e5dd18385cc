// Rules that act: on every surface, whole and streamed, native and translated, with a model that repeats what it reads.
import { afterAll, beforeAll, expect, test } from "bun:test";
import { asObject, asString, parseJson } from "../../../src/core/json/json.ts";
import { makeRequest, nameWay, readWords, WAYS, type Way } from "../../steps/asked.ts";
import { type GuardWorld, startGuardWorld } from "./world.ts";

const ADDRESS = "ada@corp-x.de";
const KEY = "AKIAQYLPMN5HHHFPZAM2";
const CARD = "4532 0151 1283 0366";
const IBAN = "GB82WEST12345698765432";
let own: GuardWorld;
beforeAll(async () => {
  own = await startGuardWorld(`
responses: { keep: 1d }
guard:
  rules:
    - { name: people, detect: [email], action: swap }
    - { name: secrets, detect: [secrets], action: mask }
    - { name: cards, detect: [card], action: refuse }
    - { name: accounts, detect: [iban], action: mask, at: [answer] }
`);
});
afterAll(() => own.stop());

async function ask(way: Way, words: string) {
  const before = own.world.simulator.calls.total;
  const got = await own.post(...makeRequest(way, `say: ${words}`));
  return {
    ...got,
    words: readWords(got),
    sent: JSON.stringify(own.world.simulator.calls.all().slice(before)),
  };
}

test.each(WAYS.map((way) => [nameWay(way), way] as const))(
  "%s: a value is swapped and put back",
  async (_name, way) => {
    const { status, words, sent } = await ask(way, `Write to ${ADDRESS} today.`);
    expect([status, words]).toEqual([200, expect.stringContaining(`Write to ${ADDRESS} today.`)]);
    expect(sent).not.toContain(ADDRESS);
    expect(sent).toMatch(/<EMAIL_[0-9A-Z]{8}>/);
  },
);

test.each(WAYS.map((way) => [nameWay(way), way] as const))(
  "%s: a secret is masked for good",
  async (_name, way) => {
    const { words, sent } = await ask(way, `My key is ${KEY}.`);
    expect(words).toContain("My key is [SECRET].");
    expect(sent).not.toContain(KEY);
  },
);

test.each(WAYS.map((way) => [nameWay(way), way] as const))("%s: a card is refused", async (_name, way) => {
  const { status, text, sent } = await ask(way, `Take ${CARD}.`);
  expect(status).toBe(400);
  expect(text).toContain("The guard rule 'cards' refused the request: card at ");
  expect(text).not.toContain(CARD);
  expect(sent).toBe("[]");
});

test.each(WAYS.map((way) => [nameWay(way), way] as const))("%s: an answer is masked", async (_name, way) => {
  const { words, sent } = await ask(way, `Pay to ${IBAN}, or ask ${ADDRESS}.`);
  expect(words).toContain(`Pay to [IBAN], or ask ${ADDRESS}.`);
  expect(sent).toContain(IBAN);
});

test("a refusal names the place in the client's own request", async () => {
  const body = { model: "Local#sim", messages: [{ role: "user", content: `Take ${CARD}.` }] };
  const { text } = await own.post("/v1/chat/completions", body);
  expect(asObject(asObject(parseJson(text)).error)).toMatchObject({
    code: "content_blocked",
    message: "The guard rule 'cards' refused the request: card at messages[0].content.",
    reason: "card at messages[0].content",
    param: "messages[0].content",
  });
});

test("a kept response repeats its request with masks, and with the values that are put back", async () => {
  const tools = [{ type: "function", name: "pay", description: `Uses ${KEY}.`, parameters: null }];
  const { text } = await own.post("/v1/responses", {
    model: "Anthropic#sim",
    input: `say: ${KEY} of ${ADDRESS}`,
    instructions: `I am ${ADDRESS}, my key is ${KEY}.`,
    metadata: { key: KEY },
    tools,
    store: true,
  });
  const id = asString(asObject(parseJson(text)).id);
  const authorization = `Bearer ${own.world.secret}`;
  const got = await fetch(`${own.world.url}/v1/responses/${id}`, { headers: { authorization } });
  const kept: unknown = await got.json();
  expect(kept).toMatchObject({
    instructions: `I am ${ADDRESS}, my key is [SECRET].`,
    metadata: { key: "[SECRET]" },
    tools: [{ name: "pay", description: "Uses [SECRET]." }],
  });
  expect(JSON.stringify(kept)).toContain(`[SECRET] of ${ADDRESS}`);
  expect(JSON.stringify(kept)).not.toContain(KEY);
});
