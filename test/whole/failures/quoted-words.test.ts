// A provider that quotes its client in an error: the quoted words never change the fault.
import { afterAll, beforeAll, expect, test } from "bun:test";
import type { IncomingMessage, ServerResponse } from "node:http";
import { asArray, asObject, parseJson } from "../../../src/core/json/json.ts";
import { startUnderTest, type UnderTest } from "../../harness/harness.ts";
import { formatLine, seen } from "../world/observe.ts";
import { createOperator } from "../world/operator.ts";
import { readText, serveHttp, type TestServer } from "../world/serve.ts";
import { asking } from "../world/world.ts";

const KEYS = ["key-one-aaa1", "key-two-aaa2", "key-three-aaa3", "key-four-aaa4"];
const WORDS = [
  "incorrect api key",
  "Incorrect API key provided",
  "insufficient balance",
  "account x suspended",
  "invalid model",
  "insufficient_quota: please check your billing",
  "credit balance is too low",
];

let calls = 0;
let upstream: TestServer;
let gateway: UnderTest;

/** Refuses everything with the user's words in the message, as validators do. The name gives the status. */
async function refuse(request: IncomingMessage, response: ServerResponse): Promise<void> {
  calls++;
  const body = asObject(parseJson(await readText(request)));
  if (body.model === "key") return refuseKey(response);
  const words = String(asObject(asArray(body.messages)[0]).content);
  const message = `Invalid value: '${words}'. Supported values are: 'low', 'medium' and 'high'.`;
  response.writeHead(Number(body.model), { "content-type": "application/json" });
  response.end(JSON.stringify({ error: { message, type: "invalid_request_error", code: "invalid_value" } }));
}

/** xAI refuses a key with 400, in its own words. */
function refuseKey(response: ServerResponse): void {
  response.writeHead(400, { "content-type": "application/json" });
  const error = "Incorrect API key provided. You can obtain an API key from https://console.x.ai.";
  response.end(JSON.stringify({ code: "invalid-argument", error }));
}

beforeAll(async () => {
  upstream = await serveHttp(refuse);
  const at = (name: string, more: string) =>
    `  ${name}: { keys: [${KEYS}], base_url: "${upstream.url}", unlisted_models: true${more} }`;
  gateway = await startUnderTest({ more: [at("xAI", ""), at("House", ", dialect: openai")].join("\n") });
});
afterAll(async () => {
  await gateway.stop();
  await upstream.stop();
});

test.each(["House", "xAI"])(
  "%s: one call, a 400 to the client, and all credentials stay in use",
  async (provider) => {
    const { secret } = await gateway.newKey();
    for (const words of WORDS) {
      for (const status of [400, 422]) {
        const before = calls;
        const answer = await seen(await gateway.chat(asking(`${provider}#${status}`, words), { secret }));
        expect(formatLine(answer)).toBe("400 invalid_request_error invalid_value");
        expect([answer.headers.get("x-poundkey-attempts"), calls - before]).toEqual(["1", 1]);
      }
    }
    const { body } = await createOperator(gateway).get("/providers");
    const row = asObject(asArray(body.data).find((one) => asObject(one).name === provider));
    const states = asArray(row.credentials).map((one) => asObject(one).state);
    expect(states).toEqual(["active", "active", "active", "active"]);
    expect(row.breaker).toBe("closed");
  },
);

test("a 403 for every credential takes none out of use", async () => {
  const answer = await seen(
    await gateway.chat(asking("House#403", "a prompt that a filter of theirs blocks")),
  );
  expect(formatLine(answer)).toBe("502 api_error upstream_auth");
  const { body } = await createOperator(gateway).get("/providers");
  const row = asObject(asArray(body.data).find((one) => asObject(one).name === "House"));
  const retired = asArray(row.credentials).filter((one) => asObject(one).state === "retired");
  expect(retired).toEqual([]);
});

test.each([
  ["/v1/chat/completions", { messages: [{ role: "user", content: "a" }] }],
  ["/v1/responses", { input: "a" }],
])("%s: a refused key is the operator's, in the provider's own format too", async (path, body) => {
  const { secret } = await gateway.newKey();
  const headers = { authorization: `Bearer ${secret}`, "content-type": "application/json" };
  const sent = JSON.stringify({ model: "xAI#key", ...body });
  const answer = await seen(await fetch(`${gateway.url}${path}`, { method: "POST", headers, body: sent }));
  expect(formatLine(answer)).toBe("502 api_error upstream_auth");
});
