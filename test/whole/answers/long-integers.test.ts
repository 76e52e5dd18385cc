// Integers that no double holds, such as ids of orders and messages, pass through tool calls and results unchanged.
import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { startUnderTest, type UnderTest } from "../../harness/harness.ts";
import { HIDDEN, startHook } from "../../steps/hooks/server.ts";
import { readText, serveHttp, type TestServer } from "../world/serve.ts";

const ID = "1234567890123456789";
const ARGUMENTS = `{"id":${ID},"list":[-9007199254740993,{"n":1.5,"word":"three"}]}`;
const QUOTED = JSON.stringify(ARGUMENTS);
/** Text around the call of an answer that isn't short. */
const LONG = "An answer of some length. ".repeat(400);

const CLAUDE = `{"id":"msg_1","type":"message","role":"assistant","model":"x","content":[{"type":"text","text":"${LONG}"},{"type":"tool_use","id":"toolu_1","name":"find","input":${ARGUMENTS}}],"stop_reason":"tool_use","stop_sequence":null,"usage":{"input_tokens":10,"output_tokens":5}}`;
const GOOGLE = `{"candidates":[{"content":{"role":"model","parts":[{"functionCall":{"name":"find","args":${ARGUMENTS}}}]},"finishReason":"STOP","index":0}],"usageMetadata":{"promptTokenCount":10,"candidatesTokenCount":5,"totalTokenCount":15}}`;
const CHAT = `{"id":"c","object":"chat.completion","created":1,"model":"x","choices":[{"index":0,"message":{"role":"assistant","content":null,"tool_calls":[{"id":"call_1","type":"function","function":{"name":"find","arguments":${QUOTED}}}]},"finish_reason":"tool_calls"}],"usage":{"prompt_tokens":10,"completion_tokens":5,"total_tokens":15}}`;
/** As some servers send them. */
const OBJECT = CHAT.replace(QUOTED, ARGUMENTS);

let upstream: TestServer;
let gateway: UnderTest;
let sent = "";

beforeAll(async () => {
  upstream = await serveHttp(async (request, response) => {
    sent = await readText(request);
    const url = request.url ?? "";
    const isStream = url.includes("streamGenerateContent");
    const chat = sent.includes('"model":"object"') ? OBJECT : CHAT;
    const body = url.includes("/messages") ? CLAUDE : url.includes("enerateContent") ? GOOGLE : chat;
    response.writeHead(200, { "content-type": isStream ? "text/event-stream" : "application/json" });
    response.end(isStream ? `data: ${body}\n\n` : body);
  });
  gateway = await startUnderTest({ more: listProviders() });
});

function listProviders(): string {
  return DIALECTS.map(
    (dialect) =>
      `  Own-${dialect}: { dialect: ${dialect}, base_url: "${upstream.url}", keys: ["k"], unlisted_models: true }\n`,
  ).join("");
}

afterAll(async () => {
  await gateway.stop();
  await upstream.stop();
});

const SURFACES = ["chat", "messages", "responses", "gemini", "interactions"] as const;
const DIALECTS = ["anthropic", "gemini", "openai"] as const;
type Surface = (typeof SURFACES)[number];

type Headers = Readonly<Record<string, string>>;

function send(path: string, body: string, more: Headers = {}, to = gateway): Promise<Response> {
  const headers = { authorization: `Bearer ${to.secret}`, "content-type": "application/json", ...more };
  return fetch(to.url + path, { method: "POST", headers, body });
}

async function post(path: string, body: string, headers: Headers = {}): Promise<string> {
  const response = await send(path, body, headers);
  const text = await response.text();
  expect([response.status, response.ok ? "" : text]).toEqual([200, ""]);
  return text;
}

/** A request whose history has a call and its result. */
function makeRequest(surface: Surface, model: string): readonly [path: string, body: string] {
  const result = JSON.stringify(`{"order":${ID}}`);
  switch (surface) {
    case "chat":
      return [
        "/v1/chat/completions",
        `{"model":"${model}","messages":[{"role":"user","content":"a"},{"role":"assistant","content":null,"tool_calls":[{"id":"call_1","type":"function","function":{"name":"find","arguments":${QUOTED}}}]},{"role":"tool","tool_call_id":"call_1","content":${result}}]}`,
      ];
    case "messages":
      return [
        "/v1/messages",
        `{"model":"${model}","max_tokens":99,"messages":[{"role":"user","content":"a"},{"role":"assistant","content":[{"type":"tool_use","id":"toolu_1","name":"find","input":${ARGUMENTS}}]},{"role":"user","content":[{"type":"tool_result","tool_use_id":"toolu_1","content":${result}}]}]}`,
      ];
    case "responses":
      return [
        "/v1/responses",
        `{"model":"${model}","input":[{"role":"user","content":"a"},{"type":"function_call","call_id":"call_1","name":"find","arguments":${QUOTED}},{"type":"function_call_output","call_id":"call_1","output":${result}}]}`,
      ];
    case "interactions":
      return [
        "/v1/interactions",
        `{"model":"${model}","input":[{"type":"user_input","content":"a"},{"type":"function_call","id":"call_1","name":"find","arguments":${ARGUMENTS}},{"type":"function_result","call_id":"call_1","result":{"order":${ID}}}]}`,
      ];
    case "gemini":
      return [
        `/v1beta/models/${model.replace("#", "/")}:generateContent`,
        `{"contents":[{"role":"user","parts":[{"text":"a"}]},{"role":"model","parts":[{"functionCall":{"name":"find","args":${ARGUMENTS}}}]},{"role":"user","parts":[{"functionResponse":{"name":"find","response":{"order":${ID}}}}]}]}`,
      ];
  }
}

/** JSON without the escapes and quotes of JSON in texts. */
const plain = (json: string) => json.replaceAll("\\", "");

describe.each(SURFACES)("%s", (surface) => {
  test.each(DIALECTS)("%s: whole", async (dialect) => {
    const answer = await post(...makeRequest(surface, `Own-${dialect}#m`));
    expect(plain(answer)).toContain(ARGUMENTS);
    expect(plain(sent)).toContain(ARGUMENTS);
    expect(plain(sent)).toContain(`"order":${ID}`);
  });

  test("a long history", async () => {
    const [path, body] = makeRequest(surface, "Own-gemini#m");
    for (const times of [100, 30_000]) {
      const words = "some words ".repeat(times);
      await post(path, body.replace(/"(content|text)":"a"/, `"$1":"${words}"`));
      expect(plain(sent)).toContain(ARGUMENTS);
      expect(plain(sent)).toContain(`"order":${ID}`);
    }
  });

  test("arguments that are no text", async () => {
    const answer = await post(...makeRequest(surface, "Own-openai#object"));
    expect(plain(answer)).toContain(ARGUMENTS);
  });

  test("an answer given again", async () => {
    const key = { "idempotency-key": `again-${surface}` };
    const request = makeRequest(surface, surface === "gemini" ? "Own-gemini#m" : "Own-anthropic#m");
    const first = await post(...request, key);
    sent = "";
    expect([await post(...request, key), sent]).toEqual([first, ""]);
    expect(plain(first)).toContain(ARGUMENTS);
  });

  test("streamed", async () => {
    const [path, body] = makeRequest(surface, "Own-gemini#m");
    const answer =
      surface === "gemini"
        ? await post(path.replace("generateContent", "streamGenerateContent?alt=sse"), body)
        : await post(path, `{"stream":true,${body.slice(1)}`);
    expect(plain(answer)).toContain(ARGUMENTS);
  });
});

test("a text beside it that a hook changes", async () => {
  const hook = await startHook();
  const hooks = `hooks:\n  - { url: "${hook.url}", name: all, at: [request, answer] }\n`;
  const masking = await startUnderTest({ more: listProviders() + hooks });
  try {
    for (const surface of SURFACES) {
      for (const dialect of DIALECTS) {
        const [path, body] = makeRequest(surface, `Own-${dialect}#m`);
        const asked = body.replaceAll("three", "canary");
        const answer = await (await send(path, asked, {}, masking)).text();
        const changed = ARGUMENTS.replace("three", HIDDEN);
        expect([surface, dialect, plain(sent)]).toEqual([surface, dialect, expect.stringContaining(changed)]);
        expect(plain(answer)).toContain(ARGUMENTS);
      }
    }
  } finally {
    await masking.stop();
    await hook.stop();
  }
});

test("a number that isn't a tool's is still a double", async () => {
  const [path, body] = makeRequest("chat", "Own-openai#m");
  const refused = await send(path, `{"seed":${ID},${body.slice(1)}`);
  expect([refused.status, await refused.text()]).toEqual([400, expect.stringContaining("above_max_value")]);
  await post(path, `{"logit_bias":{"1":1.00000000000000000001},${body.slice(1)}`);
  expect(sent).toContain('"logit_bias":{"1":1}');
});
