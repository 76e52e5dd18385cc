// MiniMax's rules: one system message, at the front, and thinking apart from the text. On every surface, whole and streamed.
import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { asArray, asObject } from "../../../src/core/json/json.ts";
import { CHAT, type SurfaceBodies, startVendors, type Vendors, WAYS } from "../world/vendor-rules.ts";

let vendors: Vendors;
beforeAll(async () => {
  vendors = await startVendors();
});
afterAll(() => vendors.stop());

const SAY = "say: good day";

describe("MiniMax", () => {
  const user = (content: string) => ({ role: "user", content });
  const noon = (role: string) => ({ role, content: "It is noon." });
  const turn = (text: string) => ({ role: "user", parts: [{ text }] });
  /** Each has several system messages, and a late one where its API has that. */
  const BODIES: SurfaceBodies = {
    chat: {
      messages: [
        { role: "system", content: "Be brief." },
        { role: "developer", content: "Be kind." },
        user("Hello."),
        noon("system"),
        user(SAY),
      ],
    },
    messages: {
      system: [
        { type: "text", text: "Be brief." },
        { type: "text", text: "Be kind." },
      ],
      messages: [user("Hello."), noon("system"), user(SAY)],
    },
    responses: {
      instructions: "Be brief.",
      input: [{ role: "developer", content: "Be kind." }, user("Hello."), noon("developer"), user(SAY)],
    },
    gemini: {
      systemInstruction: { parts: [{ text: "Be brief." }, { text: "Be kind." }] },
      contents: [turn("Hello."), turn(SAY)],
    },
    interactions: { system_instruction: "Be brief.", input: SAY },
  };

  describe.each(WAYS)("$surface, streamed: $stream", ({ surface, stream }) => {
    const ROWS = ["MiniMax#MiniMax-M3", "Mine#MiniMax-M3"];
    test.each(ROWS)(
      "%s gets one system message from the start, and no thinking reaches the client as text",
      async (model) => {
        const answer = await vendors.ask(surface, model, BODIES[surface], stream);
        expect(answer.text).toContain("good");
        expect(answer.text).not.toContain("<think>");
        expect(answer).toMatchObject({ status: 200, paths: [CHAT], sent: { reasoning_split: true } });
        const roles = asArray(answer.sent.messages).map((message) => asObject(message).role);
        expect(roles.lastIndexOf("system")).toBe(0);
      },
    );

    test.skipIf(surface === "gemini" || surface === "interactions")(
      "is known by its words behind an address of the operator's",
      async () => {
        const model = `Local#minimax-m3-${surface}-${stream}`;
        const first = await vendors.ask(surface, model, BODIES[surface], stream);
        expect(first).toMatchObject({ status: 200, paths: [CHAT, CHAT] });
        const next = await vendors.ask(surface, model, BODIES[surface], stream);
        expect(next).toMatchObject({ status: 200, paths: [CHAT] });
      },
    );
  });

  test("several system messages in a row are known by its other words", async () => {
    const messages = [{ role: "system", content: "Be brief." }, noon("system"), user(SAY)];
    const answer = await vendors.ask("chat", "Local#minimax-m2-several", { messages }, false);
    expect(answer).toMatchObject({ status: 200, paths: [CHAT, CHAT] });
  });

  const DETAIL = { type: "reasoning.text", id: "reasoning-text-1", format: "MiniMax-response-v1", index: 0 };

  test("gets its thinking back in the form in which it came", async () => {
    const first = await vendors.gateway.chat({ model: "MiniMax#MiniMax-M3", messages: [user(SAY)] });
    const { choices } = asObject(await first.json());
    const message = asObject(asObject(asArray(choices)[0]).message);
    await vendors.gateway.chat({ model: "MiniMax#MiniMax-M3", messages: [user(SAY), message, user(SAY)] });
    const sent = asArray(vendors.calls.at(-1)?.body.messages).map(asObject);
    const details = [{ ...DETAIL, text: message.reasoning_content }];
    expect(sent[1]).toEqual({ role: "assistant", content: "good day", reasoning_details: details });
  });

  test("gets another vendor's thinking as a text of the same form", async () => {
    const signed = { type: "reasoning.text", text: "Hm", signature: "s", format: "anthropic-claude-v1" };
    const said = { role: "assistant", content: "Yes.", reasoning_content: "Hm", reasoning_details: [signed] };
    await vendors.gateway.chat({ model: "MiniMax#MiniMax-M3", messages: [user(SAY), said, user(SAY)] });
    const sent = asArray(vendors.calls.at(-1)?.body.messages).map(asObject);
    expect(sent[1]?.reasoning_details).toEqual([{ ...DETAIL, text: "Hm" }]);
  });
});
