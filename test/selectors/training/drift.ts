// Streams of scores in which the best model becomes worse in the middle, and streams in which nothing changes, with and
// without watching for changes: `bun test/selectors/training/drift.ts [--streams=8] [--settings=4] [pools]` prints the loss against the
// model that is best at the time, that against the single model that would have been best throughout, and the changes found.
import type { Pool } from "./data.ts";
import { HONEST, makeStream, type Setting, simulateFeedback } from "./feedback.ts";
import { average } from "./statistics.ts";

/** A week, in which each prompt comes several times. */
const REQUESTS = 5000;
const EVERY_MS = (7 * 86_400_000) / REQUESTS;
const BROKEN_SHARE = 0.5;
const LATE_MAX = 20;
const FIT_EVERY = 30;

interface Streamed {
  readonly start: "means" | "labels";
  readonly breaks: boolean;
  readonly scored: number;
  readonly users: number;
  readonly seed: number;
  readonly isWatched: boolean;
}

/**
 * Plays one stream. Returns its losses in points, and the changes found by its end: of the second half and of the last
 * quarter against the model that is best at the time, of all of it against the one that would have been best throughout.
 */
export function playStream(pool: Pool, { start, breaks, scored, users, seed, isWatched }: Streamed) {
  const { field, rows, learned } = makeStream(pool, { seed, start, isWatched });
  const given = { breaks, scored, users, seed };
  const setting: Setting = {
    ...HONEST,
    ...given,
    everyMs: EVERY_MS,
    brokenShare: BROKEN_SHARE,
    lateMax: LATE_MAX,
    fitEvery: FIT_EVERY,
  };
  const repeated = Array.from({ length: REQUESTS }, (_, at) => rows[at % rows.length]).filter(
    (row) => row !== undefined,
  );
  const { timely, throughout } = simulateFeedback(field, repeated, setting, learned);
  const losses = { loss: -average(timely.slice(2)), last: -(timely[3] ?? 0), whole: -throughout };
  return { ...losses, found: Object.keys(learned.drifts) };
}

/** The knowledge at first, and the share of answers that is scored. */
const SETTINGS = [
  ["means", 1],
  ["means", 0.1],
  ["labels", 1],
  ["labels", 0.1],
] as const;

function print(pool: Pool, [start, scored]: (typeof SETTINGS)[number], streams: number): void {
  for (const breaks of [false, true])
    for (const isWatched of [false, true]) {
      const played = Array.from({ length: streams }, (_, at) =>
        playStream(pool, { start, breaks, scored, users: 5, seed: at + 1, isWatched }),
      );
      const [loss, last, whole] = (["loss", "last", "whole"] as const).map((name) =>
        average(played.map((one) => one[name])).toFixed(2),
      );
      const found = played.reduce((sum, one) => sum + one.found.length, 0);
      const known = start === "means" ? "skills" : "500 labels";
      const stream = breaks ? "the best becomes worse" : "steady";
      const watched = isWatched ? "yes" : "no";
      console.log(
        `| ${pool} | ${known} | ${100 * scored} % | ${stream} | ${watched} | ${loss} | ${last} | ${whole} | ${found} |`,
      );
    }
}

if (import.meta.main) {
  const given = process.argv.slice(2);
  const read = (name: string, usual: number) =>
    Number(given.find((one) => one.startsWith(`--${name}=`))?.split("=")[1] ?? usual);
  const pools = (["llmrouter9", "mmlu_pro"] as const).filter(
    (pool) => given.every((one) => one.startsWith("--")) || given.includes(pool),
  );
  console.log(
    "| pool | known at first | scored | stream | watched | loss, 2nd half | 4th quarter | whole, against the best throughout | changes found |",
  );
  console.log("|---|---|---|---|---|---|---|---|---|");
  for (const pool of pools)
    for (const setting of SETTINGS.slice(0, read("settings", SETTINGS.length)))
      print(pool, setting, read("streams", 8));
}
