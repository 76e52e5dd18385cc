// Refusals of Azure and Vertex AI through the gateway: clients see the right faults and never a secret.
import { afterAll, beforeEach, describe, expect, test } from "bun:test";
import { asArray, asObject, parseJson } from "../../../src/core/json/json.ts";
import { BINARY } from "../../harness/harness.ts";
import { KEYS } from "../../transport/auth/token-server.ts";
import { CLOUD_KEY } from "../world/cloud.ts";
import { chat, ENTRA_SECRET, startPlatformWorld } from "../world/platform-world.ts";

const world = await startPlatformWorld();
const cloud = world.cloud;
beforeEach(() => cloud.reset());
afterAll(() => world.stop());

describe("failures", () => {
  const filtered = {
    error: {
      message:
        "The response was filtered due to the prompt triggering Azure OpenAI's content management policy.",
      param: "prompt",
      code: "content_filter",
      status: 400,
      innererror: {
        code: "ResponsibleAIPolicyViolation",
        content_filter_result: { hate: { filtered: true } },
      },
    },
  };
  const missing = "Publisher Model `projects/p-of-the-operator/locations/eu/publishers/x` was not found.";
  test.each([
    ["a filtered prompt", "Azure#gpt-4o", 400, filtered, 400, "content_filter"],
    [
      "a refused key",
      "Azure#gpt-4o",
      401,
      { error: { code: "401", message: "Access denied" } },
      502,
      "upstream_auth",
    ],
    [
      "a missing deployment",
      "Azure#gpt-4o",
      404,
      { error: { code: "DeploymentNotFound", message: "none" } },
      404,
      "model_not_found",
    ],
    [
      "Google's error of Claude",
      "Vertex#claude-sonnet-5@default",
      400,
      [{ error: { code: 400, message: "The field is wrong.", status: "INVALID_ARGUMENT" } }],
      400,
      "INVALID_ARGUMENT",
    ],
    [
      "Claude's own",
      "Vertex#claude-sonnet-5@default",
      400,
      { type: "error", error: { type: "invalid_request_error", message: "The field is wrong." } },
      400,
      "invalid_request_error",
    ],
    [
      "a full quota",
      "Vertex#gemini-3.1-pro-preview",
      429,
      { error: { code: 429, status: "RESOURCE_EXHAUSTED" } },
      429,
      "provider_busy",
    ],
    [
      "a model that isn't there",
      "Vertex#openai/gpt-oss-120b-maas",
      404,
      [{ error: { code: 404, message: missing } }],
      404,
      "model_not_found",
    ],
  ])("%s", async (_name, model, status, body, shown, code) => {
    cloud.answer = () => ({ status, body });
    const answer = await world.post(...chat(model));
    const text = await answer.text();
    expect([answer.status, asObject(asObject(parseJson(text)).error).code]).toEqual([shown, code]);
    if (code === "INVALID_ARGUMENT") expect(text).toContain("The field is wrong.");
  });

  test("a token that can't be obtained is the operator's problem", async () => {
    cloud.revoke();
    cloud.isClosed = true;
    const answer = await world.post(...chat("Vertex#gemini-3.5-flash"));
    cloud.isClosed = false;
    const { error } = asObject(await answer.json());
    expect([answer.status, asObject(error).code]).toEqual([502, "upstream_auth"]);
    expect(JSON.stringify(error)).not.toMatch(/invalid_grant|assertion/);
  });

  test("a content filter's verdict on an answer reaches the client", async () => {
    const results = { content_filter_results: { hate: { filtered: false, severity: "safe" } } };
    const choice = {
      index: 0,
      message: { role: "assistant", content: "hi" },
      finish_reason: "stop",
      ...results,
    };
    const body = {
      id: "x",
      object: "chat.completion",
      created: 1,
      model: "m",
      choices: [choice],
    };
    cloud.answer = () => ({ status: 200, body });
    const answer = asObject(await (await world.post(...chat("Azure#gpt-4o"))).json());
    expect(asArray(answer.choices)[0]).toMatchObject(results);
  });
});

describe("secrets", () => {
  test.each([
    ["Azure#gpt-4o", CLOUD_KEY],
    ["Entra#gpt-4o", ENTRA_SECRET],
    ["Vertex#gemini-3.5-flash", KEYS.privateKey],
  ])("are not shown to clients if a cloud quotes what %s was called with", async (model, secret) => {
    let sent = "";
    cloud.answer = ({ headers }) => {
      sent = headers.authorization?.replace("Bearer ", "") ?? secret;
      return { status: 400, body: { error: { message: `You sent ${sent} for ${secret}`, code: sent } } };
    };
    const text = JSON.stringify(await (await world.post(...chat(model))).json());
    expect(text).toContain("[redacted]");
    expect(sent.length).toBeGreaterThan(10);
    for (const word of [sent, secret, CLOUD_KEY, "of-the-cloud"]) expect(text).not.toContain(word);
  });

  test("are not shown to operators either", async () => {
    const ask = (path: string) =>
      fetch(`${world.gateway.url}/admin/v1/${path}`, {
        headers: { authorization: `Bearer ${world.gateway.adminToken}` },
      });
    const answers = await Promise.all([ask("providers?all=true"), ask("settings")]);
    const text = (await Promise.all(answers.map((answer) => answer.text()))).join("\n");
    expect(answers.map(({ status }) => status)).toEqual([200, 200]);
    expect(text).toContain("Vertex");
    expect(text).not.toMatch(/of-the-cloud|of-the-application|PRIVATE KEY|id-of-the-private-key/);
  });

  test.skipIf(BINARY !== undefined)("are not in the log", () => {
    const log = JSON.stringify(world.gateway.events);
    expect(log).toContain("Vertex#gemini-3.5-flash");
    expect(log).not.toMatch(/of-the-cloud|of-the-application|PRIVATE KEY|id-of-the-private-key/);
  });
});
