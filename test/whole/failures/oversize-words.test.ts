// A request with more tokens than the provider takes in a minute, in each provider's words: it is answered with them, isn't
// repeated at the same model, and has no effect on anybody else's requests.
import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import type { IncomingMessage, ServerResponse } from "node:http";
import { asObject, type JsonObject, parseJson } from "../../../src/core/json/json.ts";
import { OVERSIZE_ROWS } from "../../../src/core/models/words/oversize.ts";
import { startUnderTest, type UnderTest } from "../../harness/harness.ts";
import { readText, serveHttp, type TestServer } from "../world/serve.ts";

/** The words of a provider that is merely busy: the same request succeeds later. */
const BUSY =
  "Rate limit reached for gpt-4 in organization org-uVqpjtJiKqvV on tokens per min (TPM): Limit 10000, Used 8554, Requested 3082. Please try again in 9.816s.";

let upstream: TestServer;
let gateway: UnderTest;
/** The models of the calls to the provider. */
let called: string[] = [];

const ANSWER = {
  choices: [{ index: 0, message: { role: "assistant", content: "good day" }, finish_reason: "stop" }],
};

/** Refuses the row that the request's text names, unless the model is the one without such a limit. */
async function answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
  const { model, messages, stream } = asObject(parseJson(await readText(request)));
  called.push(String(model));
  const named = /row (\S+)/.exec(JSON.stringify(messages))?.[1]?.replace(/\W.*/, "");
  const row = OVERSIZE_ROWS[Number(named)];
  const message = row?.example ?? (named === "busy" ? BUSY : null);
  if (message === null || model === "wide") {
    response.writeHead(200, { "content-type": "application/json" });
    response.end(JSON.stringify({ id: "1", object: "chat.completion", created: 1, model, ...ANSWER }));
    return;
  }
  const body = JSON.stringify({ error: { message, type: "tokens", code: "rate_limit_exceeded" } });
  const isFirstFrame = stream === true;
  const type = isFirstFrame ? "text/event-stream" : "application/json";
  response.writeHead(isFirstFrame ? 200 : (row?.status ?? 429), { "content-type": type });
  response.end(isFirstFrame ? `data: ${body}\n\n` : body);
}

const row = (name: string, context: number) =>
  `{ name: ${name}, context: ${context}, output: 99, price: { input: 1, output: 1 } }`;

beforeAll(async () => {
  upstream = await serveHttp(answer);
  gateway = await startUnderTest({
    more: [
      `  House: { dialect: openai, keys: [house-key-1], base_url: "${upstream.url}", models: [${row("narrow", 100_000)}, ${row("wide", 8192)}] }`,
      "aliases:",
      '  both: [{ model: "House#narrow", weight: 1000 }, { model: "House#wide", weight: 0.001 }]',
    ].join("\n"),
  });
});
afterAll(async () => {
  await gateway.stop();
  await upstream.stop();
});

async function ask(path: string, body: JsonObject): Promise<Response> {
  const headers = { authorization: `Bearer ${gateway.secret}`, "content-type": "application/json" };
  return fetch(gateway.url + path, { method: "POST", headers, body: JSON.stringify(body) });
}

const chat = (model: string, content: string, stream = false) =>
  ask("/v1/chat/completions", { model, messages: [{ role: "user", content }], stream });

const readError = async (response: Response) => asObject(asObject(await response.json()).error);

/** Returns a row's words as the client reads them: the operator's organization isn't the client's to know. */
const shown = (example: string) =>
  example.replace(/org[-_][A-Za-z0-9]+/, "[redacted]").replace(/https:\S+/, "[address]");

describe.each([false, true])("streamed: %p", (stream) => {
  test.each(OVERSIZE_ROWS.map(({ source, example }, index) => [source, example, index] as const))(
    "%s",
    async (_source, example, index) => {
      const model = "House#narrow";
      const text = `row ${index}`;
      const messages = [{ role: "user", content: text }];
      const verb = stream ? "streamGenerateContent?alt=sse" : "generateContent";
      const contents = [{ role: "user", parts: [{ text }] }];
      called = [];
      const answers = await Promise.all([
        chat(model, text, stream),
        ask("/v1/responses", { model, input: text, stream }),
        ask("/v1/messages", { model, messages, max_tokens: 9, stream }),
        ask(`/v1beta/models/House%2Fnarrow:${verb}`, { contents }),
      ]);
      expect(called).toEqual(answers.map(() => "narrow"));
      for (const one of answers) expect([one.status, one.headers.get("retry-after")]).toEqual([400, null]);
      const [first, responses, own, google] = await Promise.all(answers.map(readError));
      expect([first?.code, responses?.code]).toEqual(["context_length_exceeded", "context_length_exceeded"]);
      expect(own?.type).toBe("invalid_request_error");
      expect(String(own?.message)).toContain("prompt is too long");
      for (const error of [first, responses, own, google])
        expect(String(error?.message)).toContain(shown(example));
      // It isn't resting: the next request is passed on at once.
      expect((await chat(model, "short")).status).toBe(200);
    },
  );

  test("a group goes on with its next model, however short that one's context is", async () => {
    called = [];
    const response = await chat("both", "row 0", stream);
    expect([response.status, called]).toEqual([200, ["narrow", "wide"]]);
    await response.body?.cancel();
  });
});

test("a provider that is busy with other requests of the minute is asked again later", async () => {
  const response = await chat("House#narrow", "row busy");
  expect([response.status, (await readError(response)).code]).toEqual([429, "provider_busy"]);
});
