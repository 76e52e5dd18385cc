// The other ways to write a model's name: with a vendor in front, a date or version behind, or other punctuation.

/** Vendors, clouds and clients put these before a name: `models/`, `us.anthropic.`, `openai:`. */
const HEAD = /^(?:[a-z]+\.){1,2}(?=[a-z])|^[a-z0-9-]+:(?=[a-z])|^.*\//;
/** They put these behind it: `:free`, `-v1:0`, `-20250929`, `@2025-09-29`, `-latest`, `-0613`. */
const TAIL = /:[\w-]+$|-v\d+$|[-@](?:\d{4}-\d{2}-\d{2}|\d{8}|\d{4}|latest)$/;

/** Returns the name with dashes for all other punctuation. */
export function dashName(name: string): string {
  return name.replace(/[._\s]+/g, "-");
}

/** Returns the lower-case names that a text may mean, the most literal first. */
export function listSpellings(text: string): readonly string[] {
  const found = new Set<string>();
  let head = text.toLowerCase();
  for (let rest = head; ; rest = head) {
    addTails(rest, found);
    head = rest.replace(HEAD, "");
    if (head === rest) return [...found];
  }
}

function addTails(name: string, found: Set<string>): void {
  for (let rest = name; ; ) {
    found.add(rest);
    found.add(dashName(rest));
    const shorter = rest.replace(TAIL, "");
    if (shorter === rest || shorter === "") return;
    rest = shorter;
  }
}
