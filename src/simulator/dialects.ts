// The dialects that simulated providers speak, each below a path of its own.
import { anthropic } from "./anthropic.ts";
import { bedrock } from "./bedrock.ts";
import { cohere } from "./cohere.ts";
import { gemini } from "./gemini.ts";
import { mistral } from "./mistral.ts";
import { openai } from "./openai.ts";
import { perplexity } from "./perplexity.ts";
import { responses } from "./responses.ts";
import type { SimDialect } from "./types.ts";
import { jina, voyage } from "./voyage.ts";

export const SIM_DIALECTS: readonly SimDialect[] = [
  openai,
  responses,
  anthropic,
  gemini,
  mistral,
  perplexity,
  cohere,
  bedrock,
  voyage,
  jina,
];

/** Returns the dialect that serves the path. */
export function findDialect(pathname: string): SimDialect | undefined {
  return SIM_DIALECTS.find(
    (one) => pathname.startsWith(`${one.prefix}/`) && isServed(one, pathname.slice(one.prefix.length)),
  );
}

function isServed({ handles, whole = [] }: SimDialect, path: string): boolean {
  return handles(path) || whole.some((form) => form.path.test(path));
}
