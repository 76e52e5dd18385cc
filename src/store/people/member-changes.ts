// Changes of people, with what they reach: sessions, agents' sign-ins and keys of the person.
import type { Changes, MemberReach } from "../../core/changes.ts";
import { readInteger } from "../columns/found.ts";
import { bind, type Engine, type Result, readFirst, type Statement } from "../engine/engine.ts";
import type { Recorder } from "../engine/recording.ts";
import { selectSql, upsertSql } from "../engine/sql.ts";
import { KEY } from "../schema/tables.ts";
import { makeEndings } from "./endings.ts";
import { MEMBER } from "./people.ts";

const NOTHING: MemberReach = {};

/** The engine is the one for changes to rows that decisions depend on. */
export function memberChanges(engine: Engine, record: Recorder) {
  const { mark, forUpdate, change: changeRows } = engine;
  const byId = `${selectSql(MEMBER)} WHERE id = ${mark(1)} ${forUpdate}`;
  const put = upsertSql(MEMBER, mark);
  return {
    changeMember: (id, change, reach = NOTHING) => {
      const reached = makeReached(engine, record);
      return changeRows([bind(byId, id), ...reached.read(id, reach)], ([found, ...results]) => {
        const before = readFirst(MEMBER, found);
        const after = change(before);
        if (after === null) return { writes: [], toResult: () => null };
        const recorded = record({ kind: "member", before, after });
        const writes = [
          bind(put, ...MEMBER.valuesOf(after)),
          ...recorded,
          ...reached.write(id, reach, results),
        ];
        return { writes, toResult: () => after };
      });
    },
  } satisfies Partial<Changes>;
}

function makeReached(engine: Engine, record: Recorder) {
  const first = engine.mark(1);
  const keysOf = `${selectSql(KEY)} WHERE member_id = ${first} AND revoked_at_ms IS NULL`;
  const count = `SELECT count(*) AS sessions FROM session WHERE member_id = ${first}`;
  const endings = makeEndings(engine, record);
  const recordSessions = (memberId: string, { reason }: MemberReach, counted: Result | undefined) => {
    const ended = readInteger(counted?.[0] ?? {}, "sessions");
    return reason === undefined || ended === 0 ? [] : record({ kind: "sessions", memberId, ended, reason });
  };
  return {
    read: (id: string, { accessEndMs, changeKey }: MemberReach): readonly Statement[] =>
      accessEndMs === undefined && changeKey === undefined ? [] : [bind(count, id), bind(keysOf, id)],
    write(id: string, reach: MemberReach, [counted, found]: readonly Result[]): readonly Statement[] {
      const { accessEndMs, changeKey } = reach;
      const keys = changeKey === undefined ? [] : (found ?? []).map(KEY.rowOf);
      const changed = keys.map((key) => changeKey?.(key) ?? key);
      return [
        ...(accessEndMs === undefined
          ? []
          : [...endings.endAccess([id], accessEndMs), ...recordSessions(id, reach, counted)]),
        ...endings.changeKeys(
          keys,
          changed.filter((key) => !keys.includes(key)),
        ),
      ];
    },
  };
}
