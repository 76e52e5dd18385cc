// Erases where requests came from, clients' addresses and sessions: once they are older than the log may say, before their
// rows go, and with the person whose key it was.
import { readInteger, readText } from "../columns/found.ts";
import { bind, type Engine } from "../engine/engine.ts";
import type { Mark } from "../engine/sql.ts";
import { listSpans } from "./log-search.ts";

/** Few rows have no index to be found by, so that all of a range are looked at. */
const ROWS_AT_ONCE = 500;
/** Rows are written when requests end. Those of longer ones, and those settled late, are found within the hour. */
const LATE_MS = 900_000;
const WHOLE_MS = 3_600_000;

interface Range {
  readonly fromMs: number;
  readonly toMs: number;
}

/** Returns a function that erases those of rows from `fromMs` until before `toMs`. Rows that it has seen are mostly skipped. */
export function makeOriginEraser(engine: Engine): (range: Range) => Promise<void> {
  let doneMs = Number.POSITIVE_INFINITY;
  let wholeMs = Number.NEGATIVE_INFINITY;
  return async ({ fromMs, toMs }) => {
    if (toMs <= fromMs) return;
    const isWhole = Math.abs(toMs - wholeMs) >= WHOLE_MS;
    await erase(engine, { fromMs: isWhole ? fromMs : Math.max(fromMs, doneMs - LATE_MS), toMs });
    doneMs = toMs;
    if (isWhole) wholeMs = toMs;
  };
}

/** Goes along the index of times, with as long a rest after each part where statements block the event loop. */
async function erase(engine: Engine, { fromMs, toMs }: Range): Promise<void> {
  const { mark, run, runOnce, blocksLoop } = engine;
  const last = `SELECT at_ms, id FROM request WHERE (at_ms, id) > (${mark(1)}, ${mark(2)}) AND at_ms < ${mark(3)}
    ORDER BY at_ms, id LIMIT 1 OFFSET ${ROWS_AT_ONCE - 1}`;
  for (let after: OriginPlace | null = { atMs: fromMs, id: "" }; after !== null; ) {
    const beganMs = performance.now();
    const [found] = await run(bind(last, after.atMs, after.id, toMs));
    const until: OriginPlace | null = found
      ? { atMs: readInteger(found, "at_ms"), id: readText(found, "id") }
      : null;
    const { where, values } = composePart(mark, after, until, toMs);
    const [kept] = await run(bind(`SELECT 1 FROM request ${where} LIMIT 1`, ...values));
    if (kept) await runOnce(bind(`${ERASE} ${where}`, ...values));
    after = until;
    if (after !== null && blocksLoop) await Bun.sleep(performance.now() - beganMs);
  }
}

const ERASE = "UPDATE request SET address = NULL, session = NULL";
const HAS_ORIGIN = "(address IS NOT NULL OR session IS NOT NULL)";

/** Erases those of all requests with this key. */
export async function eraseOriginsOfKey(engine: Engine, keyId: string): Promise<void> {
  const { mark, runOnce } = engine;
  const text = `${ERASE} WHERE key_id = ${mark(1)} AND at_ms >= ${mark(2)} AND at_ms < ${mark(3)} AND ${HAS_ORIGIN}`;
  const question = { table: "request", owner: { column: "key_id", id: keyId } } as const;
  for await (const { fromMs, toMs } of listSpans(engine, question, {
    fromMs: 0,
    toMs: Number.MAX_SAFE_INTEGER,
  }))
    await runOnce(bind(text, keyId, fromMs, toMs));
}

interface OriginPlace {
  readonly atMs: number;
  readonly id: string;
}

function composePart(mark: Mark, after: OriginPlace, until: OriginPlace | null, toMs: number) {
  const start = `WHERE ${HAS_ORIGIN} AND (at_ms, id) > (${mark(1)}, ${mark(2)})`;
  const values = [after.atMs, after.id];
  if (until === null) return { where: `${start} AND at_ms < ${mark(3)}`, values: [...values, toMs] };
  const end = `(at_ms, id) <= (${mark(3)}, ${mark(4)})`;
  return { where: `${start} AND ${end}`, values: [...values, until.atMs, until.id] };
}
