-- The operation that was asked for, and the surface: a store that is older has chat completions alone. Both are part of
  -- what the sums are kept by.
  ALTER TABLE hold ADD COLUMN operation TEXT NOT NULL DEFAULT 'chat';
  ALTER TABLE hold ADD COLUMN surface TEXT NOT NULL DEFAULT 'openai-chat';
  ALTER TABLE request ADD COLUMN operation TEXT NOT NULL DEFAULT 'chat';
  ALTER TABLE request ADD COLUMN surface TEXT NOT NULL DEFAULT 'openai-chat';

  CREATE TABLE usage_by_surface (
    hour_ms INTEGER NOT NULL,
    account_id TEXT NOT NULL,
    key_id TEXT NOT NULL,
    model TEXT NOT NULL,
    operation TEXT NOT NULL,
    surface TEXT NOT NULL,
    requests INTEGER NOT NULL,
    errors INTEGER NOT NULL,
    prompt_tokens INTEGER NOT NULL,
    completion_tokens INTEGER NOT NULL,
    cached_tokens INTEGER NOT NULL,
    cache_write_tokens INTEGER NOT NULL,
    reasoning_tokens INTEGER NOT NULL,
    searches INTEGER NOT NULL,
    cost_nano INTEGER NOT NULL,
    charged_nano INTEGER NOT NULL,
    PRIMARY KEY (hour_ms, account_id, key_id, model, operation, surface)
  ) STRICT, WITHOUT ROWID;
  INSERT INTO usage_by_surface
  SELECT hour_ms, account_id, key_id, model, 'chat', 'openai-chat', requests, errors, prompt_tokens, completion_tokens,
    cached_tokens, cache_write_tokens, reasoning_tokens, searches, cost_nano, charged_nano FROM usage_hour;
  DROP TABLE usage_hour;
  ALTER TABLE usage_by_surface RENAME TO usage_hour;
  CREATE INDEX usage_hour_key ON usage_hour (key_id, hour_ms);

  CREATE TABLE first_token_by_surface (
    hour_ms INTEGER NOT NULL,
    account_id TEXT NOT NULL,
    key_id TEXT NOT NULL,
    model TEXT NOT NULL,
    operation TEXT NOT NULL,
    surface TEXT NOT NULL,
    bucket INTEGER NOT NULL,
    requests INTEGER NOT NULL,
    PRIMARY KEY (hour_ms, account_id, key_id, model, operation, surface, bucket)
  ) STRICT, WITHOUT ROWID;
  INSERT INTO first_token_by_surface
  SELECT hour_ms, account_id, key_id, model, 'chat', 'openai-chat', bucket, requests FROM first_token_hour;
  DROP TABLE first_token_hour;
  ALTER TABLE first_token_by_surface RENAME TO first_token_hour;
