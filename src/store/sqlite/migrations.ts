// The steps of the SQLite store's schema: they only go forward, counted by the file's `user_version`.
import { declareAmounts } from "../engine/sql.ts";
import { FIRST_SCHEMA } from "./first-schema.ts";
import { LESSONS_BY_PROMPT } from "./lesson-migration.ts";

/** The columns that identify an hourly sum. */
const HOUR = `hour_ms INTEGER NOT NULL,
    account_id TEXT NOT NULL,
    key_id TEXT NOT NULL,
    model TEXT NOT NULL,
    operation TEXT NOT NULL,
    surface TEXT NOT NULL`;

/** The steps from before both engines shared them. New ones are in `schema/steps.ts`. */
export const FIRST_STEPS: readonly string[] = [
  FIRST_SCHEMA,
  `
  ALTER TABLE account ADD COLUMN entries INTEGER NOT NULL DEFAULT 0;
  ALTER TABLE account ADD COLUMN kept_characters INTEGER NOT NULL DEFAULT 0;
  ALTER TABLE request ADD COLUMN hold_nano INTEGER NOT NULL DEFAULT 0;

  CREATE TABLE meter_of_account (
    account_id TEXT NOT NULL,
    owner TEXT NOT NULL,
    day TEXT NOT NULL,
    used INTEGER NOT NULL CHECK (used >= 0),
    last_at_ms INTEGER NOT NULL,
    PRIMARY KEY (account_id, owner, day)
  ) STRICT, WITHOUT ROWID;
  INSERT INTO meter_of_account
  SELECT coalesce((SELECT account_id FROM gateway_key WHERE id = owner), owner), owner, day, used, last_at_ms FROM meter;
  DROP TABLE meter;
  ALTER TABLE meter_of_account RENAME TO meter;

  CREATE TABLE slot_of_account (
    account_id TEXT NOT NULL,
    owner TEXT NOT NULL,
    taken_at_ms INTEGER,
    taken_by TEXT,
    PRIMARY KEY (account_id, owner)
  ) STRICT, WITHOUT ROWID;
  INSERT INTO slot_of_account
  SELECT coalesce((SELECT account_id FROM gateway_key WHERE id = owner), owner), owner, taken_at_ms, taken_by FROM slot;
  DROP TABLE slot;
  ALTER TABLE slot_of_account RENAME TO slot;

  CREATE TABLE spend (
    account_id TEXT NOT NULL REFERENCES account (id),
    key_id TEXT NOT NULL,
    spent_nano INTEGER NOT NULL CHECK (spent_nano >= 0),
    held_nano INTEGER NOT NULL CHECK (held_nano >= 0),
    PRIMARY KEY (account_id, key_id)
  ) STRICT, WITHOUT ROWID;

  CREATE TABLE hold (
    account_id TEXT NOT NULL REFERENCES account (id),
    id TEXT NOT NULL,
    key_id TEXT NOT NULL,
    node TEXT NOT NULL,
    at_ms INTEGER NOT NULL,
    request_id TEXT NOT NULL,
    model_asked TEXT NOT NULL,
    selector TEXT,
    stream INTEGER NOT NULL,
    place TEXT NOT NULL, -- JSON
    held_nano INTEGER NOT NULL CHECK (held_nano >= 0),
    reply_id TEXT,
    PRIMARY KEY (account_id, id)
  ) STRICT, WITHOUT ROWID;

  -- One movement of money; its five sides come to zero.
  CREATE TABLE entry (
    account_id TEXT NOT NULL REFERENCES account (id),
    seq INTEGER NOT NULL,
    at_ms INTEGER NOT NULL,
    kind TEXT NOT NULL,
    balance_nano INTEGER NOT NULL,
    held_nano INTEGER NOT NULL,
    funding_nano INTEGER NOT NULL,
    revenue_nano INTEGER NOT NULL,
    overrun_nano INTEGER NOT NULL,
    balance_after_nano INTEGER NOT NULL CHECK (balance_after_nano >= 0),
    request_id TEXT,
    usage_source TEXT,
    ended TEXT,
    note TEXT,
    PRIMARY KEY (account_id, seq),
    CHECK (balance_nano + held_nano + funding_nano + revenue_nano + overrun_nano = 0)
  ) STRICT, WITHOUT ROWID;
  CREATE INDEX entry_funding ON entry (at_ms, account_id, seq) WHERE funding_nano <> 0;
  CREATE INDEX entry_revenue ON entry (at_ms, account_id, seq) WHERE revenue_nano <> 0;
  CREATE INDEX entry_overrun ON entry (at_ms, account_id, seq) WHERE overrun_nano <> 0;

  CREATE TABLE reply (
    account_id TEXT NOT NULL REFERENCES account (id),
    id TEXT NOT NULL,
    body_digest TEXT NOT NULL,
    request_id TEXT NOT NULL,
    at_ms INTEGER NOT NULL,
    state TEXT NOT NULL,
    sealed TEXT,
    PRIMARY KEY (account_id, id)
  ) STRICT;
  CREATE INDEX reply_at ON reply (at_ms);

  CREATE TABLE top_up (
    account_id TEXT NOT NULL REFERENCES account (id),
    id TEXT NOT NULL,
    at_ms INTEGER NOT NULL,
    amount_nano INTEGER NOT NULL CHECK (amount_nano > 0),
    PRIMARY KEY (account_id, id)
  ) STRICT, WITHOUT ROWID;
  `,
  `
  ALTER TABLE request ADD COLUMN decision TEXT; -- JSON

  CREATE TABLE lesson (
    account_id TEXT NOT NULL REFERENCES account (id),
    id TEXT NOT NULL,
    at_ms INTEGER NOT NULL,
    model TEXT NOT NULL,
    score REAL NOT NULL CHECK (score BETWEEN 0 AND 1),
    expected REAL NOT NULL,
    request TEXT NOT NULL, -- JSON
    PRIMARY KEY (account_id, id)
  ) STRICT;
  CREATE INDEX lesson_at ON lesson (at_ms, id);
  `,
  `
  ALTER TABLE lesson ADD COLUMN key_id TEXT NOT NULL DEFAULT '';
  ALTER TABLE lesson ADD COLUMN source TEXT NOT NULL DEFAULT 'score';
  ALTER TABLE lesson ADD COLUMN weight REAL NOT NULL DEFAULT 1;
  CREATE INDEX lesson_key_at ON lesson (key_id, model, at_ms);
  `,
  `
  ALTER TABLE request ADD COLUMN model_tried TEXT;
  ALTER TABLE request ADD COLUMN trace TEXT; -- JSON
  ALTER TABLE request ADD COLUMN ended_at_ms INTEGER NOT NULL DEFAULT 0;
  CREATE INDEX request_ended ON request (ended_at_ms);
  -- With all that lists are narrowed by: what doesn't match is passed over without its row being read.
  DROP INDEX request_at;
  CREATE INDEX request_at ON request
    (at_ms, id, status, ended, model_used, model_tried, model_asked, selector, account_id);
  ALTER TABLE usage_hour ADD COLUMN errors INTEGER NOT NULL DEFAULT 0;
  CREATE INDEX usage_hour_paid ON usage_hour (key_id, hour_ms, charged_nano) WHERE charged_nano > 0;

  -- How many streamed answers began within which time; the times of a bucket are in core/world/histogram.ts.
  CREATE TABLE first_token_hour (
    hour_ms INTEGER NOT NULL,
    account_id TEXT NOT NULL,
    key_id TEXT NOT NULL,
    model TEXT NOT NULL,
    bucket INTEGER NOT NULL,
    requests INTEGER NOT NULL,
    PRIMARY KEY (hour_ms, account_id, key_id, model, bucket)
  ) STRICT, WITHOUT ROWID;

  -- Prompts and answers, sealed; only with log.content.
  CREATE TABLE content (
    account_id TEXT NOT NULL REFERENCES account (id),
    id TEXT NOT NULL,
    at_ms INTEGER NOT NULL,
    sealed TEXT NOT NULL,
    PRIMARY KEY (account_id, id)
  ) STRICT;
  CREATE INDEX content_at ON content (at_ms);

  CREATE TABLE session (
    digest TEXT PRIMARY KEY,
    token_digest TEXT NOT NULL,
    expires_at_ms INTEGER NOT NULL
  ) STRICT, WITHOUT ROWID;

  CREATE TABLE credential (
    id TEXT PRIMARY KEY,
    provider TEXT NOT NULL,
    sealed TEXT NOT NULL,
    weight REAL NOT NULL,
    enabled INTEGER NOT NULL,
    created_at_ms INTEGER NOT NULL
  ) STRICT;
  `,
  `
  -- Each tree that a request changes costs it a page of the log, one in the order of keys most of all: those are gone. A
  -- key's rows are found by the hours of its sums, those that ended lately by the order in which they were written.
  DROP INDEX request_key_at;
  DROP INDEX request_ended;
  DROP INDEX request_at;
  CREATE INDEX request_at ON request
    (at_ms, id, key_id, status, ended, model_used, model_tried, model_asked, selector, account_id);
  DROP INDEX usage_hour_paid;
  `,
  `
  -- An account is found in one tree instead of two.
  CREATE TABLE account_by_id (
    id TEXT PRIMARY KEY,
    name TEXT NOT NULL,
    balance_nano INTEGER NOT NULL DEFAULT 0 CHECK (balance_nano >= 0),
    held_nano INTEGER NOT NULL DEFAULT 0 CHECK (held_nano >= 0),
    created_at_ms INTEGER NOT NULL,
    entries INTEGER NOT NULL DEFAULT 0,
    kept_characters INTEGER NOT NULL DEFAULT 0
  ) STRICT, WITHOUT ROWID;
  INSERT INTO account_by_id (id, name, balance_nano, held_nano, created_at_ms, entries, kept_characters)
  SELECT id, name, balance_nano, held_nano, created_at_ms, entries, kept_characters FROM account;
  DROP TABLE account;
  ALTER TABLE account_by_id RENAME TO account;
  CREATE INDEX account_created ON account (created_at_ms, id);
  `,
  `
  ALTER TABLE meter ADD COLUMN given_back INTEGER NOT NULL DEFAULT 0;
  ALTER TABLE meter ADD COLUMN free_spent_nano INTEGER NOT NULL DEFAULT 0;
  ALTER TABLE meter ADD COLUMN free_held_nano INTEGER NOT NULL DEFAULT 0;
  `,
  `
  -- The operation that was asked for, and the surface: a store that is older has chat completions alone. Both are part of
  -- what the sums are kept by.
  ALTER TABLE hold ADD COLUMN operation TEXT NOT NULL DEFAULT 'chat';
  ALTER TABLE hold ADD COLUMN surface TEXT NOT NULL DEFAULT 'openai-chat';
  ALTER TABLE request ADD COLUMN operation TEXT NOT NULL DEFAULT 'chat';
  ALTER TABLE request ADD COLUMN surface TEXT NOT NULL DEFAULT 'openai-chat';

  CREATE TABLE usage_by_surface (
    ${HOUR},
    requests INTEGER NOT NULL,
    errors INTEGER NOT NULL,
    ${declareAmounts("INTEGER")},
    PRIMARY KEY (hour_ms, account_id, key_id, model, operation, surface)
  ) STRICT, WITHOUT ROWID;
  INSERT INTO usage_by_surface
  SELECT hour_ms, account_id, key_id, model, 'chat', 'openai-chat', requests, errors, prompt_tokens, completion_tokens,
    cached_tokens, cache_write_tokens, reasoning_tokens, searches, cost_nano, charged_nano FROM usage_hour;
  DROP TABLE usage_hour;
  ALTER TABLE usage_by_surface RENAME TO usage_hour;
  CREATE INDEX usage_hour_key ON usage_hour (key_id, hour_ms);

  CREATE TABLE first_token_by_surface (
    ${HOUR},
    bucket INTEGER NOT NULL,
    requests INTEGER NOT NULL,
    PRIMARY KEY (hour_ms, account_id, key_id, model, operation, surface, bucket)
  ) STRICT, WITHOUT ROWID;
  INSERT INTO first_token_by_surface
  SELECT hour_ms, account_id, key_id, model, 'chat', 'openai-chat', bucket, requests FROM first_token_hour;
  DROP TABLE first_token_hour;
  ALTER TABLE first_token_by_surface RENAME TO first_token_hour;
  `,
  `
  -- Responses of the Responses API, sealed; only with responses.keep.
  CREATE TABLE stored_response (
    account_id TEXT NOT NULL REFERENCES account (id),
    id TEXT NOT NULL,
    key_id TEXT NOT NULL,
    at_ms INTEGER NOT NULL,
    bytes INTEGER NOT NULL,
    items TEXT NOT NULL,
    sealed TEXT NOT NULL,
    PRIMARY KEY (account_id, id)
  ) STRICT;
  CREATE INDEX stored_response_size ON stored_response (account_id, at_ms, id, bytes);
  CREATE INDEX stored_response_key ON stored_response (account_id, key_id, at_ms, id);
  CREATE INDEX stored_response_at ON stored_response (at_ms);
  `,
  `
  -- Work that isn't counted in tokens.
  ${addUnits("request")}
  ${addUnits("usage_hour")}
  `,
  `
  -- A provider may allow a credential only so many requests and tokens in a minute.
  ALTER TABLE credential ADD COLUMN requests_per_minute INTEGER;
  ALTER TABLE credential ADD COLUMN tokens_per_minute INTEGER;
  -- A key's conversations may be kept unless it says otherwise.
  ALTER TABLE gateway_key ADD COLUMN keep_responses INTEGER NOT NULL DEFAULT 1;
  `,
  LESSONS_BY_PROMPT,
  `
  -- A paused key refuses requests, and a key may be limited to client addresses (JSON: null, or a list). After a rotation
  -- the secret before the present one works until that time.
  ALTER TABLE gateway_key ADD COLUMN paused INTEGER NOT NULL DEFAULT 0;
  ALTER TABLE gateway_key ADD COLUMN notes TEXT;
  ALTER TABLE gateway_key ADD COLUMN allowed_addresses TEXT NOT NULL DEFAULT 'null';
  ALTER TABLE gateway_key ADD COLUMN rotations INTEGER NOT NULL DEFAULT 0;
  ALTER TABLE gateway_key ADD COLUMN old_digest TEXT;
  ALTER TABLE gateway_key ADD COLUMN old_secret_until_ms INTEGER;
  CREATE INDEX gateway_key_old_digest ON gateway_key (old_digest) WHERE old_digest IS NOT NULL;
  `,
];

function addUnits(table: string): string {
  const units = ["images", "seconds", "characters", "search_units", "pages"];
  return units
    .map((unit) => `ALTER TABLE ${table} ADD COLUMN ${unit} INTEGER NOT NULL DEFAULT 0;`)
    .join("\n");
}
