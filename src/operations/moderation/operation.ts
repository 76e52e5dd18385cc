// Moderation as an operation: judges texts and images by categories.

import { Fault } from "../../core/faults/fault.ts";
import { can } from "../../core/models/card.ts";
import { type Amounts, NO_AMOUNTS } from "../../core/money/units.ts";
import type { Operation } from "../operation.ts";
import { estimateTextTokens } from "../text-tokens.ts";
import { makeWholeOperation } from "../whole.ts";
import type { ModerationForm, ModerationRequest } from "./form.ts";

/** Three lists of a few dozen categories, at most. */
const VERDICT_ELEMENTS = 1000;
/** About what a medium-sized image takes. */
const IMAGE_TOKENS = 1000;
/** The instructions that a model gets with each text. */
const TOKENS_AROUND = 100;

export const MODERATION: Operation<ModerationForm> = makeWholeOperation({
  name: "moderation",
  words: ["type", "url"],
  findCodec: ({ moderation }) => moderation ?? null,
  countElements: ({ inputs }) => (inputs.length + 1) * VERDICT_ELEMENTS,
  refuseUnable({ inputs }, card) {
    const hasImage = inputs.some(
      (input) => typeof input !== "string" && input.some(({ type }) => type === "image_url"),
    );
    if (!hasImage || can(card, "vision")) return;
    const message = `The model '${card.id}' only moderates text, not images.`;
    throw new Fault("unsupported_capability", message, { param: "input" });
  },
  // No tokenizer makes more tokens than a text has bytes.
  countWorst: (ask) => count(ask, (bytes) => bytes + TOKENS_AROUND),
  countLikely: (ask) => count(ask, estimateTextTokens),
  toLog({ inputs, ...request }) {
    return { request, messages: inputs };
  },
  toLogged: ({ results }) => ({ results }),
  content: "results",
});

function count({ inputs }: ModerationRequest, estimate: (bytes: number) => number): Amounts {
  let prompt = 0;
  for (const input of inputs) {
    const parts = typeof input === "string" ? [{ type: "text", text: input } as const] : input;
    for (const part of parts) {
      prompt += part.type === "text" ? estimate(Buffer.byteLength(part.text)) : IMAGE_TOKENS;
    }
  }
  return { ...NO_AMOUNTS, prompt };
}
