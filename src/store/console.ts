// Console sign-ins, logged prompts and answers, and credentials added at run time.
import type { KeptContent, Session, StoredCredential } from "../core/rows.ts";
import type { Store } from "../core/store.ts";
import { bind, type Engine, readFirst } from "./engine.ts";
import { readInteger, readNullable, readNumber, readText } from "./found.ts";
import { insertSql, selectSql, upsertSql } from "./sql.ts";
import { table } from "./tables.ts";

const SESSION = table<Session>(
  "session",
  ["digest"],
  {
    digest: (row) => row.digest,
    token_digest: (row) => row.tokenDigest,
    expires_at_ms: (row) => Math.round(row.expiresAtMs),
  },
  (found) => ({
    digest: readText(found, "digest"),
    tokenDigest: readText(found, "token_digest"),
    expiresAtMs: readInteger(found, "expires_at_ms"),
  }),
);

const CONTENT = table<KeptContent>(
  "content",
  ["account_id", "id"],
  {
    account_id: (row) => row.accountId,
    id: (row) => row.id,
    at_ms: (row) => Math.round(row.atMs),
    sealed: (row) => row.sealed,
  },
  (found) => ({
    accountId: readText(found, "account_id"),
    id: readText(found, "id"),
    atMs: readInteger(found, "at_ms"),
    sealed: readText(found, "sealed"),
  }),
);

const CREDENTIAL = table<StoredCredential>(
  "credential",
  ["id"],
  {
    id: (row) => row.id,
    provider: (row) => row.provider,
    sealed: (row) => row.sealed,
    weight: (row) => row.weight,
    requests_per_minute: (row) => row.requestsPerMinute,
    tokens_per_minute: (row) => row.tokensPerMinute,
    enabled: (row) => (row.enabled ? 1 : 0),
    created_at_ms: (row) => Math.round(row.createdAtMs),
  },
  (found) => ({
    id: readText(found, "id"),
    provider: readText(found, "provider"),
    sealed: readText(found, "sealed"),
    weight: readNumber(found, "weight"),
    requestsPerMinute: readNullable(found, "requests_per_minute", readInteger),
    tokensPerMinute: readNullable(found, "tokens_per_minute", readInteger),
    enabled: readInteger(found, "enabled") === 1,
    createdAtMs: readInteger(found, "created_at_ms"),
  }),
);

type ConsoleMethods = Pick<
  Store,
  | "addContent"
  | "content"
  | "addSession"
  | "session"
  | "endSession"
  | "credentials"
  | "putCredential"
  | "removeCredential"
>;

export function consoleMethods({ mark, run, runAll }: Engine): ConsoleMethods {
  const [first, second] = [mark(1), mark(2)];
  const addContent = `${insertSql(CONTENT, mark)} ON CONFLICT (account_id, id) DO NOTHING`;
  const content = `SELECT sealed FROM content WHERE account_id = ${first} AND id = ${second}`;
  const forgetSessions = `DELETE FROM session WHERE expires_at_ms <= ${first}`;
  const addSession = `${insertSql(SESSION, mark)} ON CONFLICT (digest) DO NOTHING`;
  const putCredential = upsertSql(CREDENTIAL, mark);
  return {
    addContent: (row) => runAll([bind(addContent, ...CONTENT.valuesOf(row))]),
    content: async (accountId, id) => {
      const [found] = await run(bind(content, accountId, id));
      return found ? readText(found, "sealed") : null;
    },
    addSession: (session, nowMs) =>
      runAll([bind(forgetSessions, nowMs), bind(addSession, ...SESSION.valuesOf(session))]),
    session: async (digest) =>
      readFirst(SESSION, await run(bind(`${selectSql(SESSION)} WHERE digest = ${first}`, digest))),
    endSession: (digest) => runAll([bind(`DELETE FROM session WHERE digest = ${first}`, digest)]),
    credentials: async () =>
      (await run(bind(`${selectSql(CREDENTIAL)} ORDER BY created_at_ms, id`))).map(CREDENTIAL.rowOf),
    putCredential: (credential) => runAll([bind(putCredential, ...CREDENTIAL.valuesOf(credential))]),
    removeCredential: (id) => runAll([bind(`DELETE FROM credential WHERE id = ${first}`, id)]),
  };
}
