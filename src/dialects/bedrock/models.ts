// The rules of the model families behind Converse, as one table of name patterns (Amazon Bedrock, "Supported models and features").

export interface Traits {
  /** The tool choices beside `auto`; empty: no call can be forced. */
  readonly forced: readonly ("any" | "tool")[];
  /** Results of tools say by a status whether the tool failed. */
  readonly resultStatus: boolean;
  /** Takes cache points in the system prompt and the messages, and among the tools. */
  readonly cache: { readonly prompt: boolean; readonly tools: boolean; readonly hours: boolean };
  /** The way to ask for reasoning. */
  readonly reasoning: "nova" | "effort" | "config" | "none";
}

const NO_CACHE = { prompt: false, tools: false, hours: false };

/** A model of which nothing is known. An application's inference profile doesn't tell which model is behind it. */
const PLAIN: Traits = { forced: [], resultStatus: false, cache: NO_CACHE, reasoning: "none" };
const NOVA: Traits = {
  forced: ["any", "tool"],
  resultStatus: true,
  cache: { prompt: true, tools: false, hours: false },
  reasoning: "none",
};
const CLAUDE: Traits = { ...NOVA, cache: { prompt: true, tools: true, hours: true } };

/** The first row that fits counts. Names may have a region's prefix, or stand within an ARN. */
const ROWS: readonly (readonly [RegExp, Traits])[] = [
  [/amazon\.nova-(premier|micro|lite|pro)/, NOVA],
  [/amazon\.nova/, { ...NOVA, reasoning: "nova" }],
  [/anthropic\.claude/, CLAUDE],
  [/mistral\./, { ...PLAIN, forced: ["any"] }],
  [/openai\.gpt-oss/, { ...PLAIN, reasoning: "effort" }],
  [/qwen\.qwen3/, { ...PLAIN, reasoning: "config" }],
];

export function findTraits(name: string): Traits {
  return ROWS.find(([pattern]) => pattern.test(name))?.[1] ?? PLAIN;
}
