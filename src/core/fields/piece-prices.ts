// The prices of models that are charged by the piece, such as a minute or a search, in words for people.

interface PiecePrice {
  readonly usd: number;
  /** For example `search unit` or `M characters`. */
  readonly unit: string;
}

const PIECE = /^per_/;

/**
 * Returns the prices per piece of a model whose tokens cost nothing, from a price as the model list has it. Empty if tokens
 * have a price, or everything is free.
 */
export function listPiecePrices(pricing: object | null): readonly PiecePrice[] {
  const priced = Object.entries(pricing ?? {}).filter(
    (entry): entry is [string, number] => typeof entry[1] === "number" && entry[1] > 0,
  );
  if (!priced.every(([name]) => PIECE.test(name))) return [];
  return priced.map(([name, usd]) => ({ usd, unit: nameUnit(name) }));
}

/** Returns `search unit` for `per_search_unit`, and `M characters` for `per_character_million`. */
export function nameUnit(field: string): string {
  const words = field.replace(PIECE, "").replaceAll("_", " ");
  return words === "character million" ? "M characters" : words;
}
