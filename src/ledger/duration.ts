// Durations in words, for messages to clients.

const UNITS = [
  ["day", 86_400],
  ["hour", 3_600],
  ["minute", 60],
  ["second", 1],
] as const;

/** Returns a duration in its two largest units, rounded up to whole seconds: `9 minutes 58 seconds`. */
export function describeDuration(spanMs: number): string {
  let seconds = Math.max(1, Math.ceil(spanMs / 1000));
  const words: string[] = [];
  for (const [unit, size] of UNITS) {
    const count = Math.floor(seconds / size);
    seconds -= count * size;
    if (count > 0) words.push(`${count} ${unit}${count === 1 ? "" : "s"}`);
  }
  return words.slice(0, 2).join(" ");
}
