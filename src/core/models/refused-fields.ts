// The field of a request that a provider's refusal names, from a closed list: those that the gateway could have left out.
import type { RefusalWord } from "./refusals.ts";

interface RefusedField {
  /** In a parameter's path, or in the words of a message. */
  readonly names: RegExp;
  /** The word of `refuses` that leaves it out from then on. Missing if there is none. */
  readonly refuses?: RefusalWord;
}

/** The first that is named counts, so fields within others stand before them. */
const FIELDS = {
  temperature: { names: /\btemperature\b/i, refuses: "temperature" },
  top_p: { names: /\btop_?p\b/i, refuses: "top_p" },
  top_k: { names: /\btop_?k\b/i, refuses: "top_k" },
  thinking_budget: { names: /\bbudget_tokens\b|\bthinking_?budget\b/i, refuses: "thinking_budget" },
  thinking_level: { names: /\bthinking[_ ]?level\b/i, refuses: "thinking_level" },
  thinking_adaptive: { names: /\badaptive\b/i, refuses: "thinking_adaptive" },
  reasoning_effort: {
    names: /\breasoning[_.]effort\b|\boutput_config\.effort\b|\beffort parameter\b/i,
    refuses: "reasoning_effort",
  },
  prefill: { names: /\bprefill\b|\bmust end with a user message\b/i, refuses: "prefill" },
  tool_choice: { names: /\btool_?choice\b/i, refuses: "forced_tool" },
  parallel_tool_calls: { names: /\bparallel_tool_calls\b/i },
  response_format: { names: /\bresponse_format\b|\btext\.format\b/i },
  logprobs: { names: /\b(top_)?logprobs\b/i },
  verbosity: { names: /\bverbosity\b/i },
  presence_penalty: { names: /\bpresence_?penalty\b/i },
  frequency_penalty: { names: /\bfrequency_?penalty\b/i },
  stop: { names: /\bstop(_sequences)?\b/i },
  seed: { names: /\bseed\b/i },
  logit_bias: { names: /\blogit_bias\b/i },
  service_tier: { names: /\bservice_tier\b/i },
  metadata: { names: /\bmetadata\b/i },
} as const satisfies Readonly<Record<string, RefusedField>>;

type RefusedFieldName = keyof typeof FIELDS;

const NAMES: readonly RefusedFieldName[] = Object.keys(FIELDS).filter((name) => isField(name));

function isField(name: string): name is RefusedFieldName {
  return Object.hasOwn(FIELDS, name);
}

/** Returns the word of `refuses` that leaves a field out. Null if there is none. */
export function findFieldWord(field: string): RefusalWord | null {
  if (!isField(field)) return null;
  const row: RefusedField = FIELDS[field];
  return row.refuses ?? null;
}

/** Words of a refusal as such. Others say that a value is out of bounds, which leaving a field out wouldn't answer best. */
const REFUSING =
  /not (be )?(support|allow|permit|accept|available|compatible)|unsupported|un(known|recognized)|deprecated|extra (inputs|fields)|does(n't| not) (support|allow|accept)|cannot be (used|set|specified)|isn't supported|must end with a user message/i;

/** Returns the field that a provider's 400 or 422 refuses. Null if it names none of the list. */
export function findRefusedField(message: string, param: string | null | undefined): RefusedFieldName | null {
  if (!REFUSING.test(message)) return null;
  const place = param ?? "";
  return (
    NAMES.find((name) => FIELDS[name].names.test(place)) ??
    NAMES.find((name) => FIELDS[name].names.test(message)) ??
    null
  );
}
