// OpenAI's moderations API.
import { Fault } from "../../core/fault.ts";
import { asArray, asObject, type JsonObject } from "../../core/json.ts";
import type {
  ModerationForm,
  ModerationPart,
  ModerationReply,
  ModerationRequest,
} from "../../operations/moderation/form.ts";
import { MODERATION } from "../../operations/moderation/operation.ts";
import { Checker, checkModelName, readFields } from "../checker.ts";
import { writeCost } from "../cost.ts";
import {
  type Exchange,
  type Incoming,
  refuseAsOpenai,
  refuseStream,
  type Stamp,
  type Surface,
  TRANSLATED_WHOLE,
} from "../surface.ts";
import { moderationRequestSchema } from "./schema.ts";

const CHECKER = new Checker(moderationRequestSchema);
/** OpenAI's SDKs leave the model out; an alias may name another one for it. */
const STANDARD_MODEL = "omni-moderation-latest";

export const MODERATIONS: Surface<ModerationForm> = {
  name: "moderations",
  family: "openai",
  operation: MODERATION,
  idPrefix: "modr-",
  read: ({ body }: Incoming): Exchange<ModerationForm> => ({
    ...TRANSLATED_WHOLE,
    ask: readModeration(body),
    whole: writeWhole,
  }),
  refuse: refuseAsOpenai,
};

function readModeration(body: unknown): ModerationRequest {
  const given = readFields(body);
  CHECKER.check(given, asArray(given.input).length);
  if (given.stream === true) refuseStream();
  const { model = STANDARD_MODEL, input, stream: _stream, ...extras } = given;
  checkModelName(model);
  return { model: String(model), inputs: readInputs(input), extras };
}

function readInputs(input: unknown): ModerationRequest["inputs"] {
  if (typeof input === "string") return [input];
  const given = asArray(input);
  const texts = given.filter((one) => typeof one === "string");
  if (texts.length === given.length) return texts;
  if (texts.length === 0) return [given.map(readPart)];
  const message = "Invalid 'input': texts and parts can't be mixed.";
  throw new Fault("invalid_type", message, { param: "input" });
}

function readPart(given: unknown): ModerationPart {
  const { type, text, image_url } = asObject(given);
  if (type === "text") return { type, text: String(text) };
  return { type: "image_url", image_url: { url: String(asObject(image_url).url) } };
}

function writeWhole({ results, usage }: ModerationReply, { id, model }: Stamp): JsonObject {
  const prompt = usage?.amounts.prompt ?? 0;
  const counted = { prompt_tokens: prompt, total_tokens: prompt, ...writeCost(asObject(usage)) };
  return { id, model, results, usage: counted };
}
