// Bedrock through the running gateway: signed calls, both of its APIs on every surface, failures, and secrets that stay
// inside.
import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { asArray, asObject, type JsonObject } from "../../../src/core/json/json.ts";
import { signRequest } from "../../../src/transport/auth/sigv4.ts";
import { BINARY, startUnderTest, type UnderTest } from "../../harness/harness.ts";
import type { SimCall } from "../../simulator/calls.ts";

const PROOF = {
  kind: "aws",
  accessKeyId: "AKIDOFTHETESTS",
  secretAccessKey: "secret/of+the/tests",
  sessionToken: "session/of+the/tests==",
  region: "eu-west-1",
} as const;
const ARN = "arn:aws:bedrock:eu-west-1:123456789012:application-inference-profile/abc";
const AWS = `{ access_key_id: "${PROOF.accessKeyId}", secret_access_key: "${PROOF.secretAccessKey}", session_token: "${PROOF.sessionToken}" }`;
const MODELS = `[{ name: "${ARN}", like: "Anthropic#claude-sonnet-4-5" }, { name: "meta.llama3-1-8b~429" }, { name: "meta.llama3-1-8b" }]`;

const ARN_MODEL = `Signed#${ARN}`;

let gateway: UnderTest;
beforeAll(async () => {
  gateway = await startUnderTest({
    more: (url) =>
      [
        `  Signed: { dialect: bedrock, region: eu-west-1, base_url: "${url}/bedrock", aws: ${AWS}, unlisted_models: true, models: ${MODELS} }`,
        `  Guarded: { dialect: bedrock, region: eu-west-1, base_url: "${url}/bedrock", aws: ${AWS}, guardrail: { id: gr1, version: DRAFT }, unlisted_models: true }`,
        `  Roomy: { dialect: bedrock, region: eu-west-1, base_url: "${url}/bedrock", aws: ${AWS}, output_default: 30000, unlisted_models: true, models: [{ name: us.anthropic.claude-sonnet-4-6, output: 64000 }] }`,
        'models: { "Signed#meta.llama3-1-8b~429": { fallbacks: ["Signed#meta.llama3-1-8b"] } }',
      ].join("\n"),
  });
});
afterAll(() => gateway.stop());

function lastCall(): SimCall {
  const call = gateway.simulator.calls.last();
  if (!call) throw new Error("nobody was called");
  return call;
}

function post(path: string, body: JsonObject, headers: Record<string, string> = {}): Promise<Response> {
  return fetch(`${gateway.url}${path}`, {
    method: "POST",
    headers: { "content-type": "application/json", authorization: `Bearer ${gateway.secret}`, ...headers },
    body: JSON.stringify(body),
  });
}

const hi = [{ role: "user", content: "say: grüß dich" }];
const chat = (model: string, more: JsonObject = {}) => gateway.chat({ model, messages: hi, ...more });

/** Computes a call's signature again from what arrived. */
function signAgain({ path, headers, body }: SimCall): string | undefined {
  const { date = "" } = /^(?<date>\d{8}T\d{6}Z)$/.exec(headers["x-amz-date"] ?? "")?.groups ?? {};
  const time = date.replace(/^(....)(..)(..T..)(..)(..Z)$/, "$1-$2-$3:$4:$5");
  const request = {
    method: "POST",
    host: headers.host ?? "",
    path: `/bedrock${path}`,
    query: "",
    headers: { "content-type": headers["content-type"] ?? "" },
    body: JSON.stringify(body),
  };
  return signRequest(request, { proof: PROOF, service: "bedrock", nowMs: Date.parse(time) }).authorization;
}

/** AWS takes the whole limit from the quota at once, so the model's longest answer is none that it is asked for. */
describe.each([false, true])("the limit of Claude's answers, streamed: %p", (stream) => {
  const input = "say: hi";
  const turn = { role: "user", parts: [{ text: input }] };
  const verb = stream ? "streamGenerateContent?alt=sse" : "generateContent";
  const asked = (model: string, limit?: number) =>
    [
      ["/v1/chat/completions", { model, stream, messages: hi, max_tokens: limit }],
      ["/v1/responses", { model, stream, input, max_output_tokens: limit }],
      [
        `/v1beta/models/${encodeURIComponent(model)}:${verb}`,
        { contents: [turn], generationConfig: { maxOutputTokens: limit } },
      ],
    ] as const;

  test.each([
    [ARN_MODEL, undefined, 16_384],
    [ARN_MODEL, 40_000, 40_000],
    ["Roomy#us.anthropic.claude-sonnet-4-6", undefined, 30_000],
    ["Roomy#us.anthropic.claude-sonnet-4-6", 64_000, 64_000],
  ] as const)("%s with %p is %d", async (model, limit, sent) => {
    for (const [path, body] of asked(model, limit)) {
      const answered = await post(path, body);
      expect([answered.status, asObject(lastCall().body).max_tokens]).toEqual([200, sent]);
      await answered.body?.cancel();
    }
  });
});

describe("signed calls", () => {
  const rows = [
    ["amazon.nova-pro-v1:0", "/model/amazon.nova-pro-v1%3A0/converse"],
    [ARN, `/model/${encodeURIComponent(ARN)}/invoke`],
    ["us.anthropic.claude-sonnet-4-6", "/model/us.anthropic.claude-sonnet-4-6/invoke"],
  ] as const;
  test.each(rows)("of %s", async (model, path) => {
    const response = await chat(`Signed#${model}`, { max_tokens: 500 });
    const reply = asObject(await response.json());
    expect([response.status, reply.model]).toEqual([200, `Signed#${model}`]);
    expect(asObject(asObject(asArray(reply.choices)[0]).message).content).toBe("grüß dich");
    const call = lastCall();
    expect([call.path, call.headers["x-amz-security-token"]]).toEqual([path, PROOF.sessionToken]);
    expect(call.headers.authorization).toStartWith(`AWS4-HMAC-SHA256 Credential=${PROOF.accessKeyId}/`);
    expect(call.headers.authorization).toBe(signAgain(call));
  });

  test("carry the guardrail in Converse's body or in InvokeModel's signed headers", async () => {
    expect((await chat("Guarded#amazon.nova-pro-v1:0")).status).toBe(200);
    const named = { guardrailIdentifier: "gr1", guardrailVersion: "DRAFT" };
    expect(asObject(lastCall().body).guardrailConfig).toEqual(named);
    expect((await chat("Guarded#us.anthropic.claude-sonnet-4-6", { max_tokens: 500 })).status).toBe(200);
    const { headers, body } = lastCall();
    expect([headers["x-amzn-bedrock-guardrailidentifier"], asObject(body).guardrailConfig]).toEqual([
      "gr1",
      undefined,
    ]);
    expect(headers.authorization).toContain(
      ";x-amzn-bedrock-guardrailidentifier;x-amzn-bedrock-guardrailversion,",
    );
  });

  test("are replaced by the bearer key if there is one", async () => {
    expect((await chat("Bedrock#amazon.nova-pro-v1:0")).status).toBe(200);
    const { headers } = lastCall();
    expect([headers.authorization, headers["x-amz-date"]]).toEqual(["Bearer sim-key", undefined]);
  });
});

describe("Converse streams", () => {
  const text = async (response: Response, piece: RegExp) =>
    [...(await response.text()).matchAll(piece)].map(([, word]) => JSON.parse(`"${word}"`)).join("");

  test("as chat completions, with usage", async () => {
    const response = await chat("Signed#amazon.nova-pro-v1:0", {
      stream: true,
      stream_options: { include_usage: true },
    });
    const body = await response.clone().text();
    expect(await text(response, /"content":"([^"]*)"/g)).toBe("grüß dich");
    expect([body.includes('"usage":{"prompt_tokens"'), body.endsWith("data: [DONE]\n\n")]).toEqual([
      true,
      true,
    ]);
    expect(lastCall().path).toEndWith("/converse-stream");
  });

  test("as Messages and as Responses", async () => {
    const model = "Signed#amazon.nova-pro-v1:0";
    const message = await post("/v1/messages", { model, max_tokens: 50, messages: hi, stream: true });
    expect(await text(message, /"type":"text_delta","text":"([^"]*)"/g)).toBe("grüß dich");
    const answer = await post("/v1/responses", { model, input: "say: grüß dich", stream: true });
    expect(await text(answer, /"response.output_text.delta".*?"delta":"([^"]*)"/g)).toBe("grüß dich");
  });
});

describe("Claude's own API on Bedrock", () => {
  const asked = {
    max_tokens: 300,
    system: [{ type: "text", text: "Be kind.", cache_control: { type: "ephemeral", ttl: "1h" } }],
    messages: hi,
    top_p: 0.97,
    thinking: { type: "enabled", budget_tokens: 1024 },
  };
  const betas = { "anthropic-beta": "interleaved-thinking-2025-05-14,claude-code-20250219" };
  const model = `Signed#${ARN}`;

  test("passes the request and the answer through unchanged", async () => {
    const request = { ...asked, max_tokens: 3000, model };
    const response = await post("/v1/messages", request, betas);
    const { max_tokens: _limit, ...rest } = asked;
    expect(lastCall().body).toEqual({
      anthropic_version: "bedrock-2023-05-31",
      anthropic_beta: ["interleaved-thinking-2025-05-14"],
      max_tokens: 3000,
      ...rest,
    });
    const reply = asObject(await response.json());
    expect([reply.model, asArray(reply.content).map((block) => asObject(block).type)]).toEqual([
      model,
      ["thinking", "text"],
    ]);
    expect(response.headers.get("x-poundkey-dropped")).toBe("anthropic-beta");
  });

  test("streams Claude's own events out of Bedrock's frames", async () => {
    const response = await post("/v1/messages", { ...asked, max_tokens: 3000, model, stream: true }, betas);
    const body = await response.text();
    const names = [...body.matchAll(/^event: (.*)$/gm)].map(([, name]) => name);
    expect([names[0], names.at(-1)]).toEqual(["message_start", "message_stop"]);
    expect(names).toContain("content_block_delta");
    expect(body).not.toContain("invocationMetrics");
    expect(body).toContain('"signature_delta"');
    expect(lastCall().path).toEndWith("/invoke-with-response-stream");
  });
});

describe("failures", () => {
  const NOVA = "Signed#amazon.nova-pro";
  const CLAUDE = "Signed#us.anthropic.claude-sonnet-4-6";
  const statuses = [
    ["429", 429, "provider_busy"],
    ["403", 502, "upstream_auth"],
    ["400", 400, "upstream_rejected"],
    ["context", 400, "context_length_exceeded"],
    ["404", 404, "model_not_found"],
    ["500", 502, "upstream_error"],
    ["408", 504, "upstream_timeout"],
  ] as const;
  test.each(statuses)("%s is %i %s, whole and streamed, in both formats", async (trouble, status, code) => {
    for (const model of [NOVA, CLAUDE]) {
      for (const stream of [false, true]) {
        const response = await chat(`${model}~${trouble}`, { stream });
        const { error } = asObject(await response.json());
        const shown = code === "upstream_rejected" ? expect.any(String) : code;
        expect([model, response.status, asObject(error).code]).toEqual([model, status, shown]);
      }
    }
  });

  test.each([NOVA, CLAUDE])("in mid-stream of %s end it with an error", async (model) => {
    for (const trouble of ["error-mid", "garbage", "cut", "cut-clean"]) {
      const messages = [{ role: "user", content: "long 20" }];
      const response = await chat(`${model}~${trouble}`, { messages, stream: true });
      const body = await response.text();
      expect([trouble, body.includes('"error":{'), body.includes('finish_reason":"stop')]).toEqual([
        trouble,
        true,
        false,
      ]);
    }
  });

  test("of the provider lead to the next model", async () => {
    const response = await chat("Signed#meta.llama3-1-8b~429");
    expect([response.status, asObject(await response.json()).model]).toEqual([
      200,
      "Signed#meta.llama3-1-8b",
    ]);
  });

  test("reveal no secret in answers or the log", async () => {
    const answers: string[] = [];
    for (const trouble of ["403", "400", "reset", "502-html", "error-200"])
      answers.push(await (await chat(`${NOVA}~${trouble}`)).text());
    for (const effort of [PROOF.accessKeyId, PROOF.secretAccessKey, PROOF.sessionToken]) {
      const request = { model: CLAUDE, max_tokens: 9, messages: hi, output_config: { effort } };
      const quoting = await (await post("/v1/messages", request)).text();
      expect(quoting).toContain("[redacted]");
      answers.push(quoting);
    }
    const words = [PROOF.accessKeyId, PROOF.secretAccessKey, PROOF.sessionToken, "AWS4-HMAC"];
    const spoken = answers.join() + JSON.stringify(gateway.events);
    expect(words.filter((word) => spoken.includes(word))).toEqual([]);
    if (!BINARY) expect(gateway.events.length).toBeGreaterThan(0);
  });
});
