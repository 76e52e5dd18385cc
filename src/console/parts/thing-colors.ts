// The colours of things in charts: each has its own on every page, whatever its rank, found from its name.

/** A chart shows fewer things than there are colours, so that most keep their own. */
export const THINGS_MAX = 5;
/** The names of CSS custom properties. */
const COLORS = ["--c1", "--c2", "--c3", "--c4", "--c5", "--c6", "--c7", "--c8"] as const;

/** FNV-1a. */
function hash(text: string): number {
  let sum = 0x811c9dc5;
  for (let at = 0; at < text.length; at++) sum = Math.imul(sum ^ text.charCodeAt(at), 0x01000193) >>> 0;
  return sum;
}

/** Returns the colour that a thing wants, which it has wherever it stands alone. */
export function findColor(id: string): string {
  return COLORS[hash(id) % COLORS.length] ?? COLORS[0];
}

/**
 * Returns a colour for each of a chart's things, `THINGS_MAX` at most. Of two that want the same, the first by name has it, and the
 * other the next free one: the order of the ids doesn't matter.
 */
export function chooseColors(ids: readonly string[]): ReadonlyMap<string, string> {
  const chosen = new Map<string, string>();
  const taken = new Set<string>();
  for (const id of ids.toSorted()) {
    const start = hash(id) % COLORS.length;
    const turned = [...COLORS.slice(start), ...COLORS.slice(0, start)];
    const color = turned.find((one) => !taken.has(one)) ?? COLORS[start] ?? COLORS[0];
    taken.add(color);
    chosen.set(id, color);
  }
  return chosen;
}
