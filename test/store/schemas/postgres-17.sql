ALTER TABLE hold ADD COLUMN IF NOT EXISTS model_planned TEXT COLLATE "C"
----
ALTER TABLE request ADD COLUMN IF NOT EXISTS model_planned TEXT COLLATE "C"
----
ALTER TABLE request ADD COLUMN IF NOT EXISTS outcome TEXT COLLATE "C"
----
ALTER TABLE request ADD COLUMN IF NOT EXISTS provider TEXT COLLATE "C"
----
ALTER TABLE request ADD COLUMN IF NOT EXISTS address TEXT COLLATE "C"
----
ALTER TABLE request ADD COLUMN IF NOT EXISTS session TEXT COLLATE "C"
----
ALTER TABLE request ADD COLUMN IF NOT EXISTS trace_id TEXT COLLATE "C"
----
ALTER TABLE request ADD COLUMN IF NOT EXISTS parent_trace_id TEXT COLLATE "C"
----
ALTER TABLE request ADD COLUMN IF NOT EXISTS member_id TEXT COLLATE "C"
----
CREATE INDEX IF NOT EXISTS request_request_id ON request (request_id)
----
CREATE INDEX IF NOT EXISTS request_session ON request (session, at_ms, id) WHERE session IS NOT NULL
----
CREATE INDEX IF NOT EXISTS request_trace_id ON request (trace_id, at_ms, id) WHERE trace_id IS NOT NULL
----
CREATE INDEX IF NOT EXISTS request_parent_trace_id ON request (parent_trace_id, at_ms, id) WHERE parent_trace_id IS NOT NULL
----
CREATE INDEX IF NOT EXISTS request_account_at ON request (account_id, at_ms, id)
----
CREATE INDEX IF NOT EXISTS hourly_usage_account ON hourly_usage (account_id, hour_ms)
