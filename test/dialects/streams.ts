// Streams as upstreams really send them: split and delayed on the way but complete, and cut off at any point.

/** For each dialect a model that thinks and calls tools if possible, and one of OpenAI's on its other interface. */
export const STREAMING: readonly string[] = [
  "OpenAI#gpt-4o-mini",
  "OpenAI#gpt-5.1-codex-max",
  "Responses#gpt-6-sol",
  "Anthropic#claude-opus-4-8",
  "Google#gemini-3.1-pro",
  "Mistral#magistral-medium",
  "Perplexity#sonar",
  "Cohere#command-a-reasoning",
  "Bedrock#us.anthropic.claude-opus-4-8",
  "Bedrock#us.amazon.nova-2-think",
  "Local#house-think",
];

/** A name outside the catalogue, like those of the disturbed models. */
export const CALM = "~pace=0";

/** In the simulator's language. The answer must be the same as undisturbed. */
const HARMLESS: readonly string[] = [
  "odd-usage",
  "trickle",
  "wrong-type",
  "split",
  "crlf",
  "pings",
  "double-finish",
  "json-for-stream",
  "pace=1",
];

/** Mistral's finish contains the calls, so a second copy would split their arguments into two pieces. */
export function harmlessTo(model: string): string[] {
  return HARMLESS.filter((trouble) => trouble !== "double-finish" || !model.startsWith("Mistral"));
}

/** The answer must never look complete. */
export const BREAKS: readonly string[] = ["cut", "cut-clean", "reset-mid", "garbage", "error-mid"];
/** The number of pieces before the break: in the thinking, in a call, before the end. */
export const PLACES: readonly number[] = [0, 1, 2, 3, 5, 8, 1000];
