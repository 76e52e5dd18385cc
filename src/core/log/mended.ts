// The refusals of a model's server after which a request was asked once more in another form, as rows have them.

/** Returns the words of the refusals, each once: `system_late field:user`. They have no spaces. */
export function formatMended(before: string | null, words: readonly string[]): string | null {
  return [...new Set([...readMended(before), ...words])].join(" ") || null;
}

/** Returns the words of a row. */
export function readMended(kept: string | null): string[] {
  return kept === null ? [] : kept.split(" ");
}
