// Searches a log, newest first, part by part, so that no lookup is long, within a limited time.
import type { SearchPage } from "../../core/log/log-query.ts";
import type { Page } from "../../core/world/page.ts";
import { readInteger } from "../columns/found.ts";
import { bind, type Engine } from "../engine/engine.ts";
import type { LogQuestion, Span } from "../engine/narrowing.ts";
import { endPage } from "../engine/sql.ts";
import { adaptRows, nextTurn } from "../engine/turns.ts";

const HOUR_MS = 3_600_000;
const ROWS_AT_FIRST = 1000;
const ROWS = { min: 250, max: 20_000 };

type Searching = Pick<LogQuestion<never>, "table" | "owner">;

/** Returns one page, newest first. Stops after about `withinMs`, with the rows found until then. */
export async function searchLog<Row>(
  engine: Engine,
  question: LogQuestion<Row>,
  page: Page,
  withinMs = Number.POSITIVE_INFINITY,
): Promise<SearchPage<Row>> {
  const { fromMs = 0, toMs = Number.MAX_SAFE_INTEGER } = question.span;
  const rows: Row[] = [];
  const look = async (span: Span) => {
    const rest = { limit: page.limit - rows.length, after: page.after };
    for (const found of await engine.run(question.lookup(span, rest))) rows.push(question.rowOf(found));
  };
  const span = { fromMs, toMs: endPage(toMs, page) };
  if (question.isIndexed) {
    await look(span);
    return { rows, scannedUntilMs: null };
  }
  const endMs = performance.now() + withinMs;
  for await (const part of listSpans(engine, question, span)) {
    await look(part);
    if (rows.length === page.limit) break;
    if (performance.now() >= endMs && part.fromMs > fromMs) return { rows, scannedUntilMs: part.fromMs };
  }
  return { rows, scannedUntilMs: null };
}

/** Latest first. Where a log is ordered by time only, just the hours are searched in which its owner made requests. */
export async function* listSpans(engine: Engine, question: Searching, span: Span): AsyncGenerator<Span> {
  const { owner } = question;
  if (owner === null || engine.hasOwnersInOrder) {
    yield* divideSpan(engine, question, span);
    return;
  }
  const { fromMs, toMs } = span;
  const { mark } = engine;
  const hours = await engine.run(
    bind(
      `SELECT DISTINCT hour_ms FROM hourly_usage WHERE ${owner.column} = ${mark(1)}
        AND hour_ms > ${mark(2)} AND hour_ms <= ${mark(3)} ORDER BY hour_ms DESC`,
      owner.id,
      fromMs - HOUR_MS,
      toMs,
    ),
  );
  for (const hourMs of hours.map((hour) => readInteger(hour, "hour_ms"))) {
    yield* divideSpan(engine, question, {
      fromMs: Math.max(fromMs, hourMs),
      toMs: Math.min(toMs, hourMs + HOUR_MS),
    });
  }
}

async function* divideSpan(
  engine: Engine,
  { table, owner }: Searching,
  { fromMs, toMs }: Span,
): AsyncGenerator<Span> {
  const { mark, hasOwnersInOrder } = engine;
  const own =
    owner !== null && hasOwnersInOrder ? { sql: `AND ${owner.column} = ${mark(4)}`, id: owner.id } : null;
  const further = `SELECT at_ms FROM ${table} WHERE at_ms >= ${mark(1)} AND at_ms < ${mark(2)} ${own?.sql ?? ""}
    ORDER BY at_ms DESC LIMIT 1 OFFSET ${mark(3)}`;
  let endMs = toMs;
  let rows = ROWS_AT_FIRST;
  while (endMs > fromMs) {
    await nextTurn();
    const beganMs = performance.now();
    const [found] = await engine.run(bind(further, fromMs, endMs, rows, ...(own ? [own.id] : [])));
    const startMs = found ? readInteger(found, "at_ms") : fromMs;
    yield { fromMs: startMs, toMs: endMs };
    rows = adaptRows(rows, performance.now() - beganMs, ROWS);
    endMs = startMs;
  }
}
