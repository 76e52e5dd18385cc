// The ends of people that are part of another change's transaction: sessions, agents' sign-ins, and keys.
import type { GatewayKey } from "../../core/keys/key.ts";
import { bind, type Engine, type Statement } from "../engine/engine.ts";
import type { Recorder } from "../engine/recording.ts";
import { updateSql } from "../engine/sql.ts";
import { KEY, pickColumns } from "../schema/tables.ts";

const ENDING_KEY = pickColumns(KEY, ["paused", "paused_by", "revoked_at_ms"]);

export function makeEndings({ mark, isListed }: Pick<Engine, "mark" | "isListed">, record: Recorder) {
  const first = mark(1);
  const endSessions = `DELETE FROM session WHERE ${isListed("member_id", first)}`;
  const endDevices = `UPDATE device SET ended_at_ms = CAST(${first} AS BIGINT)
    WHERE ended_at_ms IS NULL AND ${isListed("member_id", mark(2))}`;
  const change = updateSql(ENDING_KEY, mark);
  return {
    endAccess(memberIds: readonly string[], nowMs: number): readonly Statement[] {
      if (memberIds.length === 0) return [];
      const listed = JSON.stringify(memberIds);
      return [bind(endSessions, listed), bind(endDevices, nowMs, listed)];
    },
    /** Writes the pauses and ends of keys that were read in the same transaction. */
    changeKeys: (keys: readonly GatewayKey[], changed: readonly GatewayKey[]): readonly Statement[] =>
      changed.flatMap((after) => {
        const before = keys.find(({ id }) => id === after.id) ?? null;
        const recorded = record({ kind: "key", before, after });
        return [bind(change, after.id, ...ENDING_KEY.valuesOf(after)), ...recorded];
      }),
  };
}
