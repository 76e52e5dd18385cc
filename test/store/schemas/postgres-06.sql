ALTER TABLE hold ADD COLUMN IF NOT EXISTS operation TEXT COLLATE "C" NOT NULL DEFAULT 'chat'
----
ALTER TABLE hold ADD COLUMN IF NOT EXISTS surface TEXT COLLATE "C" NOT NULL DEFAULT 'openai-chat'
----
ALTER TABLE request ADD COLUMN IF NOT EXISTS operation TEXT COLLATE "C" NOT NULL DEFAULT 'chat'
----
ALTER TABLE request ADD COLUMN IF NOT EXISTS surface TEXT COLLATE "C" NOT NULL DEFAULT 'openai-chat'
----
ALTER TABLE usage_hour ADD COLUMN IF NOT EXISTS operation TEXT COLLATE "C" NOT NULL DEFAULT 'chat'
----
ALTER TABLE usage_hour ADD COLUMN IF NOT EXISTS surface TEXT COLLATE "C" NOT NULL DEFAULT 'openai-chat'
----
ALTER TABLE first_token_hour ADD COLUMN IF NOT EXISTS operation TEXT COLLATE "C" NOT NULL DEFAULT 'chat'
----
ALTER TABLE first_token_hour ADD COLUMN IF NOT EXISTS surface TEXT COLLATE "C" NOT NULL DEFAULT 'openai-chat'
----
ALTER TABLE usage_hour DROP CONSTRAINT IF EXISTS usage_hour_pkey
----
ALTER TABLE usage_hour ADD PRIMARY KEY (account_id, hour_ms, key_id, model, operation, surface)
----
ALTER TABLE first_token_hour DROP CONSTRAINT IF EXISTS first_token_hour_pkey
----
ALTER TABLE first_token_hour ADD PRIMARY KEY (account_id, hour_ms, key_id, model, operation, surface, bucket)
