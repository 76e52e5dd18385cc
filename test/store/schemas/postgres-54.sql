CREATE TABLE IF NOT EXISTS tool_session (account_id TEXT COLLATE "C" NOT NULL, id TEXT COLLATE "C" NOT NULL, key_id TEXT COLLATE "C" NOT NULL, owner TEXT COLLATE "C" NOT NULL, server TEXT COLLATE "C" NOT NULL, used_at_ms BIGINT NOT NULL, sealed TEXT COLLATE "C" NOT NULL, PRIMARY KEY (account_id, id))
----
DO $$ BEGIN
    IF to_regclass('pg_dist_partition') IS NOT NULL THEN
      IF 'account'::regclass IN (SELECT logicalrelid FROM pg_dist_partition)
        AND 'tool_session'::regclass NOT IN (SELECT logicalrelid FROM pg_dist_partition) THEN
        PERFORM create_distributed_table('tool_session', 'account_id', colocate_with => 'account');
      END IF;
    END IF;
  END $$
----
CREATE INDEX IF NOT EXISTS tool_session_used ON tool_session (used_at_ms)
----
CREATE INDEX IF NOT EXISTS tool_session_key ON tool_session (account_id, key_id, used_at_ms)
----
CREATE INDEX IF NOT EXISTS tool_session_owner ON tool_session (account_id, owner)
----
ALTER TABLE request ADD COLUMN IF NOT EXISTS server TEXT COLLATE "C"
----
ALTER TABLE request ADD COLUMN IF NOT EXISTS tool TEXT COLLATE "C"
----
ALTER TABLE request ADD COLUMN IF NOT EXISTS tool_error TEXT COLLATE "C"
----
ALTER TABLE request ADD COLUMN IF NOT EXISTS argument_bytes BIGINT
----
ALTER TABLE request ADD COLUMN IF NOT EXISTS result_bytes BIGINT
----
ALTER TABLE request ADD COLUMN IF NOT EXISTS response_id TEXT COLLATE "C"
----
CREATE INDEX IF NOT EXISTS request_server ON request (server, at_ms, id) WHERE server IS NOT NULL
