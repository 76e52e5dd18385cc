// The admin API's answers are compressed for those who take it so, and only where that hides nothing.
import { afterAll, beforeAll, expect, test } from "bun:test";
import { takesGzip } from "../../src/http/serve/compressed.ts";
import { startUnderTest, type UnderTest } from "../harness/harness.ts";

const PAGE = "https://pages.example";

let gateway: UnderTest;
beforeAll(async () => {
  gateway = await startUnderTest({ server: `cors: ["${PAGE}"]` });
});
afterAll(() => gateway.stop());

interface Asked {
  readonly method?: string;
  readonly body?: object;
  readonly headers?: Readonly<Record<string, string>>;
}

const ask = (path: string, { method = "GET", body, headers = {} }: Asked = {}) =>
  fetch(`${gateway.url}/admin/v1${path}`, {
    method,
    headers: {
      authorization: `Bearer ${gateway.adminToken}`,
      "accept-encoding": "br, gzip;q=0.8",
      ...(body ? { "content-type": "application/json" } : {}),
      ...headers,
    },
    ...(body ? { body: JSON.stringify(body) } : {}),
    decompress: false,
  });

const encodingOf = ({ headers }: Response) => headers.get("content-encoding");

test("a list is a tenth of its size, and the same list", async () => {
  const compressed = await ask("/models");
  const plain = await ask("/models", { headers: { "accept-encoding": "identity" } });
  expect([encodingOf(compressed), encodingOf(plain)]).toEqual(["gzip", null]);
  for (const { headers } of [compressed, plain])
    expect([headers.get("vary"), headers.get("cache-control"), headers.get("content-type")]).toEqual([
      "accept-encoding",
      "no-store",
      "application/json",
    ]);
  expect(compressed.headers.get("x-request-id")).toStartWith("req_");
  const bytes = new Uint8Array(await compressed.arrayBuffer());
  const text = await plain.text();
  expect(compressed.headers.get("content-length")).toBe(String(bytes.length));
  expect(bytes.length).toBeLessThan(text.length / 8);
  const read = JSON.parse(new TextDecoder().decode(Bun.gunzipSync(bytes)));
  expect(read.data.map(({ id }: { id: string }) => id)).toEqual(
    JSON.parse(text).data.map(({ id }: { id: string }) => id),
  );
});

test("a page of another origin learns that both matter", async () => {
  const answer = await ask("/models", { headers: { origin: PAGE } });
  expect([encodingOf(answer), answer.headers.get("vary")]).toEqual(["gzip", "origin, accept-encoding"]);
});

test("short answers, errors, streams and what holds a new secret are sent as they are", async () => {
  const short = await ask("/accounts?limit=1");
  expect([short.status, encodingOf(short)]).toEqual([200, null]);
  const allowed_models = Array.from({ length: 50 }, (_, at) => `OpenAI#a-model-that-the-sender-chose-${at}`);
  const made = await ask("/keys", { method: "POST", body: { name: "new", allowed_models } });
  expect([made.status, encodingOf(made)]).toEqual([201, null]);
  expect((await made.text()).length).toBeGreaterThan(2000);
  const wrong = await ask(`/keys/${"x".repeat(2000)}`);
  expect([wrong.status, encodingOf(wrong)]).toEqual([404, null]);
  const live = await ask("/requests/live");
  expect([live.status, encodingOf(live)]).toEqual([200, null]);
  await live.body?.cancel();
});

test.each([
  ["gzip", true],
  ["deflate, gzip, br", true],
  ["br;q=1.0, GZIP;q=0.5", true],
  ["gzip;q=0", false],
  ["gzip; q=0.0, br", false],
  ["identity", false],
  ["x-gzipped", false],
  ["", false],
])("%j", (given, isTaken) => {
  expect(takesGzip(new Request("http://gateway", { headers: { "accept-encoding": given } }))).toBe(isTaken);
});
