// Writes that put themselves on record, in the transaction of the change.
import type { RowChange, Trail } from "../../core/changes.ts";
import type { OutboxEvent } from "../../core/events/events.ts";
import { EVENT } from "../schema/tables.ts";
import { bind, type Engine, type Statement } from "./engine.ts";
import { endOlder } from "./older-programs.ts";
import { insertSql } from "./sql.ts";

/** Returns the statements that put a change on record: none if the trail has no entry for it. */
export type Recorder = (change: RowChange) => readonly Statement[];

/** One statement writes so many events, where a change makes that many: a group's that many people leave by, for instance. */
const EVENTS_AT_ONCE = 25;

export function makeRecorder({ mark, programs }: Pick<Engine, "mark" | "programs">, trail: Trail): Recorder {
  const add = composeAddEvent(mark);
  return (change) => {
    const events = trail(change);
    const ends = endOlder(programs, change);
    if (events.length > EVENTS_AT_ONCE) return [...ends, ...addMany(mark, events)];
    return [...ends, ...events.map((event) => bind(add, ...EVENT.valuesOf(event)))];
  };
}

function addMany(mark: Engine["mark"], events: readonly OutboxEvent[]): readonly Statement[] {
  const count = Math.ceil(events.length / EVENTS_AT_ONCE);
  return Array.from({ length: count }, (_, at) => {
    const some = events.slice(at * EVENTS_AT_ONCE, (at + 1) * EVENTS_AT_ONCE);
    return bind(composeAddEvent(mark, some.length), ...some.flatMap(EVENT.valuesOf));
  });
}

/** A statement that may be repeated. */
export function composeAddEvent(mark: Engine["mark"], rows = 1): string {
  return `${insertSql(EVENT, mark, rows)} ON CONFLICT (account_id, id) DO NOTHING`;
}
