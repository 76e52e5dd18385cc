// The provider's words: each failed call's status, code, message and address on the request's and the provider's page.
import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import type { IncomingMessage, ServerResponse } from "node:http";
import { probe } from "../../../src/app/models/probe.ts";
import { asArray, asObject, type JsonObject, parseJson } from "../../../src/core/json/json.ts";
import { BINARY, startUnderTest, type UnderTest } from "../../harness/harness.ts";
import { readSettings } from "../../harness/settings.ts";
import { deadAddresses } from "../world/dead-address.ts";
import { createOperator } from "../world/operator.ts";
import { readText, serveHttp, type TestServer } from "../world/serve.ts";
import { asking } from "../world/world.ts";

const PROMPT = "the patient's name is Ada Lovelace and she was born in Marylebone in 1815";
const SECRET = "sk-proj-Abcdefghij0123456789";
const BASE64 = Buffer.from("x".repeat(90)).toString("base64");
const KEYS = ["first-key-aaa1", "second-key-bbb2", "short"];

/** The provider's answer to each credential, by its last four characters. */
const SAYS: Readonly<Record<string, readonly [status: number, code: string, message: string]>> = {
  aaa1: [
    500,
    "internal_server_error",
    `Worker 7 crashed.\n  It held ${SECRET} and ${BASE64}, Bearer abcdefgh12.`,
  ],
  bbb2: [401, "invalid_api_key", `Incorrect API key provided. You asked: "${PROMPT}".`],
};

let upstream: TestServer;
let gateway: UnderTest;
let dead: string;
let isWell = false;

async function answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
  await readText(request);
  const said = SAYS[String(request.headers.authorization).slice(-4)];
  const headers = { "content-type": "application/json", "x-request-id": "req_upstream_42" };
  if (said === undefined || isWell) {
    const message = { role: "assistant", content: "ok" };
    const usage = { prompt_tokens: 3, completion_tokens: 1, total_tokens: 4 };
    const choices = [{ index: 0, message, finish_reason: "stop" }];
    response.writeHead(200, headers);
    response.end(
      JSON.stringify({ id: "1", object: "chat.completion", created: 1, model: "m", choices, usage }),
    );
    return;
  }
  const [status, code, message] = said;
  response.writeHead(status, headers);
  response.end(JSON.stringify({ error: { message, code, type: "error" } }));
}

const house = (name: string, url: string, keys: string) =>
  `  ${name}: { dialect: openai, keys: [${keys}], base_url: "${url}", models: [{ name: m, context: 8192, output: 99, price: { input: 1, output: 1 } }] }`;

beforeAll(async () => {
  upstream = await serveHttp(answer);
  [dead = ""] = await deadAddresses(1);
  const rows = [
    house("House", upstream.url, KEYS.join(", ")),
    house("Street", upstream.url, KEYS.join(", ")),
    house("Dead", dead, "dead-key-ccc3, dead-key-ddd4"),
    house("Nameless", "http://no-such-host.invalid/v1", "name-key-eee5"),
    house("Untrusted", `https://${new URL(upstream.url).host}/v1`, "tls-key-fff6"),
  ];
  gateway = await startUnderTest({ more: rows.join("\n") });
});
afterAll(async () => {
  await gateway.stop();
  await upstream.stop();
});

/** Asks once and returns the failed attempts of the request's page. */
async function askFailing(model: string, stream: boolean): Promise<readonly JsonObject[]> {
  const answered = await gateway.chat(asking(model, PROMPT, { stream, user: crypto.randomUUID() }));
  await answered.text();
  const [row] = await createOperator(gateway).all("/requests", 1);
  const { body } = await createOperator(gateway).get(`/requests/${row?.id}`);
  return asArray(asObject(body.timeline).attempts)
    .map(asObject)
    .filter(({ outcome }) => outcome === "failed");
}

async function findProvider(name: string): Promise<JsonObject> {
  const { body } = await createOperator(gateway).get("/providers");
  return asObject(asArray(body.data).find((one) => asObject(one).name === name));
}

describe("a provider's error answer", () => {
  test("credentials haven't been called until they were", async () => {
    const { credentials } = await findProvider("House");
    expect(asArray(credentials).map((one) => asObject(one).called_at)).toEqual([null, null, null]);
  });

  test.each([
    ["House#m", false],
    ["Street#m", true],
  ])("is told with its status, code, words and id (%s, streamed: %p)", async (model, stream) => {
    const failed: JsonObject[] = [];
    for (let asked = 0; failed.length === 0 && asked < 20; asked++)
      failed.push(...(await askFailing(model, stream)));
    for (const one of failed) {
      expect([
        [
          500,
          "internal_server_error",
          "…aaa1",
          "Worker 7 crashed. It held [redacted] and [redacted], [redacted]",
        ],
        [401, "invalid_api_key", "…bbb2", 'Incorrect API key provided. You asked: "[quoted]".'],
      ]).toContainEqual([
        Number(one.upstream_status),
        String(one.upstream_code),
        String(one.credential),
        String(one.message),
      ]);
      const { host } = new URL(upstream.url);
      expect(one).toMatchObject({ upstream_request_id: "req_upstream_42", address: host, cause: null });
    }
    expect(failed.length).toBeGreaterThan(0);
  });

  test("neither a secret nor the prompt is on a page", async () => {
    const { text } = await createOperator(gateway).get("/providers");
    for (const word of ["Lovelace", SECRET, BASE64]) expect(text).not.toContain(word);
  });

  test.skipIf(BINARY !== undefined)("neither a secret nor the prompt is in the log", () => {
    const logged = JSON.stringify(gateway.events);
    for (const word of ["Lovelace", SECRET, BASE64]) expect(logged).not.toContain(word);
    const failed = gateway.events.filter(({ event }) => event === "attempt_failed");
    expect(failed[0]).toMatchObject({ upstream_request_id: "req_upstream_42" });
  });

  test("the provider's page says since when it fails and why, until it answers", async () => {
    isWell = false;
    const { failing_since, last_failure, credentials } = await findProvider("House");
    expect(asObject(last_failure)).toMatchObject({
      model: "House#m",
      upstream_request_id: "req_upstream_42",
    });
    expect(asArray(credentials).some((one) => asObject(one).called_at !== null)).toBe(true);
    isWell = true;
    await (await gateway.chat(asking("House#m", "hello"))).text();
    const well = await findProvider("House");
    expect([typeof failing_since === "string" || failing_since === null, well.failing_since]).toEqual([
      true,
      null,
    ]);
    expect(well.last_failure).not.toBeNull();
    isWell = false;
  });
});

describe("a connection that fails", () => {
  test.each([
    ["Dead#m", /^connection refused \(.+\)$/],
    ["Nameless#m", /^name not found \(.+\)$/],
    ["Untrusted#m", /^(TLS handshake failed|certificate not accepted|connection reset) \(.+\)$/],
  ])("%s: the cause and the address are told", async (model, cause) => {
    const failed = await askFailing(model, false);
    const provider = await findProvider(model.slice(0, model.indexOf("#")));
    const address = new URL(String(provider.base_url)).host;
    expect(failed.length).toBeGreaterThan(0);
    for (const one of failed)
      expect(one).toMatchObject({ upstream_status: null, cause: expect.stringMatching(cause), address });
    expect(provider.failing_since).toEqual(expect.any(String));
    expect(asObject(provider.last_failure)).toMatchObject({ cause: expect.stringMatching(cause), address });
  });
});

test("a probe calls every credential and names it with its status", async () => {
  const file = `providers:\n${house("House", upstream.url, KEYS.join(", "))}\n${house("Dead", dead, "dead-key-ccc3")}`;
  const [houses, gone] = readSettings(file).providers;
  if (!houses || !gone) throw new Error("the settings have two providers");
  const cards = readSettings(file).operatorModels;
  const called = await probe(
    houses,
    cards.filter(({ provider }) => provider === "House"),
  );
  expect(called.map((one) => [one.credential, one.ok, one.status, one.upstream_code])).toEqual([
    ["key 1 (…aaa1)", false, 500, "internal_server_error"],
    ["key 2 (…bbb2)", false, 401, "invalid_api_key"],
    ["key 3", true, 200, null],
  ]);
  const [unreached] = await probe(
    gone,
    cards.filter(({ provider }) => provider === "Dead"),
  );
  expect(unreached).toMatchObject({ ok: false, status: null, address: new URL(dead).host });
  expect(unreached?.cause).toMatch(/^connection refused/);
  expect(parseJson(JSON.stringify(called))).toBeArray();
});
