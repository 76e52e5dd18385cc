// Writes that put themselves on record, in the transaction of the change.
import type { RowChange, Trail } from "../../core/audit/changes.ts";
import { EVENT } from "../schema/tables.ts";
import { bind, type Engine, type Statement } from "./engine.ts";
import { insertSql } from "./sql.ts";

/** Returns the statements that put a change on record: none if the trail has no entry for it. */
export type Recorder = (change: RowChange) => readonly Statement[];

export function makeRecorder({ mark }: Pick<Engine, "mark">, trail: Trail): Recorder {
  const add = composeAddEvent(mark);
  return (change) => trail(change).map((event) => bind(add, ...EVENT.valuesOf(event)));
}

/** A statement that may be repeated. */
export function composeAddEvent(mark: Engine["mark"]): string {
  return `${insertSql(EVENT, mark)} ON CONFLICT (account_id, id) DO NOTHING`;
}
