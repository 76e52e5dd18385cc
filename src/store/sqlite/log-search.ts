// Finds rows of the request log by what they are narrowed to, a part of the log in each turn of the event loop.
import type { RequestRecord } from "../../core/record.ts";
import type { Page, RequestFilter } from "../../core/store.ts";
import { REQUEST } from "../log-tables.ts";
import { requestsLookup } from "../narrowing.ts";
import type { Lifeline } from "./lifeline.ts";
import { nextTurn } from "./turns.ts";

const HOUR_MS = 3_600_000;
/** The rows that are looked through while nothing else runs: 3 ms. */
const ROWS_A_TURN = 20_000;

const mark = (position: number) => `?${position}`;

/** From a moment to before another. */
interface Span {
  readonly fromMs: number;
  readonly toMs: number;
}

/** One page, from the newest. */
export async function requestsFound(
  lifeline: Lifeline,
  filter: RequestFilter,
  page: Page,
): Promise<readonly RequestRecord[]> {
  const { fromMs = 0, toMs = Number.MAX_SAFE_INTEGER, ...narrowed } = filter;
  const found: RequestRecord[] = [];
  const look = (span: Span) =>
    lifeline.run(({ sql }) => {
      const rest = { limit: page.limit - found.length, after: page.after };
      return sql.look(requestsLookup({ ...narrowed, ...span }, rest, mark)).map(REQUEST.rowOf);
    });
  if (Object.values(narrowed).every((value) => value === undefined)) return look({ fromMs, toMs });
  const span = { fromMs, toMs: page.after === null ? toMs : Math.min(toMs, page.after.atMs + 1) };
  for await (const part of partsOf(lifeline, span, filter.keyId)) {
    found.push(...(await look(part)));
    if (found.length === page.limit) break;
  }
  return found;
}

/** From the latest. The log is in the order of time alone: of a key's only the hours in which it was used are looked through. */
async function* partsOf(lifeline: Lifeline, span: Span, keyId: string | undefined): AsyncGenerator<Span> {
  if (keyId === undefined) yield* turnsOf(lifeline, span);
  else {
    const { fromMs, toMs } = span;
    const hours = await lifeline.run(({ sql }) => sql.hoursOfKey.all(keyId, fromMs - HOUR_MS, toMs));
    for (const { hour_ms: hourMs } of hours) {
      yield* turnsOf(lifeline, {
        fromMs: Math.max(fromMs, hourMs),
        toMs: Math.min(toMs, hourMs + HOUR_MS),
      });
    }
  }
}

async function* turnsOf(lifeline: Lifeline, { fromMs, toMs }: Span): AsyncGenerator<Span> {
  let endMs = toMs;
  while (endMs > fromMs) {
    await nextTurn();
    const further = await lifeline.run(({ sql }) => sql.rowFurther.get(fromMs, endMs, ROWS_A_TURN));
    const startMs = further?.at_ms ?? fromMs;
    yield { fromMs: startMs, toMs: endMs };
    endMs = startMs;
  }
}
