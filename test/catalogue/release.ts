// Before a release: `bun test/catalogue/release.ts` fails if a row's model ended more than 30 days ago and names no successor,
// or the rows weren't compared with the providers' prices for longer. Such a row is removed, or gets a successor, so that its
// name still leads somewhere.
import { measureAge, SHIPPED_DAY } from "../../src/catalogue/feeds/as-of.ts";
import { loadShippedCards } from "../../src/catalogue/rows.ts";

const DAY_MS = 86_400_000;
const DAYS_MAX = 30;

export interface ReleaseCheck {
  readonly stale: readonly string[];
  readonly ageDays: number;
}

export function checkRelease(nowMs: number, cards = loadShippedCards()): ReleaseCheck {
  const stale = cards.flatMap(({ id, shutdownDate, successor }) => {
    const isLongOver =
      shutdownDate !== undefined && nowMs - Date.parse(shutdownDate) > (DAYS_MAX + 1) * DAY_MS;
    return isLongOver && successor === undefined ? [`${id} ended on ${shutdownDate}`] : [];
  });
  return { stale, ageDays: Math.floor((measureAge(SHIPPED_DAY, nowMs) * 1000) / DAY_MS) };
}

if (import.meta.main) {
  const { stale, ageDays } = checkRelease(Date.now());
  for (const line of stale) console.error(`${line}, and has no successor: remove the row, or name one`);
  if (ageDays > DAYS_MAX)
    console.error(`the rows are those of ${ageDays} days ago: compare them with the lists`);
  if (stale.length > 0 || ageDays > DAYS_MAX) process.exit(1);
  console.log(`The catalogue's rows are ${ageDays} days old, and none has ended without a successor.`);
}
