// A provider whose errors quote the operator's secrets: none of them reaches the client, the log, a row or a trace.
import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import type { IncomingMessage, ServerResponse } from "node:http";
import { BINARY, startUnderTest, type UnderTest } from "../../harness/harness.ts";
import { createOperator } from "../world/operator.ts";
import { readText, serveHttp, type TestServer } from "../world/serve.ts";

const login = Buffer.from("user:canary-05-password").toString("base64");
/** By number. Some hold characters that JSON and URLs write differently. */
const CANARIES = {
  key: "canary-01-key",
  otherKey: "canary-02-key",
  header: 'canary-03 "quoted" \\ header',
  bearer: "canary-04-bearer",
  password: "canary-05-password",
  login,
  cookie: "canary-07-cookie",
  variable: "canary-08-variable",
  other: "canary-09-other",
  path: "canary-10-path",
  added: "canary-11-added",
  accessKeyId: "AKIACANARY12",
  secretAccessKey: "canary-13-secret-access-key",
  sessionToken: "canary-14-session-token",
  clientSecret: "canary-15-client-secret",
  token: "canary-16-token-that-was-fetched",
} as const;
const { accessKeyId, secretAccessKey, sessionToken, clientSecret, token, ...plain } = CANARIES;
/** The secrets that each provider knows. */
const KNOWN: Readonly<Record<string, readonly string[]>> = {
  Plain: Object.values(plain),
  Claude: Object.values(plain),
  Gem: Object.values(plain),
  Entra: [clientSecret, token],
  Signed: [accessKeyId, secretAccessKey, sessionToken],
};

function makeError(message: string, more: object = {}): string {
  return JSON.stringify({ error: { message, type: "invalid_request_error", ...more } });
}

/** The ways in which an error's body quotes a word. */
const WAYS: Readonly<Record<string, (word: string) => string>> = {
  "in its message": (word) => makeError(`You sent ${word}.`),
  "in JSON within its message": (word) => makeError(`You sent ${JSON.stringify({ word })}.`),
  "in a URL within its message": (word) => makeError(`You asked for a/${encodeURIComponent(word)}.`),
  "in its code and parameter": (word) => makeError("No.", { code: word, type: word, param: word }),
  "as its whole text": (word) => word,
  // Messages are cut at 2,000 characters.
  "cut in the middle": (word) => makeError("a ".repeat(1000).slice(word.length - 2) + word),
};

/** The error that the provider answers with. */
let next = { status: 400, body: "", isEvent: false };
let upstream: TestServer;
let gateway: UnderTest;
let calls = 0;

async function answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
  await readText(request);
  if (request.url?.includes("/oauth2/")) {
    response.end(JSON.stringify({ access_token: token, expires_in: 3600 }));
    return;
  }
  calls++;
  const { status, body, isEvent } = next;
  response.writeHead(status, { "content-type": isEvent ? "text/event-stream" : "application/json" });
  response.end(isEvent ? `event: error\ndata: ${body}\n\n` : body);
}

function yaml(url: string): string {
  const server = (name: string, dialect: string) => `  ${name}:
    dialect: ${dialect}
    keys: ["${CANARIES.key}", "${CANARIES.otherKey}"]
    base_url: "${url}/\${CANARY_PATH}"
    unlisted_models: true
    headers:
      x-secret: ${JSON.stringify(CANARIES.header)}
      x-bearer: "Bearer ${CANARIES.bearer}"
      x-login: "Basic ${login}"
      cookie: "a=b; session=${CANARIES.cookie}"
      x-variable: "\${CANARY}"
      x-other: "prefix/\${CANARY_OTHER}"`;
  const entra = `{ tenant: t, client_id: c, client_secret: ${clientSecret}, authority: "${url}" }`;
  const aws = `{ access_key_id: ${accessKeyId}, secret_access_key: ${secretAccessKey}, session_token: ${sessionToken} }`;
  return [
    server("Plain", "openai"),
    server("Claude", "anthropic"),
    server("Gem", "gemini"),
    `  Entra: { platform: azure, base_url: "${url}/openai/v1", entra: ${entra}, unlisted_models: true }`,
    `  Signed: { platform: bedrock, region: us-east-1, base_url: "${url}", aws: ${aws}, unlisted_models: true }`,
  ].join("\n");
}

beforeAll(async () => {
  upstream = await serveHttp(answer);
  const env = {
    CANARY: CANARIES.variable,
    CANARY_OTHER: CANARIES.other,
    CANARY_PATH: CANARIES.path,
  };
  gateway = await startUnderTest({ more: yaml(upstream.url), env });
  for (const name of ["Plain", "Claude", "Gem"])
    await createOperator(gateway).post(`/providers/${name}`, { key: CANARIES.added, weight: 1 });
});
afterAll(async () => {
  await gateway.stop();
  await upstream.stop();
});

/** The API that each provider is asked through, beside chat completions: its own, so that its answer isn't translated. */
const OWN_PATHS: Readonly<Record<string, (model: string, isStream: boolean) => readonly [string, object]>> = {
  Claude: (model, stream) => [
    "/v1/messages",
    { model, stream, max_tokens: 9, messages: [{ role: "user", content: "hello" }] },
  ],
  Gem: (model, isStream) => [
    `/v1beta/models/${encodeURIComponent(model)}:${isStream ? "streamGenerateContent?alt=sse" : "generateContent"}`,
    { contents: [{ role: "user", parts: [{ text: "hello" }] }] },
  ],
};

const SHOWN = new RegExp(`canary-\\d\\d|AKIACANARY|${login.slice(0, 8)}`, "i");
let asked = 0;

/** Asks a model of its own, so that no breaker opens. Returns all text that the client gets. */
async function ask(provider: string, isStream: boolean, isOwn: boolean): Promise<string> {
  const model = `${provider}#m${asked++}`;
  const chat = { model, stream: isStream, messages: [{ role: "user", content: "hello" }] };
  const own = isOwn ? OWN_PATHS[provider]?.(model, isStream) : undefined;
  const [path, body] = own ?? ["/v1/chat/completions", chat];
  const headers = { authorization: `Bearer ${gateway.secret}`, "content-type": "application/json" };
  const init = { method: "POST", headers, body: JSON.stringify(body) };
  const response = await fetch(`${gateway.url}${path}`, init);
  return `${JSON.stringify([...response.headers])} ${await response.text()}`;
}

describe("a provider's error that quotes a secret of the operator's", () => {
  const cases = Object.keys(KNOWN).flatMap((provider) => Object.keys(WAYS).map((way) => [provider, way]));

  test.each(cases)("%s, %s: the client isn't told", async (provider = "", way = "") => {
    const before = calls;
    const told: string[] = [];
    for (const word of KNOWN[provider] ?? []) {
      for (const isEvent of [false, true]) {
        next = { status: isEvent ? 200 : 400, body: WAYS[way]?.(word) ?? "", isEvent };
        for (const isOwn of provider in OWN_PATHS ? [false, true] : [false])
          told.push(await ask(provider, isEvent, isOwn));
      }
    }
    expect(told.filter((text) => SHOWN.test(text))).toEqual([]);
    expect(calls - before).toBeGreaterThanOrEqual(told.length);
  });

  test("isn't in the log, nor in the requests' rows and traces", async () => {
    const operator = createOperator(gateway);
    const rows = await operator.all("/requests", 200);
    expect(rows.length).toBeGreaterThan(300);
    expect(rows.filter((row) => SHOWN.test(JSON.stringify(row)))).toEqual([]);
    const ids = rows.filter((_, at) => at % 20 === 0).map(({ id }) => String(id));
    const details = await Promise.all(ids.map((id) => operator.get(`/requests/${id}`)));
    expect(details.filter(({ status, text }) => status !== 200 || SHOWN.test(text))).toEqual([]);
    if (!BINARY) expect(gateway.events.length).toBeGreaterThan(300);
    expect(gateway.events.filter((event) => SHOWN.test(JSON.stringify(event)))).toEqual([]);
  });
});
