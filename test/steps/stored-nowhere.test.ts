// A step may say that no provider stores a request: `store` isn't sent and is named, and the gateway keeps what it kept.
import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { asObject, type JsonObject, parseJson } from "../../src/core/json/json.ts";
import type { Step } from "../../src/gateway/step.ts";
import { startUnderTest, type UnderTest } from "../harness/harness.ts";

/** Lets no provider store prompts with `private`. */
const step: Step = {
  before({ ask, raw, kept }) {
    if (!JSON.stringify(ask).includes("private")) return null;
    return { kind: "changed", ask, raw, kept, keepsUpstream: false };
  },
  around: () => null,
};

const CHAT = (prompt: string, more: object) => ({ messages: [{ role: "user", content: prompt }], ...more });
const INPUT = (prompt: string, more: object) => ({ input: prompt, ...more });

const WAYS = [
  ["chat, translated to Responses", "/v1/chat/completions", "Responses#sim", CHAT],
  ["chat", "/v1/chat/completions", "OpenAI#sim", CHAT],
  ["Responses", "/v1/responses", "Responses#sim", INPUT],
] as const;

async function post(world: UnderTest, path: string, body: object) {
  const response = await fetch(world.url + path, {
    method: "POST",
    headers: { authorization: `Bearer ${world.secret}`, "content-type": "application/json" },
    body: JSON.stringify(body),
  });
  const text = await response.text();
  const sent: JsonObject = asObject(world.simulator.calls.last()?.body);
  return { status: response.status, dropped: response.headers.get("x-poundkey-dropped"), text, sent };
}

describe("where providers store on request", () => {
  let world: UnderTest;
  beforeAll(async () => {
    world = await startUnderTest({ steps: [step], more: "responses: { upstream_store: true }" });
  });
  afterAll(() => world.stop());

  test.each(WAYS)("%s", async (_name, path, model, write) => {
    for (const stream of [false, true]) {
      const asked = { model, stream, store: true };
      const usual = await post(world, path, write("say: open", asked));
      expect([usual.status, usual.sent.store, usual.dropped]).toEqual([200, true, null]);
      const hidden = await post(world, path, write("say: private", asked));
      expect([hidden.status, hidden.sent.store, hidden.dropped]).toEqual([200, false, "store"]);
      const unasked = await post(world, path, write("say: private", { model, stream }));
      expect([unasked.status, unasked.sent.store === true, unasked.dropped]).toEqual([200, false, null]);
    }
  });
});

describe("where the gateway keeps answers", () => {
  let world: UnderTest;
  beforeAll(async () => {
    world = await startUnderTest({ steps: [step], more: "responses: { keep: 1d }" });
  });
  afterAll(() => world.stop());

  test.each([false, true])("the next turn goes on from them (streamed: %p)", async (stream) => {
    const first = await post(world, "/v1/responses", {
      model: "Responses#sim",
      input: "say: a private word",
      store: true,
      stream,
    });
    expect(first.sent.store).toBe(false);
    const id = /"id":"(resp_[^"]+)"/.exec(first.text)?.[1];
    const next = { model: "Responses#sim", input: "say: go on", previous_response_id: id };
    const second = await post(world, "/v1/responses", next);
    expect(second.status).toBe(200);
    expect(asObject(parseJson(second.text)).previous_response_id).toBe(id);
    expect(JSON.stringify(second.sent.input)).toContain("a private word");
  });
});
