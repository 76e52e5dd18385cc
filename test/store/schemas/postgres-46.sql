ALTER TABLE request ADD COLUMN IF NOT EXISTS socket_id TEXT COLLATE "C"
----
ALTER TABLE request ADD COLUMN IF NOT EXISTS compaction BIGINT NOT NULL DEFAULT 0
----
CREATE INDEX IF NOT EXISTS request_socket_id ON request (socket_id, at_ms, id) WHERE socket_id IS NOT NULL
