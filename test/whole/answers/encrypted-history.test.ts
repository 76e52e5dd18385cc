// A conversation that its provider has compacted and encrypted goes back to that provider alone, or is refused: no request is
// answered without its history.
import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { asArray, asObject, type JsonObject } from "../../../src/core/json/json.ts";
import { startUnderTest, type UnderTest } from "../../harness/harness.ts";

const NATIVE = "OpenAI#gpt-5.4";
const USER = { type: "message", role: "user", content: "What shall we do?" };
const TRIGGER = { type: "compaction_trigger" };
const UNKNOWN = { type: "compaction", id: "cmp_0", encrypted_content: "gAAAAsomebodys" };

let world: UnderTest;
let item: JsonObject;
beforeAll(async () => {
  world = await startUnderTest({
    more: [
      "aliases:",
      `  plain: "${NATIVE}"`,
      `  both: [{ model: "${NATIVE}", weight: 1 }, { model: "Anthropic#claude-sonnet-4-6", weight: 99 }]`,
      '  others: [{ model: "Anthropic#claude-sonnet-4-6" }, { model: "Local#some-model" }]',
      `models: { "OpenAI#gpt-5.4-mini": { fallbacks: ["Anthropic#claude-sonnet-4-6"] } }`,
    ].join("\n"),
  });
  item = itemOf((await ask(NATIVE, [USER, TRIGGER])).body);
});
afterAll(() => world.stop());

const itemOf = (body: JsonObject) => asObject(asArray(body.output).at(-1));

interface Given {
  readonly secret?: string;
  readonly stream?: boolean;
}

async function ask(model: string, input: readonly object[], given: Given = {}) {
  const { secret = world.secret, ...more } = given;
  const before = world.simulator.calls.all().length;
  const response = await fetch(`${world.url}/v1/responses`, {
    method: "POST",
    headers: { authorization: `Bearer ${secret}`, "content-type": "application/json" },
    body: JSON.stringify({ model, input, store: false, ...more }),
  });
  const text = await response.text();
  const body = response.headers.get("content-type")?.includes("json") ? asObject(JSON.parse(text)) : {};
  const calls = world.simulator.calls.all().slice(before);
  const upstream = calls.map((call) => JSON.stringify(call.body));
  return { status: response.status, model: response.headers.get("x-poundkey-model"), body, text, upstream };
}

describe("a history that was encrypted here", () => {
  test.each([NATIVE, "plain", "both", "Router#best", "Router#light", "OpenAI#gpt-5.4-mini"])(
    "is sent over %s to its provider",
    async (asked) => {
      const { status, model, upstream } = await ask(asked, [item, USER]);
      expect([status, model?.split("#")[0], upstream.length]).toEqual([200, "OpenAI", 1]);
      expect(upstream[0]).toContain('"encrypted_content":"gAAAA');
    },
  );

  test.each(["Anthropic#claude-sonnet-4-6", "Local#some-model", "Responses#gpt-4.1", "others"])(
    "is refused over %s",
    async (asked) => {
      const { status, body, upstream } = await ask(asked, [USER, item, USER]);
      expect([status, upstream.length, body.error]).toMatchObject([
        400,
        0,
        { code: "unsupported_capability", param: "input[1]" },
      ]);
    },
  );

  test("goes to nobody else when its provider fails", async () => {
    const { status, upstream } = await ask("OpenAI#gpt-5.4-mini~trouble=503", [item, USER]);
    expect(status).toBeGreaterThanOrEqual(500);
    for (const sent of upstream) expect(sent).toContain('"encrypted_content":"gAAAA');
  });

  test("is compacted again by its provider, streamed with one and the same item", async () => {
    const { text, upstream } = await ask(NATIVE, [item, USER, TRIGGER], { stream: true });
    expect(upstream.join()).toContain("compaction_trigger");
    const sealed = [...text.matchAll(/"encrypted_content":"(pk1\.[^"]+)"/g)].map(([, one]) => one);
    expect(sealed.length).toBeGreaterThan(1);
    expect(new Set(sealed).size).toBe(1);
    expect(text).not.toContain("gAAAA");
  });

  test("is another account's secret", async () => {
    const account = await world.newAccount();
    const { secret } = await world.newKey({ account_id: account, requests_per_day: null });
    const { status, body, upstream } = await ask(NATIVE, [item, USER], { secret });
    expect([status, upstream.length, body.error]).toMatchObject([
      400,
      0,
      { code: "invalid_encrypted_content", param: "input[0].encrypted_content" },
    ]);
  });
});

describe("a history from elsewhere", () => {
  test.each([NATIVE, "plain"])("is sent over %s, which names who reads it", async (asked) => {
    const { status, upstream } = await ask(asked, [UNKNOWN, USER]);
    expect(upstream.join()).toContain(UNKNOWN.encrypted_content);
    expect(status).toBe(200);
  });

  test.each(["both", "others", "Router#best", "Router#fair", "Local#some-model", "Responses#gpt-4.1"])(
    "is refused over %s",
    async (asked) => {
      const { status, body, upstream } = await ask(asked, [UNKNOWN, USER]);
      expect([status, upstream.length, body.error]).toMatchObject([
        400,
        0,
        { code: "unsupported_capability", param: "input[0]" },
      ]);
    },
  );

  test("can't stand beside one that was encrypted here", async () => {
    const { status, body, upstream } = await ask(NATIVE, [UNKNOWN, item, USER]);
    expect([status, upstream.length, body.error]).toMatchObject([400, 0, { param: "input[1]" }]);
  });
});
