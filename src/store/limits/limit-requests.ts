// Requests for more: their rows, and what admissions read of those that were granted.

import type { Changes } from "../../core/changes.ts";
import { asArray, parseJson } from "../../core/json/json.ts";
import { PERIODS } from "../../core/limits/budget.ts";
import { LIMIT_KINDS } from "../../core/limits/limit.ts";
import type { LimitRaise } from "../../core/limits/member-limits.ts";
import {
  type LimitRequest,
  type LimitRequestFilter,
  type LimitRequestStore,
  type NamedLimitRequest,
  REQUEST_STATES,
} from "../../core/people/limit-request.ts";
import { ACTOR_KINDS } from "../../core/people/people.ts";
import { allowNull, INTEGER, makeJson, makeWord, TEXT, TIME } from "../columns/columns.ts";
import { type FoundRow, readText } from "../columns/found.ts";
import { bind, type Engine, readFirst, type Statement } from "../engine/engine.ts";
import { Narrowing } from "../engine/narrowing.ts";
import { composeAddEvent, type Recorder } from "../engine/recording.ts";
import { KEY_ROWS } from "../engine/scope.ts";
import { insertSql, joinNames, type Mark, selectSql, upsertSql } from "../engine/sql.ts";
import { EVENT, table } from "../schema/tables.ts";

/** Those that ended this long ago are deleted when the person asks again. */
const KEPT_MS = 400 * 86_400_000;
/** The most that are looked at when a person asks for more. */
const OTHERS_MAX = 1000;

const limit = {
  kind: makeWord(LIMIT_KINDS),
  per: allowNull(makeWord(PERIODS)),
  models: allowNull(
    makeJson<readonly string[]>((json) => asArray(parseJson(json)).filter((one) => typeof one === "string")),
  ),
  amount: INTEGER,
  untilMs: TIME,
};

const LIMIT_REQUEST = table<LimitRequest>(
  "limit_request",
  ["account_id", "id"],
  {
    ...limit,
    accountId: TEXT,
    id: TEXT,
    memberId: TEXT,
    reason: TEXT,
    createdAtMs: TIME,
    state: makeWord(REQUEST_STATES),
    decidedAtMs: allowNull(TIME),
    deciderKind: allowNull(makeWord(ACTOR_KINDS)),
    deciderId: allowNull(TEXT),
    note: allowNull(TEXT),
  },
  {
    raised_until_ms: {
      type: "integer",
      write: ({ state, untilMs }) => (state === "granted" ? untilMs : null),
    },
  },
);

const RAISE = table<LimitRaise>("limit_request", LIMIT_REQUEST.key, limit);

/** The raises that were granted to members. */
export const RAISES = {
  select: `SELECT ${joinNames(["account_id", "member_id", ...RAISE.columns])} FROM limit_request`,
  where: "raised_until_ms > 0",
};

export const readRaise: (row: FoundRow) => LimitRaise = RAISE.rowOf;

const named = (column: string) =>
  `coalesce((SELECT name FROM member WHERE member.id = limit_request.${column}), '')`;
const NAMED = `SELECT ${joinNames(LIMIT_REQUEST.columns)}, ${named("member_id")} AS member_name,
  ${named("decider_id")} AS decider_name FROM limit_request`;

function readNamed(row: FoundRow): NamedLimitRequest {
  return {
    request: LIMIT_REQUEST.rowOf(row),
    memberName: readText(row, "member_name"),
    deciderName: readText(row, "decider_name"),
  };
}

export function limitRequestMethods({ mark, run, runAll }: Engine): LimitRequestStore {
  const forget = `UPDATE limit_request SET reason = '', note = NULL WHERE member_id = ${mark(1)}`;
  return {
    list: async (filter, page) => (await run(composeList(filter, page, mark))).map(readNamed),
    find: async (id, scope) => {
      const by = new Narrowing(mark);
      by.within(scope, KEY_ROWS);
      by.equal({ id });
      return readFirst({ rowOf: readNamed }, await run(bind(`${NAMED} WHERE ${by.where}`, ...by.values)));
    },
    forgetTexts: (memberId) => runAll([bind(forget, memberId)]),
  };
}

function composeList(
  { accountId, memberId, states, endsAfterMs, endsByMs, scope }: LimitRequestFilter,
  { limit: most, after }: Parameters<LimitRequestStore["list"]>[1],
  mark: Mark,
): Statement {
  const by = new Narrowing(mark);
  by.within(scope, KEY_ROWS);
  by.equal({ account_id: accountId, member_id: memberId });
  if (states) by.add(`state IN (${joinNames(states.map((state) => by.bind(state)))})`);
  by.by(endsAfterMs, (at) => `until_ms > ${at}`);
  by.by(endsByMs, (at) => `until_ms <= ${at}`);
  const atMs = by.bind(after?.atMs ?? Number.MAX_SAFE_INTEGER);
  const id = by.bind(after?.id ?? "");
  by.add(`(created_at_ms, id) < (${atMs}, ${id})`);
  const text = `${NAMED} WHERE ${by.where} ORDER BY created_at_ms DESC, id DESC LIMIT ${by.bind(most)}`;
  return { text, values: by.values };
}

export function limitRequestChanges({ mark, forUpdate, change }: Engine, record: Recorder) {
  const first = mark(1);
  const second = mark(2);
  const third = mark(3);
  const lock = `SELECT id FROM account WHERE id = ${first} ${forUpdate}`;
  const others = `${selectSql(LIMIT_REQUEST)} WHERE member_id = ${first}
    AND (created_at_ms > ${second} OR state = 'open') ORDER BY created_at_ms DESC LIMIT ${third}`;
  const byId = `${selectSql(LIMIT_REQUEST)} WHERE account_id = ${first} AND id = ${second} ${forUpdate}`;
  const forget = `DELETE FROM limit_request WHERE account_id = ${first} AND member_id = ${second} AND until_ms <= ${third}`;
  // Admissions read no raise that has ended.
  const end = `UPDATE limit_request SET raised_until_ms = NULL
    WHERE account_id = ${first} AND member_id = ${second} AND raised_until_ms <= ${third}`;
  const add = `${insertSql(LIMIT_REQUEST, mark)} ON CONFLICT (account_id, id) DO NOTHING`;
  const put = upsertSql(LIMIT_REQUEST, mark);
  const addEvent = composeAddEvent(mark);
  return {
    addLimitRequest: ({ request, event }, sinceMs, check) => {
      const { accountId, memberId, createdAtMs } = request;
      const firsts = [bind(lock, accountId), bind(others, memberId, sinceMs, OTHERS_MAX)];
      return change(firsts, ([, found = []]) => {
        const known = found.map(LIMIT_REQUEST.rowOf);
        // The transaction may run again after it was committed.
        if (known.some(({ id }) => id === request.id)) return { writes: [], toResult: () => undefined };
        check(known);
        const writes = [
          bind(forget, accountId, memberId, createdAtMs - KEPT_MS),
          ...(request.state === "granted" ? [bind(end, accountId, memberId, createdAtMs)] : []),
          bind(add, ...LIMIT_REQUEST.valuesOf(request)),
          bind(addEvent, ...EVENT.valuesOf(event)),
          ...record({ kind: "limit_request", before: null, after: request }),
        ];
        return { writes, toResult: () => undefined };
      });
    },
    decideLimitRequest: ({ accountId, id }, decide) =>
      change([bind(byId, accountId, id)], ([found]) => {
        const before = readFirst(LIMIT_REQUEST, found);
        if (before === null) return { writes: [], toResult: () => null };
        const { request: after, event } = decide(before);
        const writes = [
          bind(end, accountId, before.memberId, after.decidedAtMs ?? 0),
          bind(put, ...LIMIT_REQUEST.valuesOf(after)),
          bind(addEvent, ...EVENT.valuesOf(event)),
          ...record({ kind: "limit_request", before, after }),
        ];
        return { writes, toResult: () => after };
      }),
  } satisfies Partial<Changes>;
}
