// Compares the clients' answers and the provider's calls with the request log.
import { Database } from "bun:sqlite";
import { asArray, asObject } from "../../src/core/json/json.ts";
import { OPEN_REQUESTS } from "../harness/noted.ts";
import type { SimCall } from "../simulator/calls.ts";
import type { Told } from "./load.ts";
import { brokenRules } from "./rules.ts";

/** The compared fields of a request's row. */
export interface Row {
  readonly id: string;
  readonly request_id: string;
  readonly ended: string;
  readonly cost_nano: number;
  readonly charged_nano: number;
}

/** The evidence from one round. */
export interface Evidence {
  readonly told: readonly Told[];
  readonly calls: readonly SimCall[];
  /** True to check the whole file, including old rows. */
  readonly isWhole: boolean;
}

/** Reads the file directly, in one snapshot. Returns the problems as sentences. */
export function audit(path: string, evidence: Evidence): readonly string[] {
  const database = new Database(path, { readonly: true });
  try {
    return database.transaction(() => [
      ...(evidence.isWhole ? brokenRules(database) : []),
      ...brokenPromises(rowsOf(database, evidence.told), evidence),
    ])();
  } finally {
    database.close();
  }
}

/** Returns the number of requests that ended processes left open, which is all of them while there are no others. */
export function countLeft(path: string): number {
  const database = new Database(path, { readonly: true });
  try {
    return database.query<{ count: number }, []>(`SELECT ${OPEN_REQUESTS} AS count`).get()?.count ?? 0;
  } finally {
    database.close();
  }
}

/** The rows since the first of these requests was sent. */
function rowsOf(database: Database, told: readonly Told[]): readonly Row[] {
  const sinceMs = Math.min(...told.map(({ atMs }) => atMs));
  const columns = "id, request_id, ended, cost_nano, charged_nano";
  return database.query<Row, [number]>(`SELECT ${columns} FROM request WHERE at_ms >= ?`).all(sinceMs);
}

export function brokenPromises(
  rows: readonly Row[],
  { told, calls }: Pick<Evidence, "told" | "calls">,
): readonly string[] {
  const byRequest = new Map(rows.map((row) => [row.request_id, row]));
  const byNumber = Map.groupBy(rows, ({ request_id }) => numberIn(request_id));
  return [
    ...told.flatMap(({ wrong, requestId }) => (wrong === null ? [] : [`${requestId} was told: ${wrong}`])),
    ...told.flatMap((one) => unbilled(one, byRequest.get(one.requestId))),
    ...unrecorded(calls, byNumber),
    ...twice(told, byNumber),
  ];
}

/** A whole answer has a row and was charged the amount that it states. */
function unbilled({ requestId, answer, isPaid }: Told, row: Row | undefined): readonly string[] {
  if (answer === null || answer.replayed) return [];
  if (row === undefined) return [`${requestId} was answered and has no row`];
  const { id, ended, cost_nano: cost, charged_nano: charged } = row;
  const due = isPaid ? cost : 0;
  const isRight = id === answer.id && ended === "done" && cost > 0 && charged === due;
  return isRight && answer.chargedNanoUsd === charged
    ? []
    : [`${requestId} was answered, and its row does not say so: ${JSON.stringify({ answer, row })}`];
}

/** Each call that the provider received belongs to a row: there is one provider and one attempt. */
function unrecorded(calls: readonly SimCall[], rows: ReadonlyMap<string, readonly Row[]>): readonly string[] {
  const byNumber = Map.groupBy(calls, numberOfCall);
  // The row of a free request that was lost doesn't say which it was.
  let nameless = [...rows.values()]
    .flat()
    .filter((row) => row.request_id === "" && row.ended === "lost").length;
  return [...byNumber].flatMap(([number, seen]) => {
    const known = rows.get(number)?.filter(({ ended }) => ended !== "refused").length ?? 0;
    const isNameless = seen.length > known && nameless-- > 0;
    return seen.length > known && !isNameless
      ? [`the provider saw ${seen.length} × '${number}', recorded are ${known}`]
      : [];
  });
}

/** A request with an Idempotency-Key gets one completion and is billed once, however often it is sent. */
function twice(told: readonly Told[], rows: ReadonlyMap<string, readonly Row[]>): readonly string[] {
  const byNumber = Map.groupBy(
    told.filter(({ asking }) => asking.idempotent),
    ({ asking }) => asking.number,
  );
  return [...byNumber].flatMap(([number, asked]) => {
    const answers = new Set(asked.flatMap(({ answer }) => answer?.id ?? []));
    const billed = (rows.get(number) ?? []).filter((row) => row.ended !== "lost" && row.cost_nano > 0);
    if (answers.size <= 1 && billed.length <= 1 && (answers.size === 0 || billed.length === 1)) return [];
    return [`${number} was answered by ${answers.size} completions and billed ${billed.length} times`];
  });
}

/** Returns the number of the request, with which the prompt begins. */
export function numberOfCall({ body }: SimCall): string {
  const prompt = String(asObject(asArray(asObject(body).messages)[0]).content);
  return prompt.slice(0, prompt.indexOf(" "));
}

/** A request's id is its number, a dot and the count of its sendings. */
function numberIn(requestId: string): string {
  return requestId.slice(0, requestId.indexOf("."));
}
