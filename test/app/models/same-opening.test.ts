// Many requests at once to one process that all begin with the same message: no credential gets far more of them than its share.
import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import type { IncomingMessage, ServerResponse } from "node:http";
import { asObject, parseJson } from "../../../src/core/json/json.ts";
import { newPlace, type Place, type Serving, startServe } from "../../harness/serve-process.ts";
import { readText, serveHttp, type TestServer } from "../../whole/world/serve.ts";
import { postApart } from "./own-connection.ts";

const ADMIN_TOKEN = "admin-token-of-the-tests";
const AT_ONCE = 500;
/** The weights of each provider's keys. */
const PROVIDERS = {
  Own: [1, 1, 2],
  Wide: [1, 1, 1, 1, 1, 1, 1, 1],
} as const;
type Provider = keyof typeof PROVIDERS;
/** The calls under way that count as no crowd. */
const FEW = 16;
const TEST_MS = 60_000;

/** The calls that wait for all the others, by key. */
let held: { readonly key: string; readonly answer: () => void }[] = [];
let provider: TestServer;
let place: Place;
let serving: Serving;
let url = "";
let secret = "";

/** Answers none before all have come. */
async function hold(request: IncomingMessage, response: ServerResponse): Promise<void> {
  const { model } = asObject(parseJson(await readText(request)));
  const key = (request.headers.authorization ?? "").replace("Bearer ", "");
  const choices = [{ index: 0, message: { role: "assistant", content: key }, finish_reason: "stop" }];
  const usage = { prompt_tokens: 10, completion_tokens: 5, total_tokens: 15 };
  const body = JSON.stringify({ id: "1", object: "chat.completion", created: 1, model, choices, usage });
  held.push({ key, answer: () => response.writeHead(200, { "content-type": "application/json" }).end(body) });
  if (held.length === AT_ONCE) for (const { answer } of held) answer();
}

beforeAll(async () => {
  provider = await serveHttp(hold);
  const providers = Object.entries(PROVIDERS).map(([name, weights]) => {
    const keys = weights.map((weight, at) => `{ key: ${name}-${at}, weight: ${weight} }`).join(", ");
    return `  ${name}: { dialect: openai, keys: [${keys}], base_url: "${provider.url}", unlisted_models: true }`;
  });
  place = newPlace(`server: { admin_token: "${ADMIN_TOKEN}" }
store: "sqlite:./poundkey.db"
providers:
${providers.join("\n")}`);
  serving = startServe(place, "--port", "0");
  url = await serving.listens();
  const made = await fetch(`${url}/admin/v1/keys`, {
    method: "POST",
    headers: { authorization: `Bearer ${ADMIN_TOKEN}`, "content-type": "application/json" },
    body: JSON.stringify({ name: "test", requests_per_day: null }),
  });
  secret = String(asObject(await made.json()).secret);
}, TEST_MS);
afterAll(async () => {
  serving.end();
  place.remove();
  await provider.stop();
});

/** Returns the share of its provider's calls that each key had, and its share by weight. All calls were under way at once. */
async function sendAll(provider: Provider, ...headers: readonly string[]) {
  held = [];
  const body = { model: `${provider}#one`, messages: [{ role: "user", content: "hello" }] };
  const send = () => postApart(`${url}/v1/chat/completions`, secret, body, headers);
  const statuses = await Promise.all(Array.from({ length: AT_ONCE }, send));
  expect([...new Set(statuses)]).toEqual([200]);
  const weights = PROVIDERS[provider].reduce((sum: number, weight) => sum + weight, 0);
  return PROVIDERS[provider].map((weight, at) => ({
    calls: held.filter(({ key }) => key === `${provider}-${at}`).length,
    share: (AT_ONCE * weight) / weights,
  }));
}

describe(`${AT_ONCE} requests at once with the same first message`, () => {
  test(
    "give no key more than twice its share and 16",
    async () => {
      for (const { calls, share } of await sendAll("Own")) expect(calls).toBeLessThanOrEqual(2 * share + FEW);
    },
    TEST_MS,
  );

  test(
    "give none more than four times its share if all name one session, in a header of 8 KB",
    async () => {
      const all = await sendAll("Wide", `Session-Id: ${"acme ".repeat(1600)}`);
      for (const { calls, share } of all) expect(calls).toBeLessThanOrEqual(4 * share + 1);
      // They stay together as far as that goes.
      expect(Math.max(...all.map(({ calls, share }) => calls / share))).toBeGreaterThan(3.5);
    },
    TEST_MS,
  );
});
