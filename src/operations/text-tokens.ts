// The tokens to expect in a text whose tokenizer is not known.

/** Near the mean of prose in current tokenizers. */
export const BYTES_PER_TOKEN = 4;

export function likelyTextTokens(bytes: number): number {
  return Math.ceil(bytes / BYTES_PER_TOKEN);
}
