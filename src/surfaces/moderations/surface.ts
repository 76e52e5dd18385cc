// OpenAI's moderations API.
import { type Static, Type } from "@sinclair/typebox";
import { Fault } from "../../core/faults/fault.ts";
import {
  type ModerationForm,
  type ModerationPart,
  type ModerationRequest,
  STANDARD_MODERATION,
} from "../../operations/moderation/form.ts";
import { MODERATION } from "../../operations/moderation/operation.ts";
import { checkChoice, modelName, openObject } from "../bounds.ts";
import { writePromptUsage } from "../cost.ts";
import { makeWholeSurface } from "../openai-surface.ts";
import type { Surface } from "../surface.ts";

const INPUTS_MAX = 2048;

const textPart = Type.Object({ type: checkChoice("text"), text: Type.String() });
const imagePart = Type.Object({
  type: checkChoice("image_url"),
  image_url: openObject({ url: Type.String({ minLength: 1 }) }),
});

export const moderationRequestSchema = openObject({
  model: Type.Optional(modelName),
  input: Type.Union([
    Type.String(),
    Type.Array(Type.Union([Type.String(), textPart, imagePart]), { minItems: 1, maxItems: INPUTS_MAX }),
  ]),
});

export const MODERATIONS: Surface<ModerationForm> = makeWholeSurface({
  name: "moderations",
  operation: MODERATION,
  idPrefix: "modr-",
  schema: moderationRequestSchema,
  list: "input",
  read: ({ model = STANDARD_MODERATION, input }, extras) => ({ model, inputs: readInputs(input), extras }),
  write: ({ results, usage }, { id, model }) => ({ id, model, results, usage: writePromptUsage(usage) }),
});

function readInputs(input: Static<typeof moderationRequestSchema>["input"]): ModerationRequest["inputs"] {
  if (typeof input === "string") return [input];
  const texts = input.filter((one) => typeof one === "string");
  if (texts.length === input.length) return texts;
  const parts = input.filter((one) => typeof one !== "string");
  if (texts.length === 0) return [parts.map(readPart)];
  const message = "Invalid 'input': strings and content parts can't be mixed.";
  throw new Fault("invalid_type", message, { param: "input" });
}

/** Only what is judged is passed on. */
function readPart(part: ModerationPart): ModerationPart {
  if (part.type === "text") return { type: "text", text: part.text };
  return { type: "image_url", image_url: { url: part.image_url.url } };
}
