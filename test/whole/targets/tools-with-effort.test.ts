// Tools beside an effort, which OpenAI's models from gpt-5.4 on refuse at /chat/completions: on every surface, whole and streamed.
import { afterAll, beforeAll, describe, expect, test } from "bun:test";

import {
  CHAT,
  RESPONSES,
  type SurfaceBodies,
  startVendors,
  type Vendors,
  WAYS,
} from "../world/vendor-rules.ts";

let vendors: Vendors;
beforeAll(async () => {
  vendors = await startVendors();
});
afterAll(() => vendors.stop());

const SAY = "say: good day";
/** A client of Responses is answered there by OpenAI itself. */
const TRANSLATED = WAYS.filter(({ surface }) => surface !== "responses");

describe("tools beside an effort", () => {
  const PARAMETERS = { type: "object", properties: {} };
  const user = (content: string) => ({ role: "user", content });
  const BODIES: SurfaceBodies = {
    chat: {
      messages: [user(SAY)],
      tools: [{ type: "function", function: { name: "look", parameters: PARAMETERS } }],
      reasoning_effort: "high",
    },
    messages: {
      messages: [user(SAY)],
      tools: [{ name: "look", input_schema: PARAMETERS }],
      thinking: { type: "adaptive" },
      output_config: { effort: "high" },
    },
    responses: {
      input: SAY,
      tools: [{ type: "function", name: "look", parameters: PARAMETERS }],
      reasoning: { effort: "high" },
    },
    gemini: {
      contents: [{ role: "user", parts: [{ text: SAY }] }],
      tools: [{ functionDeclarations: [{ name: "look", parametersJsonSchema: PARAMETERS }] }],
      generationConfig: { thinkingConfig: { thinkingLevel: "HIGH" } },
    },
    interactions: {
      input: SAY,
      tools: [{ type: "function", name: "look", parameters: PARAMETERS }],
      generation_config: { thinking_level: "high" },
    },
  };
  /** Refuses them by the operator's word. */
  const TOLD = "OpenAI#gpt-5.1";
  const ANSWERED = { status: 200, text: expect.stringContaining("good"), dropped: null };
  const KNOWN = ["gpt-5.4", "gpt-5.4-mini", "gpt-5.4-nano", "gpt-5.5"].flatMap((name) => [
    `OpenAI#${name}`,
    `Azure#${name}`,
  ]);

  describe.each(WAYS)("$surface, streamed: $stream", ({ surface, stream }) => {
    const body = BODIES[surface];
    test("go to /responses at once from gpt-5.4 on, and nothing is stored there", async () => {
      for (const model of [...KNOWN, "both", TOLD]) {
        const answer = await vendors.ask(surface, model, body, stream);
        expect([model, answer]).toMatchObject([model, { ...ANSWERED, paths: [RESPONSES] }]);
        expect(answer.sent).toMatchObject({ store: false, reasoning: { effort: "high" } });
      }
    });
  });

  describe.each(TRANSLATED)("$surface, streamed: $stream", ({ surface, stream }) => {
    const body = BODIES[surface];
    const name = `late-${surface}-${stream}`;

    test("go there once a model has refused them in OpenAI's words", async () => {
      for (const provider of ["OpenAI", "Azure"]) {
        const model = `${provider}#gpt-5.2-${name}`;
        const first = await vendors.ask(surface, model, body, stream);
        expect(first).toMatchObject({ ...ANSWERED, paths: [CHAT, RESPONSES] });
        expect(first.sent).toMatchObject({ store: false, reasoning: { effort: "high" } });
        const next = await vendors.ask(surface, model, body, stream);
        expect(next).toMatchObject({ ...ANSWERED, paths: [RESPONSES] });
      }
    });
  });

  describe.each(WAYS)("$surface, streamed: $stream", ({ surface, stream }) => {
    const body = BODIES[surface];
    test.each(["gpt-5.4", "gpt-5.5", "gpt-5.6-sol"])(
      "are sent without the effort to a server that has no /responses: %s",
      async (name) => {
        const model = `Local#${name}-own-${surface}-${stream}`;
        const first = await vendors.ask(surface, model, body, stream);
        expect(first).toMatchObject({ status: 200, paths: [CHAT, CHAT], sent: { reasoning_effort: "none" } });
        expect(first.dropped).toMatch(/effort|thinking/i);
        const next = await vendors.ask(surface, model, body, stream);
        expect(next).toMatchObject({ status: 200, paths: [CHAT], dropped: first.dropped });
      },
    );
  });

  test("go without the effort if several answers are asked for, which /responses doesn't give", async () => {
    const body = { ...BODIES.chat, n: 2 };
    const answer = await vendors.ask("chat", "OpenAI#gpt-5.2-late-several", body, false);
    expect(answer).toMatchObject({ status: 200, paths: [CHAT, CHAT], dropped: "reasoning_effort" });
    expect(answer.sent.reasoning_effort).toBeUndefined();
  });

  test("are asked of a chosen model at /responses", async () => {
    const allowed = ["Router#best", "OpenAI#gpt-5.5"];
    const { secret } = await vendors.gateway.newKey({ allowed_models: allowed, requests_per_day: null });
    for (const stream of [false, true]) {
      const headers = { authorization: `Bearer ${secret}`, "content-type": "application/json" };
      const asked = { model: "Router#best", max_tokens: 500, stream, ...BODIES.messages };
      const init = { method: "POST", headers, body: JSON.stringify(asked) };
      const answered = await fetch(`${vendors.gateway.url}/v1/messages`, init);
      expect([answered.status, await answered.text()]).toEqual([200, expect.stringContaining("good")]);
      expect(vendors.calls.at(-1)?.path).toEndWith(RESPONSES);
    }
  });

  test("are refused in the server's words where the operator says that it takes them", async () => {
    const model = "Azure#gpt-5.2-late-taken";
    const answer = await vendors.ask("chat", model, BODIES.chat, false);
    expect(answer).toMatchObject({ status: 400, paths: [CHAT] });
    expect(answer.text).toContain("Please use /v1/responses instead.");
  });
});
