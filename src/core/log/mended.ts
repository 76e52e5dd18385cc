// What a model's server refused in a request, which was answered once that was left out or said in another way, as rows have it.

/** Returns the words of the refusals, each once: `system_late field:user`. They have no spaces. */
export function formatMended(before: string | null, words: readonly string[]): string | null {
  return [...new Set([...readMended(before), ...words])].join(" ") || null;
}

/** Returns the words of a row. */
export function readMended(kept: string | null): string[] {
  return kept === null ? [] : kept.split(" ");
}
