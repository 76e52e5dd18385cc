CREATE TABLE IF NOT EXISTS setting (name TEXT COLLATE "C" PRIMARY KEY, value TEXT NOT NULL)
----
CREATE TABLE IF NOT EXISTS account (
      id TEXT COLLATE "C" PRIMARY KEY,
      name TEXT NOT NULL,
      balance_nano BIGINT NOT NULL DEFAULT 0 CHECK (balance_nano >= 0),
      held_nano BIGINT NOT NULL DEFAULT 0 CHECK (held_nano >= 0),
      entries BIGINT NOT NULL DEFAULT 0,
      kept_characters BIGINT NOT NULL DEFAULT 0,
      created_at_ms BIGINT NOT NULL
    )
----
CREATE INDEX IF NOT EXISTS account_created ON account (created_at_ms, id)
----
INSERT INTO account (id, name, created_at_ms)
     VALUES ('default', 'default', CAST(extract(epoch FROM now()) * 1000 AS BIGINT)) ON CONFLICT (id) DO NOTHING
----
CREATE TABLE IF NOT EXISTS gateway_key (
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
    )
----
CREATE INDEX IF NOT EXISTS gateway_key_created ON gateway_key (created_at_ms, id)
----
CREATE TABLE IF NOT EXISTS meter (
      account_id TEXT COLLATE "C" NOT NULL,
      owner TEXT COLLATE "C" NOT NULL,
      day TEXT COLLATE "C" NOT NULL,
      used BIGINT NOT NULL CHECK (used >= 0),
      last_at_ms BIGINT NOT NULL,
      PRIMARY KEY (account_id, owner, day)
    )
----
CREATE TABLE IF NOT EXISTS slot (
      account_id TEXT COLLATE "C" NOT NULL,
      owner TEXT COLLATE "C" NOT NULL,
      taken_at_ms BIGINT,
      taken_by TEXT,
      PRIMARY KEY (account_id, owner)
    )
----
CREATE TABLE IF NOT EXISTS spend (
      account_id TEXT COLLATE "C" NOT NULL,
      key_id TEXT COLLATE "C" NOT NULL,
      spent_nano BIGINT NOT NULL CHECK (spent_nano >= 0),
      held_nano BIGINT NOT NULL CHECK (held_nano >= 0),
      PRIMARY KEY (account_id, key_id)
    )
----
CREATE TABLE IF NOT EXISTS hold (
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
    )
----
CREATE TABLE IF NOT EXISTS entry (
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
    )
----
CREATE INDEX IF NOT EXISTS entry_funding ON entry (at_ms, account_id, seq) WHERE funding_nano <> 0
----
CREATE INDEX IF NOT EXISTS entry_revenue ON entry (at_ms, account_id, seq) WHERE revenue_nano <> 0
----
CREATE INDEX IF NOT EXISTS entry_overrun ON entry (at_ms, account_id, seq) WHERE overrun_nano <> 0
----
CREATE TABLE IF NOT EXISTS reply (
      account_id TEXT COLLATE "C" NOT NULL,
      id TEXT COLLATE "C" NOT NULL,
      body_digest TEXT NOT NULL,
      request_id TEXT NOT NULL,
      at_ms BIGINT NOT NULL,
      state TEXT NOT NULL,
      sealed TEXT,
      PRIMARY KEY (account_id, id)
    )
----
CREATE INDEX IF NOT EXISTS reply_at ON reply (at_ms)
----
CREATE TABLE IF NOT EXISTS top_up (
      account_id TEXT COLLATE "C" NOT NULL,
      id TEXT COLLATE "C" NOT NULL,
      at_ms BIGINT NOT NULL,
      amount_nano BIGINT NOT NULL CHECK (amount_nano > 0),
      PRIMARY KEY (account_id, id)
    )
----
CREATE TABLE IF NOT EXISTS request (
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
      prompt_tokens BIGINT NOT NULL,
    completion_tokens BIGINT NOT NULL,
    cached_tokens BIGINT NOT NULL,
    cache_write_tokens BIGINT NOT NULL,
    reasoning_tokens BIGINT NOT NULL,
    searches BIGINT NOT NULL,
    cost_nano BIGINT NOT NULL,
    charged_nano BIGINT NOT NULL,
      hold_nano BIGINT NOT NULL,
      usage_source TEXT NOT NULL,
      ended TEXT NOT NULL,
      total_ms BIGINT NOT NULL,
      first_token_ms BIGINT,
      PRIMARY KEY (account_id, id)
    )
----
CREATE INDEX IF NOT EXISTS request_id ON request (id)
----
CREATE INDEX IF NOT EXISTS request_at ON request (at_ms, id)
----
CREATE INDEX IF NOT EXISTS request_key_at ON request (key_id, at_ms, id)
----
CREATE TABLE IF NOT EXISTS usage_hour (
      account_id TEXT COLLATE "C" NOT NULL,
      hour_ms BIGINT NOT NULL,
      key_id TEXT COLLATE "C" NOT NULL,
      model TEXT COLLATE "C" NOT NULL,
      requests BIGINT NOT NULL,
      prompt_tokens BIGINT NOT NULL,
    completion_tokens BIGINT NOT NULL,
    cached_tokens BIGINT NOT NULL,
    cache_write_tokens BIGINT NOT NULL,
    reasoning_tokens BIGINT NOT NULL,
    searches BIGINT NOT NULL,
    cost_nano BIGINT NOT NULL,
    charged_nano BIGINT NOT NULL,
      PRIMARY KEY (account_id, hour_ms, key_id, model)
    )
----
CREATE INDEX IF NOT EXISTS usage_hour_at ON usage_hour (hour_ms)
----
CREATE INDEX IF NOT EXISTS usage_hour_key ON usage_hour (key_id, hour_ms)
----
CREATE TABLE IF NOT EXISTS node (
      id TEXT COLLATE "C" PRIMARY KEY,
      since_at TIMESTAMPTZ NOT NULL,
      beat_at TIMESTAMPTZ NOT NULL
    )
