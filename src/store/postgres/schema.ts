// The steps of the PostgreSQL store's schema, each a list of statements.
import { declareAmounts } from "../engine/sql.ts";
import { LESSONS_BY_PROMPT } from "./lesson-steps.ts";

/**
 * The steps from before both engines shared them. New ones are in `schema/steps.ts`.
 * Ids are compared by bytes: any other collation would order lists differently from other engines, and more slowly.
 * Rows have no foreign key to their account: accounts are never deleted, and rows are only written for accounts known
 * to exist. A check would only cost time, and would keep tables together that an engine may want to separate.
 */
export const FIRST_STEPS: readonly (readonly string[])[] = [
  [
    `CREATE TABLE IF NOT EXISTS setting (name TEXT COLLATE "C" PRIMARY KEY, value TEXT NOT NULL)`,

    `CREATE TABLE IF NOT EXISTS account (
      id TEXT COLLATE "C" PRIMARY KEY,
      name TEXT NOT NULL,
      balance_nano BIGINT NOT NULL DEFAULT 0 CHECK (balance_nano >= 0),
      held_nano BIGINT NOT NULL DEFAULT 0 CHECK (held_nano >= 0),
      entries BIGINT NOT NULL DEFAULT 0,
      kept_characters BIGINT NOT NULL DEFAULT 0,
      created_at_ms BIGINT NOT NULL
    )`,
    "CREATE INDEX IF NOT EXISTS account_created ON account (created_at_ms, id)",
    `INSERT INTO account (id, name, created_at_ms)
     VALUES ('default', 'default', CAST(extract(epoch FROM now()) * 1000 AS BIGINT)) ON CONFLICT (id) DO NOTHING`,

    `CREATE TABLE IF NOT EXISTS gateway_key (
      id TEXT COLLATE "C" PRIMARY KEY,
      digest TEXT COLLATE "C" NOT NULL UNIQUE,
      name TEXT NOT NULL,
      account_id TEXT COLLATE "C" NOT NULL,
      last4 TEXT NOT NULL,
      created_at_ms BIGINT NOT NULL,
      expires_at_ms BIGINT,
      revoked_at_ms BIGINT,
      allowed_models TEXT NOT NULL,
      requests_per_day TEXT NOT NULL,
      spend_limit_nano BIGINT
    )`,
    "CREATE INDEX IF NOT EXISTS gateway_key_created ON gateway_key (created_at_ms, id)",

    `CREATE TABLE IF NOT EXISTS meter (
      account_id TEXT COLLATE "C" NOT NULL,
      owner TEXT COLLATE "C" NOT NULL,
      day TEXT COLLATE "C" NOT NULL,
      used BIGINT NOT NULL CHECK (used >= 0),
      last_at_ms BIGINT NOT NULL,
      PRIMARY KEY (account_id, owner, day)
    )`,

    `CREATE TABLE IF NOT EXISTS slot (
      account_id TEXT COLLATE "C" NOT NULL,
      owner TEXT COLLATE "C" NOT NULL,
      taken_at_ms BIGINT,
      taken_by TEXT,
      PRIMARY KEY (account_id, owner)
    )`,

    `CREATE TABLE IF NOT EXISTS spend (
      account_id TEXT COLLATE "C" NOT NULL,
      key_id TEXT COLLATE "C" NOT NULL,
      spent_nano BIGINT NOT NULL CHECK (spent_nano >= 0),
      held_nano BIGINT NOT NULL CHECK (held_nano >= 0),
      PRIMARY KEY (account_id, key_id)
    )`,

    `CREATE TABLE IF NOT EXISTS hold (
      account_id TEXT COLLATE "C" NOT NULL,
      id TEXT COLLATE "C" NOT NULL,
      key_id TEXT NOT NULL,
      node TEXT COLLATE "C" NOT NULL,
      at_ms BIGINT NOT NULL,
      request_id TEXT NOT NULL,
      model_asked TEXT NOT NULL,
      selector TEXT,
      stream BIGINT NOT NULL,
      place TEXT NOT NULL,
      held_nano BIGINT NOT NULL CHECK (held_nano >= 0),
      reply_id TEXT,
      PRIMARY KEY (account_id, id)
    )`,

    // One movement of money; its five legs sum to zero.
    `CREATE TABLE IF NOT EXISTS entry (
      account_id TEXT COLLATE "C" NOT NULL,
      seq BIGINT NOT NULL,
      at_ms BIGINT NOT NULL,
      kind TEXT NOT NULL,
      balance_nano BIGINT NOT NULL,
      held_nano BIGINT NOT NULL,
      funding_nano BIGINT NOT NULL,
      revenue_nano BIGINT NOT NULL,
      overrun_nano BIGINT NOT NULL,
      balance_after_nano BIGINT NOT NULL CHECK (balance_after_nano >= 0),
      request_id TEXT,
      usage_source TEXT,
      ended TEXT,
      note TEXT,
      PRIMARY KEY (account_id, seq),
      CHECK (balance_nano + held_nano + funding_nano + revenue_nano + overrun_nano = 0)
    )`,
    "CREATE INDEX IF NOT EXISTS entry_funding ON entry (at_ms, account_id, seq) WHERE funding_nano <> 0",
    "CREATE INDEX IF NOT EXISTS entry_revenue ON entry (at_ms, account_id, seq) WHERE revenue_nano <> 0",
    "CREATE INDEX IF NOT EXISTS entry_overrun ON entry (at_ms, account_id, seq) WHERE overrun_nano <> 0",

    `CREATE TABLE IF NOT EXISTS reply (
      account_id TEXT COLLATE "C" NOT NULL,
      id TEXT COLLATE "C" NOT NULL,
      body_digest TEXT NOT NULL,
      request_id TEXT NOT NULL,
      at_ms BIGINT NOT NULL,
      state TEXT NOT NULL,
      sealed TEXT,
      PRIMARY KEY (account_id, id)
    )`,
    "CREATE INDEX IF NOT EXISTS reply_at ON reply (at_ms)",

    `CREATE TABLE IF NOT EXISTS top_up (
      account_id TEXT COLLATE "C" NOT NULL,
      id TEXT COLLATE "C" NOT NULL,
      at_ms BIGINT NOT NULL,
      amount_nano BIGINT NOT NULL CHECK (amount_nano > 0),
      PRIMARY KEY (account_id, id)
    )`,

    `CREATE TABLE IF NOT EXISTS request (
      account_id TEXT COLLATE "C" NOT NULL,
      id TEXT COLLATE "C" NOT NULL,
      request_id TEXT NOT NULL,
      key_id TEXT COLLATE "C" NOT NULL,
      at_ms BIGINT NOT NULL,
      model_asked TEXT NOT NULL,
      model_used TEXT,
      selector TEXT,
      attempts BIGINT NOT NULL,
      stream BIGINT NOT NULL,
      status BIGINT NOT NULL,
      fault_code TEXT,
      ${declareAmounts("BIGINT")},
      hold_nano BIGINT NOT NULL,
      usage_source TEXT NOT NULL,
      ended TEXT NOT NULL,
      total_ms BIGINT NOT NULL,
      first_token_ms BIGINT,
      PRIMARY KEY (account_id, id)
    )`,
    "CREATE INDEX IF NOT EXISTS request_id ON request (id)",
    "CREATE INDEX IF NOT EXISTS request_at ON request (at_ms, id)",
    "CREATE INDEX IF NOT EXISTS request_key_at ON request (key_id, at_ms, id)",

    `CREATE TABLE IF NOT EXISTS usage_hour (
      account_id TEXT COLLATE "C" NOT NULL,
      hour_ms BIGINT NOT NULL,
      key_id TEXT COLLATE "C" NOT NULL,
      model TEXT COLLATE "C" NOT NULL,
      requests BIGINT NOT NULL,
      ${declareAmounts("BIGINT")},
      PRIMARY KEY (account_id, hour_ms, key_id, model)
    )`,
    "CREATE INDEX IF NOT EXISTS usage_hour_at ON usage_hour (hour_ms)",
    "CREATE INDEX IF NOT EXISTS usage_hour_key ON usage_hour (key_id, hour_ms)",

    // Both times are from the database's own clock.
    `CREATE TABLE IF NOT EXISTS node (
      id TEXT COLLATE "C" PRIMARY KEY,
      since_at TIMESTAMPTZ NOT NULL,
      beat_at TIMESTAMPTZ NOT NULL
    )`,
  ],
  [
    "ALTER TABLE request ADD COLUMN IF NOT EXISTS decision TEXT",
    `CREATE TABLE IF NOT EXISTS lesson (
      account_id TEXT COLLATE "C" NOT NULL,
      id TEXT COLLATE "C" NOT NULL,
      at_ms BIGINT NOT NULL,
      model TEXT NOT NULL,
      score DOUBLE PRECISION NOT NULL CHECK (score BETWEEN 0 AND 1),
      expected DOUBLE PRECISION NOT NULL,
      request TEXT NOT NULL,
      PRIMARY KEY (account_id, id)
    )`,
    "CREATE INDEX IF NOT EXISTS lesson_at ON lesson (at_ms, id)",
  ],
  [
    "ALTER TABLE lesson ADD COLUMN IF NOT EXISTS key_id TEXT NOT NULL DEFAULT ''",
    "ALTER TABLE lesson ADD COLUMN IF NOT EXISTS source TEXT NOT NULL DEFAULT 'score'",
    "ALTER TABLE lesson ADD COLUMN IF NOT EXISTS weight DOUBLE PRECISION NOT NULL DEFAULT 1",
    "CREATE INDEX IF NOT EXISTS lesson_key_at ON lesson (key_id, model, at_ms)",
  ],
  [
    "ALTER TABLE request ADD COLUMN IF NOT EXISTS model_tried TEXT",
    "ALTER TABLE request ADD COLUMN IF NOT EXISTS trace TEXT",
    "ALTER TABLE request ADD COLUMN IF NOT EXISTS ended_at_ms BIGINT NOT NULL DEFAULT 0",
    "CREATE INDEX IF NOT EXISTS request_ended ON request (ended_at_ms)",
    "ALTER TABLE usage_hour ADD COLUMN IF NOT EXISTS errors BIGINT NOT NULL DEFAULT 0",

    // Streamed answers by time to first token; core/world/histogram.ts has the bounds of the buckets.
    `CREATE TABLE IF NOT EXISTS first_token_hour (
      account_id TEXT COLLATE "C" NOT NULL,
      hour_ms BIGINT NOT NULL,
      key_id TEXT COLLATE "C" NOT NULL,
      model TEXT COLLATE "C" NOT NULL,
      bucket BIGINT NOT NULL,
      requests BIGINT NOT NULL,
      PRIMARY KEY (account_id, hour_ms, key_id, model, bucket)
    )`,
    "CREATE INDEX IF NOT EXISTS first_token_hour_at ON first_token_hour (hour_ms)",

    // Prompts and answers, sealed. Only with log.content.
    `CREATE TABLE IF NOT EXISTS content (
      account_id TEXT COLLATE "C" NOT NULL,
      id TEXT COLLATE "C" NOT NULL,
      at_ms BIGINT NOT NULL,
      sealed TEXT NOT NULL,
      PRIMARY KEY (account_id, id)
    )`,
    "CREATE INDEX IF NOT EXISTS content_at ON content (at_ms)",

    `CREATE TABLE IF NOT EXISTS session (
      digest TEXT COLLATE "C" PRIMARY KEY,
      token_digest TEXT NOT NULL,
      expires_at_ms BIGINT NOT NULL
    )`,

    `CREATE TABLE IF NOT EXISTS credential (
      id TEXT COLLATE "C" PRIMARY KEY,
      provider TEXT NOT NULL,
      sealed TEXT NOT NULL,
      weight DOUBLE PRECISION NOT NULL,
      enabled BIGINT NOT NULL,
      created_at_ms BIGINT NOT NULL
    )`,
  ],
  [
    "ALTER TABLE meter ADD COLUMN IF NOT EXISTS given_back BIGINT NOT NULL DEFAULT 0",
    "ALTER TABLE meter ADD COLUMN IF NOT EXISTS free_spent_nano BIGINT NOT NULL DEFAULT 0",
    "ALTER TABLE meter ADD COLUMN IF NOT EXISTS free_held_nano BIGINT NOT NULL DEFAULT 0",
  ],
  // The requested operation and the surface. Older stores only have chat completions.
  [
    ...["hold", "request", "usage_hour", "first_token_hour"].flatMap((table) => [
      `ALTER TABLE ${table} ADD COLUMN IF NOT EXISTS operation TEXT COLLATE "C" NOT NULL DEFAULT 'chat'`,
      `ALTER TABLE ${table} ADD COLUMN IF NOT EXISTS surface TEXT COLLATE "C" NOT NULL DEFAULT 'openai-chat'`,
    ]),
    "ALTER TABLE usage_hour DROP CONSTRAINT IF EXISTS usage_hour_pkey",
    "ALTER TABLE usage_hour ADD PRIMARY KEY (account_id, hour_ms, key_id, model, operation, surface)",
    "ALTER TABLE first_token_hour DROP CONSTRAINT IF EXISTS first_token_hour_pkey",
    "ALTER TABLE first_token_hour ADD PRIMARY KEY (account_id, hour_ms, key_id, model, operation, surface, bucket)",
  ],
  // Responses of the Responses API, sealed. Only with responses.keep.
  [
    `CREATE TABLE IF NOT EXISTS stored_response (
      account_id TEXT COLLATE "C" NOT NULL,
      id TEXT COLLATE "C" NOT NULL,
      key_id TEXT COLLATE "C" NOT NULL,
      at_ms BIGINT NOT NULL,
      bytes BIGINT NOT NULL,
      items TEXT NOT NULL,
      sealed TEXT NOT NULL,
      PRIMARY KEY (account_id, id)
    )`,
    "CREATE INDEX IF NOT EXISTS stored_response_size ON stored_response (account_id, at_ms, id, bytes)",
    "CREATE INDEX IF NOT EXISTS stored_response_key ON stored_response (account_id, key_id, at_ms, id)",
    "CREATE INDEX IF NOT EXISTS stored_response_at ON stored_response (at_ms)",
  ],
  // Work that is not counted in tokens.
  ["request", "usage_hour"].flatMap((table) =>
    ["images", "seconds", "characters", "search_units", "pages"].map(
      (unit) => `ALTER TABLE ${table} ADD COLUMN IF NOT EXISTS ${unit} BIGINT NOT NULL DEFAULT 0`,
    ),
  ),
  // A provider may limit a credential's requests and tokens per minute.
  ["requests_per_minute", "tokens_per_minute"].map(
    (limit) => `ALTER TABLE credential ADD COLUMN IF NOT EXISTS ${limit} BIGINT`,
  ),
  // A key's conversations may be stored unless the key disables it.
  ["ALTER TABLE gateway_key ADD COLUMN IF NOT EXISTS keep_responses BIGINT NOT NULL DEFAULT 1"],
  LESSONS_BY_PROMPT,
  // A paused key refuses requests, and a key may be limited to client addresses (JSON: null, or a list). After a
  // rotation, the secret before the present one works until that time.
  [
    "ALTER TABLE gateway_key ADD COLUMN IF NOT EXISTS paused BIGINT NOT NULL DEFAULT 0",
    "ALTER TABLE gateway_key ADD COLUMN IF NOT EXISTS notes TEXT",
    "ALTER TABLE gateway_key ADD COLUMN IF NOT EXISTS allowed_addresses TEXT NOT NULL DEFAULT 'null'",
    "ALTER TABLE gateway_key ADD COLUMN IF NOT EXISTS rotations BIGINT NOT NULL DEFAULT 0",
    `ALTER TABLE gateway_key ADD COLUMN IF NOT EXISTS old_digest TEXT COLLATE "C"`,
    "ALTER TABLE gateway_key ADD COLUMN IF NOT EXISTS old_secret_until_ms BIGINT",
    `CREATE INDEX IF NOT EXISTS gateway_key_old_digest ON gateway_key (old_digest) WHERE old_digest IS NOT NULL`,
  ],
];
