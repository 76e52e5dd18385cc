// Streams as upstreams really send them: disturbed on their way but sound, and broken off at any place.

/** A model of each dialect that thinks and calls where it can, and one of OpenAI's served over its other interface. */
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

/** A name that is as little in the catalogue as those of the disturbed. */
export const CALM = "~pace=0";

/** In the simulator's language: the answer must be the one that comes undisturbed. */
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

/** Mistral's finish holds the calls: a second copy would be their arguments in two pieces. */
export function harmlessTo(model: string): string[] {
  return HARMLESS.filter((trouble) => trouble !== "double-finish" || !model.startsWith("Mistral"));
}

/** The answer must never look whole. */
export const BREAKS: readonly string[] = ["cut", "cut-clean", "reset-mid", "garbage", "error-mid"];
/** After so many pieces: in the thinking, in a call, before the end. */
export const PLACES: readonly number[] = [0, 1, 2, 3, 5, 8, 1000];
