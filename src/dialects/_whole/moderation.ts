// Moderation in OpenAI's form, which Mistral shares for texts (their API references, `/moderations`).
import { Fault } from "../../core/faults/fault.ts";
import { malformed } from "../../core/faults/malformed.ts";
import { asArray, asObject, type JsonObject } from "../../core/json/json.ts";
import type { Codec } from "../../operations/codec.ts";
import type {
  ModerationForm,
  ModerationReply,
  ModerationRequest,
  ModerationResult,
} from "../../operations/moderation/form.ts";
import { makeWholeCodec } from "../../operations/whole.ts";
import { makeCall, passExtras } from "../_chat/outgoing.ts";
import { readUsage } from "./embeddings.ts";

interface ModerationQuirks {
  /** True if it judges images, and several parts together. */
  readonly takesParts: boolean;
}

export function makeModeration({ takesParts }: ModerationQuirks): Codec<ModerationForm> {
  return makeWholeCodec({
    encode(ask, card, target) {
      const { fields, dropped } = passExtras(ask.extras, [], target);
      const body: JsonObject = { ...fields, model: card.name, input: makeInput(ask, takesParts) };
      return makeCall(target, "/moderations", body, dropped);
    },
    reply: (body, _card, ask) => readModeration(body, ask),
  });
}

function makeInput({ inputs }: ModerationRequest, takesParts: boolean): unknown {
  const [only] = inputs;
  const isAlone = inputs.length === 1;
  if (takesParts) return isAlone ? only : inputs;
  const texts = inputs.map((input) => (typeof input === "string" ? input : joinTexts(input)));
  return isAlone ? texts[0] : texts;
}

function joinTexts(parts: Exclude<ModerationRequest["inputs"][number], string>): string {
  const texts = parts.map((part) => {
    if (part.type === "text") return part.text;
    throw new Fault("unsupported_capability", "This model only moderates text.", { param: "input" });
  });
  return texts.join("\n");
}

/** Reads the verdicts. Throws a Fault if one is missing. */
function readModeration(body: unknown, { inputs }: ModerationRequest): ModerationReply {
  const { results, usage } = asObject(body);
  const verdicts = asArray(results).map(readResult);
  if (verdicts.length !== inputs.length) throw malformed("the results don't match the inputs");
  return { results: verdicts, usage: readUsage(usage) };
}

/** Mistral omits `flagged`. */
function readResult(value: unknown): ModerationResult {
  const result = asObject(value);
  const categories = asObject(result.categories);
  const scores = asObject(result.category_scores);
  if (Object.keys(categories).length === 0) throw malformed("a result has no categories");
  const flagged = result.flagged ?? Object.values(categories).includes(true);
  return { ...result, flagged: flagged === true, categories, category_scores: scores };
}
