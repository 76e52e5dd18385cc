// The steps of a changed price: each rate beside the one that it replaces, in a line for each of the price's parts.

const FIELD = /^(?:(.+): )?(\S+) (\S+)$/;

/** A part of a price, such as "service flex", with its rates. The model's usual rates have no name. */
interface PricePart {
  readonly name: string;
  readonly rates: readonly string[];
}

/**
 * Reads both texts of a change, as in "input 1, service flex: input 0.5". Null if they aren't the same rates of a price: then the
 * texts say it all.
 */
export function pairRates(before: string, after: string): readonly PricePart[] | null {
  const olds = before.split(", ");
  const news = after.split(", ");
  if (olds.length !== news.length) return null;
  const parts = new Map<string, string[]>();
  for (const [at, old] of olds.entries()) {
    const [, name = "", field = "", from] = FIELD.exec(old) ?? [];
    const [, newName = "", newField, to] = FIELD.exec(news[at] ?? "") ?? [];
    if (from === undefined || name !== newName || field !== newField) return null;
    parts.getOrInsertComputed(name, () => []).push(`${field.replaceAll("_", " ")} ${from} → ${to}`);
  }
  return [...parts].map(([name, rates]) => ({ name, rates }));
}
