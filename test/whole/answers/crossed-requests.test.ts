// The parts of a request that crossings to another family used to lose, from every surface to every dialect, whole and streamed,
// through the whole gateway to a strict provider: the true types of pictures, phases, signatures, and other gateways' words.
import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import type { JsonObject } from "../../../src/core/json/json.ts";
import { startUnderTest, type UnderTest } from "../../harness/harness.ts";
import { listPhases, listSignatures, PARALLEL, PHASED } from "../../surfaces/crossing/conversations.ts";
import { SURFACE_KEYS, type SurfaceKey } from "../../surfaces/crossing/crossing.ts";
import { FILES, listNamed, makeBodies, PICTURES } from "../../surfaces/crossing/media.ts";
import { expectWish, WISHES } from "../../surfaces/crossing/wishes.ts";
import { askSurface } from "../world/surface-asking.ts";

/** A model of each dialect that sees pictures and thinks. */
const MODELS = [
  "OpenAI#gpt-5.4-mini",
  "Responses#gpt-5.4-mini",
  "Local#some-model",
  "Anthropic#claude-sonnet-4-6",
  "Google#gemini-3.6-flash",
  "Mistral#mistral-medium-latest",
  "Bedrock#us.anthropic.claude-sonnet-4-5-20250929-v1:0",
];
/** Where the client's own API leads to, and its words are kept. */
const NATIVE: Readonly<Record<SurfaceKey, RegExp>> = {
  chat: /^$/,
  messages: /^Anthropic/,
  responses: /^(OpenAI|Responses)/,
  gemini: /^Google/,
};

let gateway: UnderTest;
beforeAll(async () => {
  gateway = await startUnderTest();
});
afterAll(() => gateway.stop());

const send = (surface: SurfaceKey, model: string, body: JsonObject, stream: boolean) =>
  askSurface(gateway, { surface, model, body, stream });

describe.each([false, true])("streamed: %p", (stream) => {
  describe.each([...SURFACE_KEYS])("from %s", (surface) => {
    test.each(MODELS)("pictures reach %s as what they are", async (model) => {
      const isNative = NATIVE[surface].test(model);
      // Google takes no GIFs, and its refusal is the right answer.
      for (const type of PICTURES.filter((one) => one !== "image/gif" || !model.startsWith("Google"))) {
        // OpenAI and Google don't mind a picture that is another.
        const declared = isNative || type === "image/jpeg" ? "application/octet-stream" : "image/jpeg";
        for (const body of makeBodies(`data:${declared};base64,${FILES[type]}`)[surface]) {
          const { status, sent, text } = await send(surface, model, body, stream);
          const bytes = JSON.stringify(sent);
          const named = bytes.includes(FILES[type]) ? listNamed(bytes) : [type];
          expect([surface, status, named, status === 200 ? "" : text]).toEqual([surface, 200, [type], ""]);
        }
      }
    });

    test.each(MODELS.filter((model) => !NATIVE[surface].test(model) && !model.startsWith("Mistral")))(
      "a PDF that is called a picture reaches %s as a document",
      async (model) => {
        for (const body of makeBodies(`data:image/png;base64,${FILES["application/pdf"]}`)[surface]) {
          const { status, sent, text } = await send(surface, model, body, stream);
          const bytes = JSON.stringify(sent);
          expect([status, listNamed(bytes), status === 200 ? "" : text]).toEqual([200, [], ""]);
        }
      },
    );

    test.each(["OpenAI#gpt-5.3-codex", "OpenAI#gpt-5.4-pro"])("phases reach %s", async (model) => {
      const { status, sent, text } = await send(surface, model, PHASED[surface], stream);
      const phases = surface === "responses" ? [undefined, undefined] : ["commentary", "final_answer"];
      expect([status, listPhases(sent), status === 200 ? "" : text]).toEqual([200, phases, ""]);
    });

    test("of parallel calls only the first has what stands for a signature", async () => {
      const { status, sent } = await send(surface, "Google#gemini-3.6-flash", PARALLEL[surface], stream);
      expect([status, listSignatures(sent)]).toEqual([200, ["skip_thought_signature_validator", undefined]]);
    });
  });

  describe.each(WISHES)("%j on chat", (wish, effort) => {
    // A server that nothing is known of may understand the other gateway's word, and gets it.
    const known = MODELS.filter((model) => !model.startsWith("Local"));
    test.each(known)("says at %s what the effort says", async (model) => {
      const messages = [{ role: "user", content: "say: hi" }];
      const said = await send("chat", model, { messages, reasoning_effort: effort }, stream);
      const wished = await send("chat", model, { messages, ...wish }, stream);
      expect([said.status, wished.status, wished.dropped]).toEqual([200, 200, said.dropped]);
      expect(wished.sent).toEqual(expectWish(said.sent, wished.sent));
    });
  });
});
