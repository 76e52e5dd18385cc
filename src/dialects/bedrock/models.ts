// The rules of the model families behind Converse, as one table of name patterns (Amazon Bedrock, "Supported models and features").

export interface BedrockTraits {
  /** The tool choices besides `auto`. Empty if no call can be forced. */
  readonly forced: readonly ("any" | "tool")[];
  /** True if tool results carry a status that reports failure. */
  readonly resultStatus: boolean;
  /** Accepts cache points in system prompt and messages, among the tools, and for an hour. */
  readonly cache: { readonly prompt: boolean; readonly tools: boolean; readonly hours: boolean };
  /** The way to request reasoning. */
  readonly reasoning: "nova" | "effort" | "config" | "none";
}

const NO_CACHE = { prompt: false, tools: false, hours: false };

/** An unknown model. An application's inference profile doesn't show which model is behind it. */
const PLAIN: BedrockTraits = { forced: [], resultStatus: false, cache: NO_CACHE, reasoning: "none" };
const NOVA: BedrockTraits = {
  forced: ["any", "tool"],
  resultStatus: true,
  cache: { prompt: true, tools: false, hours: false },
  reasoning: "none",
};
const CLAUDE: BedrockTraits = { ...NOVA, cache: { prompt: true, tools: true, hours: true } };

/** The first match counts. Names may have a region's prefix or be part of an ARN. */
const ROWS: readonly (readonly [RegExp, BedrockTraits])[] = [
  [/amazon\.nova-(premier|micro|lite|pro)/, NOVA],
  [/amazon\.nova/, { ...NOVA, reasoning: "nova" }],
  [/anthropic\.claude/, CLAUDE],
  [/mistral\./, { ...PLAIN, forced: ["any"] }],
  [/openai\.gpt-oss/, { ...PLAIN, reasoning: "effort" }],
  [/qwen\.qwen3/, { ...PLAIN, reasoning: "config" }],
];

export function findTraits(name: string): BedrockTraits {
  return ROWS.find(([pattern]) => pattern.test(name))?.[1] ?? PLAIN;
}
