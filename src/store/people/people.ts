// People, named tokens, and what may be used only once.

import type { Changes } from "../../core/changes.ts";
import { asArray, parseJson } from "../../core/json/json.ts";
import type { ReviewedMember } from "../../core/people/directory.ts";
import {
  ACTOR_KINDS,
  type Doubt,
  type Grant,
  type KeyTerms,
  type Member,
  type NamedSessions,
  type NamedToken,
  type PeopleStore,
} from "../../core/people/people.ts";
import {
  allowNull,
  type Column,
  type Columns,
  FLAG,
  INTEGER,
  keepLast,
  makeJson,
  makeWord,
  nameColumn,
  TEXT,
  TIME,
} from "../columns/columns.ts";
import { readInteger, readText } from "../columns/found.ts";
import { parseGrants, readRules } from "../columns/member-columns.ts";
import { bind, type Engine, readFirst, runLookup, type Statement } from "../engine/engine.ts";
import type { Recorder } from "../engine/recording.ts";
import { narrowMembers } from "../engine/scope.ts";
import { insertSql, joinNames, type Mark, selectSql } from "../engine/sql.ts";
import { table } from "../schema/tables.ts";
import { countMethods } from "./people-counts.ts";

const GRANTS = makeJson<readonly Grant[]>(parseGrants);

const GROUPS = makeJson<readonly string[]>((json) =>
  asArray(parseJson(json)).filter((one) => typeof one === "string"),
);

const OPTIONAL_TIME: Column<number | undefined> = {
  type: "integer",
  write: (value) => value ?? null,
  read: (found, column) => (found[column] === null ? undefined : readInteger(found, column)),
};

const TOKEN_KIND: Column<NamedToken["kind"]> = {
  type: "text",
  write: (kind) => kind ?? null,
  read: (found, column) => (found[column] === "scim" ? "scim" : undefined),
};

const OPTIONAL_TEXT: Column<string | undefined> = {
  type: "text",
  write: (value) => value ?? null,
  read: (found, column) => (found[column] === null ? undefined : readText(found, column)),
};

const DOUBT: Columns<Doubt | undefined> = {
  columns: {
    doubt_since_ms: { type: "integer", write: (doubt) => doubt?.sinceMs ?? null },
    acts_until_ms: { type: "integer", write: (doubt) => doubt?.actsUntilMs ?? null },
    keys_until_ms: { type: "integer", write: (doubt) => doubt?.keysUntilMs ?? null },
  },
  read: (found) =>
    found.doubt_since_ms === null
      ? undefined
      : {
          sinceMs: readInteger(found, "doubt_since_ms"),
          actsUntilMs: readInteger(found, "acts_until_ms"),
          keysUntilMs: readInteger(found, "keys_until_ms"),
        },
};

const TOKEN = table<NamedToken>("token", ["id"], {
  id: TEXT,
  name: TEXT,
  last4: TEXT,
  grants: GRANTS,
  readsContent: FLAG,
  makerKind: makeWord(ACTOR_KINDS),
  makerId: TEXT,
  contact: allowNull(TEXT),
  createdAtMs: INTEGER,
  expiresAtMs: allowNull(TIME),
  revokedAtMs: allowNull(TIME),
  contactUntilMs: { ...OPTIONAL_TIME, name: "contact_until_ms" },
  kind: TOKEN_KIND,
});
/** The columns of a new token's row. */
const NEW_TOKEN = { name: TOKEN.name, columns: [...TOKEN.columns, "digest"] };

const RIGHTS = {
  ruleGrants: GRANTS,
  ownGrants: GRANTS,
  ownUntilMs: allowNull(TIME),
  isDisabled: FLAG,
  deactivatedAtMs: { ...OPTIONAL_TIME, name: "deactivated_at_ms" },
  anonymisedAtMs: allowNull(TIME),
  seenAtMs: TIME,
  doubt: DOUBT,
};

/** The part of a member that is read for each request of a personal key. */
const MEMBER_RIGHTS = table<Omit<KeyTerms, "rules">>("member", ["id"], RIGHTS);

export const MEMBER = table<Member>("member", ["id"], {
  id: TEXT,
  issuer: TEXT,
  subject: TEXT,
  name: TEXT,
  email: allowNull(TEXT),
  ...RIGHTS,
  readsContent: FLAG,
  createdAtMs: TIME,
  refreshSealed: allowNull(TEXT),
  groups: nameColumn("issuer_groups", GROUPS),
  ruleLimits: allowNull(TEXT),
  warnedAtMs: allowNull(TIME),
  checkedAtMs: TIME,
  leasedUntilMs: TIME,
  erasedAtMs: { ...OPTIONAL_TIME, name: "erased_at_ms" },
  objectId: OPTIONAL_TEXT,
  refusedAtMs: { ...OPTIONAL_TIME, name: "refused_at_ms" },
  directoryTurn: { ...OPTIONAL_TIME, name: "directory_turn" },
});

/** The part of a member on which the rights by a directory depend. */
export const REVIEWED = table<ReviewedMember>("member", ["id"], {
  id: TEXT,
  ruleGrants: keepLast(GRANTS),
  ruleLimits: allowNull(TEXT),
  readsContent: FLAG,
  groups: nameColumn("issuer_groups", keepLast(GROUPS)),
  seenAtMs: TIME,
  refusedAtMs: { ...OPTIONAL_TIME, name: "refused_at_ms" },
});

export function peopleMethods(engine: Engine) {
  return {
    ...tokenMethods(engine),
    ...memberMethods(engine),
    ...countMethods(engine),
    ...doubtMethods(engine),
    ...accessMethods(engine),
    ...onceMethods(engine),
  };
}

export function tokenChanges({ mark, forUpdate, runOnce, change }: Engine, record: Recorder) {
  const first = mark(1);
  const byId = `${selectSql(TOKEN)} WHERE id = ${first} ${forUpdate}`;
  const add = insertSql(NEW_TOKEN, mark);
  const take = `UPDATE token SET last4 = ${mark(2)}, maker_kind = ${mark(3)}, maker_id = ${mark(4)},
    expires_at_ms = ${mark(5)}, digest = ${mark(6)}, contact_until_ms = NULL WHERE id = ${first}`;
  const revoke = `UPDATE token SET revoked_at_ms = coalesce(revoked_at_ms, CAST(${mark(2)} AS BIGINT))
    WHERE id = ${first} RETURNING ${joinNames(TOKEN.columns)}`;
  return {
    addToken: async (token, digest) => {
      const recorded = record({ kind: "token", before: null, after: token });
      await runOnce(bind(add, ...TOKEN.valuesOf(token), digest), ...recorded);
    },
    takeToken: (id, changeToken, digest) =>
      change([bind(byId, id)], ([found]) => {
        const before = readFirst(TOKEN, found);
        if (before === null) return { writes: [], toResult: () => null };
        const after = changeToken(before);
        const { last4, makerKind, makerId, expiresAtMs } = after;
        const taken = bind(take, id, last4, makerKind, makerId, expiresAtMs, digest);
        return {
          writes: [taken, ...record({ kind: "token", before, after })],
          toResult: () => after,
        };
      }),
    revokeToken: (id, atMs) =>
      change([bind(byId, id)], ([found]) => {
        const before = readFirst(TOKEN, found);
        const after = before && { ...before, revokedAtMs: before.revokedAtMs ?? atMs };
        return {
          writes: [bind(revoke, id, atMs), ...record({ kind: "token", before, after })],
          toResult: ([revoked]) => readFirst(TOKEN, revoked),
        };
      }),
  } satisfies Partial<Changes>;
}

function tokenMethods({ mark, run }: Engine) {
  const first = mark(1);
  const all = selectSql(TOKEN);
  return {
    tokenByDigest: async (digest) =>
      readFirst(TOKEN, await run(bind(`${all} WHERE digest = ${first}`, digest))),
    accountsNamed: async (names) => {
      const marks = names.map((_, at) => mark(at + 1)).join(", ");
      const text = `SELECT id, name FROM account WHERE id IN (${marks}) OR name IN (${marks}) ORDER BY id`;
      return (await run(bind(text, ...names))).map((row) => ({
        id: readText(row, "id"),
        name: readText(row, "name"),
      }));
    },
    token: async (id) => readFirst(TOKEN, await run(bind(`${all} WHERE id = ${first}`, id))),
    tokens: async (most) =>
      (await run(bind(`${all} ORDER BY created_at_ms DESC, id DESC LIMIT ${first}`, most))).map(TOKEN.rowOf),
  } satisfies Partial<PeopleStore>;
}

function memberMethods(engine: Engine) {
  const { mark, run } = engine;
  const first = mark(1);
  const second = mark(2);
  const third = mark(3);
  const byId = `${selectSql(MEMBER)} WHERE id = ${first}`;
  const terms = `SELECT ${joinNames([...MEMBER_RIGHTS.columns, "rule_limits"])} FROM member WHERE id = ${first}`;
  const page = `${selectSql(MEMBER)} WHERE (created_at_ms, id) < (${first}, ${second})`;
  const pageEnd = `ORDER BY created_at_ms DESC, id DESC LIMIT ${third}`;
  const due = `${selectSql(MEMBER)} WHERE checked_at_ms <= ${first} AND leased_until_ms <= ${second}
    AND is_disabled = 0 AND deactivated_at_ms IS NULL AND anonymised_at_ms IS NULL ORDER BY checked_at_ms LIMIT ${third}`;
  const ended = `${selectSql(MEMBER)} WHERE own_until_ms <= ${first} AND anonymised_at_ms IS NULL LIMIT ${second}`;
  const unerased = `${selectSql(MEMBER)} WHERE anonymised_at_ms IS NOT NULL AND erased_at_ms IS NULL
    ORDER BY email IS NULL, id LIMIT ${first}`;
  return {
    member: async (id, scope) =>
      readFirst(MEMBER, await run(narrowMembers({ head: byId, values: [id] }, scope, mark))),
    memberTerms: async (id) => {
      const [found] = await run(bind(terms, id));
      return found ? { ...MEMBER_RIGHTS.rowOf(found), rules: readRules(found) } : null;
    },
    members: async ({ limit, after }, scope) => {
      const values = [after?.atMs ?? Number.MAX_SAFE_INTEGER, after?.id ?? "", limit];
      const lookup = narrowMembers({ head: page, tail: pageEnd, values }, scope, mark);
      const isBounded = (scope?.accountIds ?? null) === null;
      const found = await runLookup(engine, { ...lookup, isBounded });
      return found.map(MEMBER.rowOf);
    },
    endedRoles: async (nowMs, most) => (await run(bind(ended, nowMs, most))).map(MEMBER.rowOf),
    unerased: async (most) => (await run(bind(unerased, most))).map(MEMBER.rowOf),
    dueMembers: async (checkedMs, nowMs, most) =>
      (await run(bind(due, checkedMs, nowMs, most))).map(MEMBER.rowOf),
  } satisfies Partial<PeopleStore>;
}

function doubtMethods({ mark, run, runAll }: Engine) {
  const [first, second, third] = [mark(1), mark(2), mark(3)].map((one) => `CAST(${one} AS BIGINT)`);
  // A doubt from before the person was last seen is over.
  const begin = `UPDATE member SET doubt_since_ms = ${first}, acts_until_ms = ${second}, keys_until_ms = ${third}
    WHERE checked_at_ms <= CAST(${mark(4)} AS BIGINT) AND issuer = ${mark(5)} AND refresh_sealed IS NOT NULL
    AND is_disabled = 0 AND deactivated_at_ms IS NULL AND anonymised_at_ms IS NULL AND coalesce(doubt_since_ms, 0) <= seen_at_ms`;
  const acts = `doubt_since_ms + ${first}`;
  const keys = `doubt_since_ms + ${second}`;
  const follow = `UPDATE member SET acts_until_ms = ${acts}, keys_until_ms = ${keys}
    WHERE issuer = ${mark(3)} AND doubt_since_ms > seen_at_ms AND (acts_until_ms <> ${acts} OR keys_until_ms <> ${keys})`;
  const count = `SELECT count(*) AS people FROM member WHERE issuer = ${mark(1)} AND doubt_since_ms > seen_at_ms
    AND is_disabled = 0 AND deactivated_at_ms IS NULL AND anonymised_at_ms IS NULL`;
  return {
    doubtDueMembers: async (issuer, checkedMs, { sinceMs, actsUntilMs, keysUntilMs }) => {
      const writes = [
        bind(begin, sinceMs, actsUntilMs, keysUntilMs, checkedMs, issuer),
        // The configured times may have changed since others fell into doubt.
        bind(follow, actsUntilMs - sinceMs, keysUntilMs - sinceMs, issuer),
      ];
      await runAll(writes);
      const [found = {}] = await run(bind(count, issuer));
      return readInteger(found, "people");
    },
  } satisfies Partial<PeopleStore>;
}

/** Sessions and tokens of people. */
function accessMethods({ mark, run }: Engine) {
  const first = mark(1);
  const second = mark(2);
  const session = `SELECT 1 AS live FROM session WHERE member_id = ${first} AND expires_at_ms > ${second} LIMIT 1`;
  const token = `SELECT 1 AS live FROM token WHERE maker_kind = 'person' AND maker_id = ${first}
    AND revoked_at_ms IS NULL AND (expires_at_ms IS NULL OR expires_at_ms > ${second}) LIMIT 1`;
  return {
    holdings: async (memberId, nowMs) => ({
      hasSession: (await run(bind(session, memberId, nowMs))).length > 0,
      hasToken: (await run(bind(token, memberId, nowMs))).length > 0,
    }),
  } satisfies Partial<PeopleStore>;
}

function onceMethods({ mark, run, runOnce, change }: Engine) {
  const first = mark(1);
  const second = mark(2);
  const forget = `DELETE FROM used_once WHERE until_ms <= ${first}`;
  const use = `INSERT INTO used_once (digest, until_ms) VALUES (${first}, ${second}) ON CONFLICT (digest) DO NOTHING`;
  const used = `SELECT 1 AS used FROM used_once WHERE digest = ${first} AND until_ms > ${second}`;
  return {
    useOnce: async (digest, untilMs, nowMs) => {
      await run(bind(forget, nowMs));
      return (await runOnce(bind(use, digest, untilMs))).count > 0;
    },
    endSessionsOnce: ({ digest, untilMs, nowMs }, named) => {
      // The transaction may run twice, and then finds the digest that it has written itself.
      let isFirst: boolean | null = null;
      return change<number | null>([bind(used, digest, nowMs)], ([found]) => {
        isFirst ??= (found?.length ?? 0) === 0;
        if (!isFirst) return { writes: [], toResult: () => null };
        const writes = [endNamed(named, mark), bind(forget, nowMs), bind(use, digest, untilMs)];
        return { writes, toResult: ([ended]) => ended?.count ?? 0 };
      });
    },
  } satisfies Partial<PeopleStore>;
}

function endNamed({ memberId, issuerSession }: NamedSessions, mark: Mark): Statement {
  const first = mark(1);
  const second = mark(2);
  if (memberId === null) return bind(`DELETE FROM session WHERE issuer_session = ${first}`, issuerSession);
  const ofPerson = `DELETE FROM session WHERE member_id = ${first}`;
  return issuerSession === null
    ? bind(ofPerson, memberId)
    : bind(`${ofPerson} AND coalesce(issuer_session, ${second}) = ${second}`, memberId, issuerSession);
}
