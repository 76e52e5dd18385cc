// Console sign-ins, logged prompts and answers, and credentials added at run time.
import type { Changes } from "../../core/changes.ts";
import { CREDENTIAL_FIELDS } from "../../core/fields/credential.ts";
import type { KeptContent } from "../../core/log/content.ts";
import type { ConsoleLink, PeopleStore, Session } from "../../core/people/people.ts";
import type { StoredCredential } from "../../core/rows.ts";
import type { Store } from "../../core/store.ts";
import { allowNull, TEXT, TIME } from "../columns/columns.ts";
import { readText } from "../columns/found.ts";
import { bind, type Engine, readFirst } from "../engine/engine.ts";
import type { Recorder } from "../engine/recording.ts";
import { insertSql, selectSql, upsertSql } from "../engine/sql.ts";
import { makeColumns } from "../schema/field-columns.ts";
import { table } from "../schema/tables.ts";

const SESSION = table<Session>("session", ["digest"], {
  digest: TEXT,
  tokenDigest: TEXT,
  expiresAtMs: TIME,
  tokenId: allowNull(TEXT),
  memberId: allowNull(TEXT),
  issuerSession: allowNull(TEXT),
  address: allowNull(TEXT),
  agent: allowNull(TEXT),
});

/** The name of the only row. */
const ONLY = "quickstart";

const LINK = table<ConsoleLink & { readonly name: string }>("console_link", ["name"], {
  name: TEXT,
  digest: TEXT,
  expiresAtMs: TIME,
});

const CONTENT = table<KeptContent>("content", ["account_id", "id"], {
  accountId: TEXT,
  id: TEXT,
  atMs: TIME,
  sealed: TEXT,
});

const CREDENTIAL = table<StoredCredential>("credential", ["id"], {
  ...makeColumns(CREDENTIAL_FIELDS),
  id: TEXT,
  provider: TEXT,
  sealed: TEXT,
  createdAtMs: TIME,
});

export function consoleMethods({ mark, run, runAll }: Engine) {
  const first = mark(1);
  const second = mark(2);
  const addContent = `${insertSql(CONTENT, mark)} ON CONFLICT (account_id, id) DO NOTHING`;
  const content = `SELECT sealed FROM content WHERE account_id = ${first} AND id = ${second}`;
  return {
    addContent: (row) => runAll([bind(addContent, ...CONTENT.valuesOf(row))]),
    content: async (accountId, id) => {
      const [found] = await run(bind(content, accountId, id));
      return found ? readText(found, "sealed") : null;
    },
    credentials: async () =>
      (await run(bind(`${selectSql(CREDENTIAL)} ORDER BY created_at_ms, id`))).map(CREDENTIAL.rowOf),
  } satisfies Partial<Store>;
}

export function sessionMethods({ mark, run, runAll }: Engine) {
  const first = mark(1);
  const forgetSessions = `DELETE FROM session WHERE expires_at_ms <= ${first}`;
  const ownedBy = (column: string) =>
    `${selectSql(SESSION)} WHERE expires_at_ms > ${first} AND ${column} = ${mark(2)}
      ORDER BY expires_at_ms DESC, digest LIMIT ${mark(3)}`;
  const addSession = `${insertSql(SESSION, mark)} ON CONFLICT (digest) DO NOTHING`;
  return {
    addSession: (session, nowMs) =>
      runAll([bind(forgetSessions, nowMs), bind(addSession, ...SESSION.valuesOf(session))]),
    session: async (digest) =>
      readFirst(SESSION, await run(bind(`${selectSql(SESSION)} WHERE digest = ${first}`, digest))),
    sessionsOf: async ({ memberId, tokenId, tokenDigest }, nowMs, most) => {
      const of =
        memberId !== null
          ? bind(ownedBy("member_id"), nowMs, memberId, most)
          : tokenId !== null
            ? bind(ownedBy("token_id"), nowMs, tokenId, most)
            : bind(
                ownedBy("token_id IS NULL AND member_id IS NULL AND token_digest"),
                nowMs,
                tokenDigest,
                most,
              );
      return (await run(of)).map(SESSION.rowOf);
    },
    endSession: (digest) => runAll([bind(`DELETE FROM session WHERE digest = ${first}`, digest)]),
  } satisfies Partial<PeopleStore>;
}

export function linkMethods({ mark, runAll, runOnce }: Engine) {
  const put = upsertSql(LINK, mark);
  const take = `DELETE FROM console_link WHERE digest = ${mark(1)} AND expires_at_ms > ${mark(2)}`;
  return {
    keepLink: (link) =>
      runAll([
        link === null
          ? bind("DELETE FROM console_link")
          : bind(put, ...LINK.valuesOf({ ...link, name: ONLY })),
      ]),
    takeLink: async (digest, nowMs) => (await runOnce(bind(take, digest, nowMs))).count > 0,
  } satisfies Partial<PeopleStore>;
}

export function credentialChanges({ mark, forUpdate, change }: Engine, record: Recorder) {
  const first = mark(1);
  const byId = `${selectSql(CREDENTIAL)} WHERE id = ${first} ${forUpdate}`;
  const put = upsertSql(CREDENTIAL, mark);
  const remove = `DELETE FROM credential WHERE id = ${first}`;
  return {
    putCredential: (after) =>
      change([bind(byId, after.id)], ([found]) => {
        const recorded = record({ kind: "credential", before: readFirst(CREDENTIAL, found), after });
        return { writes: [bind(put, ...CREDENTIAL.valuesOf(after)), ...recorded], toResult: () => undefined };
      }),
    removeCredential: (id) =>
      change([bind(byId, id)], ([found]) => {
        const before = readFirst(CREDENTIAL, found);
        const recorded = record({ kind: "credential", before, after: null });
        return { writes: [bind(remove, id), ...recorded], toResult: () => undefined };
      }),
  } satisfies Partial<Changes>;
}
