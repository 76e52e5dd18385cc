// Placeholders that a request didn't bring the values of, in its texts, results and documents: nobody gets a value
// for them.
import { afterAll, beforeAll, expect, test } from "bun:test";
import type { JsonObject } from "../../../src/core/json/json.ts";
import { startUnderTest, type UnderTest } from "../../harness/harness.ts";
import { makeRequest, nameWay, readWords, WAYS } from "../../steps/asked.ts";

const ROUNDS = 12;
const PLACEHOLDER = /<EMAIL_[0-9A-Z]{8}>/g;
const CHAT = "/v1/chat/completions";

let own: UnderTest;
/** Of two accounts, the second with two keys. */
let secrets: readonly [string, string, string];
beforeAll(async () => {
  own = await startUnderTest({ more: "guard: { rules: [{ name: swap, detect: [email], action: swap }] }" });
  const account = await own.newAccount("another");
  const make = async (more: object) =>
    (await own.newKey({ name: "one", requests_per_day: null, ...more })).secret;
  secrets = [await make({}), await make({ account_id: account }), await make({ account_id: account })];
});
afterAll(() => own.stop());

async function ask(secret: string, path: string, body: JsonObject): Promise<string> {
  const headers = { authorization: `Bearer ${secret}`, "content-type": "application/json" };
  const response = await fetch(own.url + path, { method: "POST", headers, body: JSON.stringify(body) });
  const text = await response.text();
  return `${text}\n${readWords({ text })}`;
}

const chat = (messages: readonly JsonObject[]) => ({ model: "Local#sim", messages });

const ADDRESSES = Array.from({ length: ROUNDS }, (_, at) => `secret${at}@corp-x.de`);

/** Returns the placeholders that a provider got for the addresses. */
async function listPlaceholders(secret: string): Promise<readonly string[]> {
  await ask(secret, CHAT, chat([{ role: "user", content: ADDRESSES.join(" ") }]));
  return JSON.stringify(own.simulator.calls.last()?.body).match(PLACEHOLDER) ?? [];
}

test("another account has other codes for the same values, and another key of an account the same", async () => {
  const [first, second, third] = secrets;
  const codes = await listPlaceholders(first);
  expect(new Set(codes).size).toBe(ROUNDS);
  const others = await listPlaceholders(second);
  expect(await listPlaceholders(third)).toEqual(others);
  expect(codes.filter((code) => others.includes(code))).toEqual([]);
});

/** The places in which a client may bring a text, in a chat. */
const PLACES: Readonly<Record<string, (text: string) => readonly JsonObject[]>> = {
  "a text": (text) => [{ role: "user", content: `say: ${text}` }],
  "a result": (text) => [
    { role: "user", content: "hello" },
    {
      role: "assistant",
      tool_calls: [{ id: "call_1", type: "function", function: { name: "find", arguments: "{}" } }],
    },
    { role: "tool", tool_call_id: "call_1", content: text },
  ],
  "an earlier answer": (text) => [
    { role: "user", content: "hello" },
    { role: "assistant", content: text },
    { role: "user", content: `say: ${text}` },
  ],
};

test.each(Object.keys(PLACES))("%s: codes without their values stay as they are", async (place) => {
  const [first, second, third] = secrets;
  const codes = [...(await listPlaceholders(first)), ...(await listPlaceholders(second))];
  for (const [at, code] of codes.entries()) {
    for (const secret of [first, second, third]) {
      const brought = `own${at}@corp-y.de`;
      const text = `${code} and ${code.slice(1, -1).toLowerCase()} and ${brought}`;
      const shown = await ask(secret, CHAT, chat(PLACES[place]?.(text) ?? []));
      expect(shown).toContain(text);
      expect(shown).not.toContain("secret");
    }
  }
});

test.each(WAYS.map((way) => [nameWay(way), way] as const))("%s: the same", async (_name, way) => {
  const [first, second] = secrets;
  const codes = await listPlaceholders(first);
  const text = `${codes.join(" ")} and own@corp-y.de`;
  const shown = await ask(second, ...makeRequest(way, `say: ${text}`));
  expect(shown).toContain("own@corp-y.de");
  expect(shown).not.toContain("secret");
  for (const code of codes) expect(shown).toContain(code);
});
