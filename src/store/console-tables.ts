// The tables of what the console keeps, as both engines have them: sign-ins, logged prompts and answers, and credentials that were added at run time.
import type { KeptContent, Session, StoredCredential } from "../core/rows.ts";
import { orNull, real, text, whole } from "./found.ts";
import { table } from "./tables.ts";

export const SESSION = table<Session>(
  "session",
  ["digest"],
  {
    digest: (row) => row.digest,
    token_digest: (row) => row.tokenDigest,
    expires_at_ms: (row) => Math.round(row.expiresAtMs),
  },
  (found) => ({
    digest: text(found, "digest"),
    tokenDigest: text(found, "token_digest"),
    expiresAtMs: whole(found, "expires_at_ms"),
  }),
);

export const CONTENT = table<KeptContent>(
  "content",
  ["account_id", "id"],
  {
    account_id: (row) => row.accountId,
    id: (row) => row.id,
    at_ms: (row) => Math.round(row.atMs),
    sealed: (row) => row.sealed,
  },
  (found) => ({
    accountId: text(found, "account_id"),
    id: text(found, "id"),
    atMs: whole(found, "at_ms"),
    sealed: text(found, "sealed"),
  }),
);

export const CREDENTIAL = table<StoredCredential>(
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
    id: text(found, "id"),
    provider: text(found, "provider"),
    sealed: text(found, "sealed"),
    weight: real(found, "weight"),
    requestsPerMinute: orNull(found, "requests_per_minute", whole),
    tokensPerMinute: orNull(found, "tokens_per_minute", whole),
    enabled: whole(found, "enabled") === 1,
    createdAtMs: whole(found, "created_at_ms"),
  }),
);
