// Searches the request log by a filter, a part of the log per event loop turn.

import type { RequestFilter } from "../../core/log-query.ts";
import type { RequestRecord } from "../../core/record.ts";
import type { Page } from "../../core/store.ts";
import { bind, type Engine } from "../engine.ts";
import { readInteger } from "../found.ts";
import { REQUEST } from "../log-tables.ts";
import { requestsLookup } from "../narrowing.ts";
import { nextTurn } from "./turns.ts";

const HOUR_MS = 3_600_000;
/** The rows searched in one turn, which takes 3 ms. */
const ROWS_A_TURN = 20_000;

/** The hours in which a key was used, latest first. Values: the key, and the hours' range. */
const HOURS_OF_KEY =
  "SELECT DISTINCT hour_ms FROM hourly_usage WHERE key_id = ?1 AND hour_ms > ?2 AND hour_ms <= ?3 ORDER BY hour_ms DESC";
/** The log's row that is ?3 rows further back between two times. */
const ROW_FURTHER =
  "SELECT at_ms FROM request WHERE at_ms >= ?1 AND at_ms < ?2 ORDER BY at_ms DESC LIMIT 1 OFFSET ?3";

/** A time range; its end is exclusive. */
interface Span {
  readonly fromMs: number;
  readonly toMs: number;
}

/** Returns one page, newest first. */
export async function searchRequests(
  engine: Engine,
  filter: RequestFilter,
  page: Page,
): Promise<readonly RequestRecord[]> {
  const { fromMs = 0, toMs = Number.MAX_SAFE_INTEGER, ...narrowed } = filter;
  const found: RequestRecord[] = [];
  const look = async (span: Span) => {
    const rest = { limit: page.limit - found.length, after: page.after };
    const rows = await engine.run(requestsLookup({ ...narrowed, ...span }, rest, engine.mark));
    return rows.map(REQUEST.rowOf);
  };
  if (Object.values(narrowed).every((value) => value === undefined)) return look({ fromMs, toMs });
  const span = { fromMs, toMs: page.after === null ? toMs : Math.min(toMs, page.after.atMs + 1) };
  for await (const part of listSpans(engine, span, filter.keyId)) {
    found.push(...(await look(part)));
    if (found.length === page.limit) break;
  }
  return found;
}

/** Latest first. The log is ordered by time only: for a key, only the hours in which it was used are searched. */
async function* listSpans(engine: Engine, span: Span, keyId: string | undefined): AsyncGenerator<Span> {
  if (keyId === undefined) yield* divideSpan(engine, span);
  else {
    const { fromMs, toMs } = span;
    const hours = await engine.run(bind(HOURS_OF_KEY, keyId, fromMs - HOUR_MS, toMs));
    for (const hourMs of hours.map((hour) => readInteger(hour, "hour_ms"))) {
      yield* divideSpan(engine, {
        fromMs: Math.max(fromMs, hourMs),
        toMs: Math.min(toMs, hourMs + HOUR_MS),
      });
    }
  }
}

async function* divideSpan(engine: Engine, { fromMs, toMs }: Span): AsyncGenerator<Span> {
  let endMs = toMs;
  while (endMs > fromMs) {
    await nextTurn();
    const [further] = await engine.run(bind(ROW_FURTHER, fromMs, endMs, ROWS_A_TURN));
    const startMs = further ? readInteger(further, "at_ms") : fromMs;
    yield { fromMs: startMs, toMs: endMs };
    endMs = startMs;
  }
}
