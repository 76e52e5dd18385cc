ALTER TABLE request ADD COLUMN socket_id TEXT;
ALTER TABLE request ADD COLUMN compaction INTEGER NOT NULL DEFAULT 0;
CREATE INDEX request_socket_id ON request (socket_id, at_ms, id) WHERE socket_id IS NOT NULL;
