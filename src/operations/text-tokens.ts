// The expected tokens of a text with an unknown tokenizer.

/** Close to the average of prose in current tokenizers. */
export const BYTES_PER_TOKEN = 4;

/** Catalogues round: 128,000 for 131,072. A prompt longer than the context is refused and costs nothing. */
export const CONTEXT_SLACK = 1.05;

export function estimateTextTokens(bytes: number): number {
  return Math.ceil(bytes / BYTES_PER_TOKEN);
}
