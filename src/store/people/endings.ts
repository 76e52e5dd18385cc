// The ends of people that are part of another change's transaction: sessions, agents' sign-ins, and keys.
import type { GatewayKey } from "../../core/keys/key.ts";
import { bind, type Engine, type Statement } from "../engine/engine.ts";
import type { Recorder } from "../engine/recording.ts";

export function makeEndings({ mark, isListed }: Pick<Engine, "mark" | "isListed">, record: Recorder) {
  const first = mark(1);
  const endSessions = `DELETE FROM session WHERE ${isListed("member_id", first)}`;
  const endDevices = `UPDATE device SET ended_at_ms = CAST(${first} AS BIGINT)
    WHERE ended_at_ms IS NULL AND ${isListed("member_id", mark(2))}`;
  const revoke = `UPDATE gateway_key SET revoked_at_ms = coalesce(revoked_at_ms, CAST(${first} AS BIGINT)) WHERE id = ${mark(2)}`;
  return {
    endAccess(memberIds: readonly string[], nowMs: number): readonly Statement[] {
      if (memberIds.length === 0) return [];
      const listed = JSON.stringify(memberIds);
      return [bind(endSessions, listed), bind(endDevices, nowMs, listed)];
    },
    revokeKeys: (keys: readonly GatewayKey[], atMs: number): readonly Statement[] =>
      keys.flatMap((before) => [
        bind(revoke, atMs, before.id),
        ...record({ kind: "key", before, after: { ...before, revokedAtMs: atMs } }),
      ]),
  };
}
