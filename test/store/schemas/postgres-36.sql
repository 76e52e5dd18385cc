ALTER TABLE gateway_key ADD COLUMN IF NOT EXISTS cache TEXT COLLATE "C"
----
ALTER TABLE request ADD COLUMN IF NOT EXISTS cached_from TEXT COLLATE "C"
----
ALTER TABLE request ADD COLUMN IF NOT EXISTS saved_nano BIGINT NOT NULL DEFAULT 0
----
ALTER TABLE hourly_usage ADD COLUMN IF NOT EXISTS cached BIGINT NOT NULL DEFAULT 0
----
ALTER TABLE hourly_usage ADD COLUMN IF NOT EXISTS saved_nano BIGINT NOT NULL DEFAULT 0
----
CREATE TABLE IF NOT EXISTS cached_answer (account_id TEXT COLLATE "C" NOT NULL, id TEXT COLLATE "C" NOT NULL, at_ms BIGINT NOT NULL, until_ms BIGINT NOT NULL, bytes BIGINT NOT NULL, sealed TEXT COLLATE "C" NOT NULL, PRIMARY KEY (account_id, id))
----
DO $$ BEGIN
    IF to_regclass('pg_dist_partition') IS NOT NULL THEN
      IF 'account'::regclass IN (SELECT logicalrelid FROM pg_dist_partition)
        AND 'cached_answer'::regclass NOT IN (SELECT logicalrelid FROM pg_dist_partition) THEN
        PERFORM create_distributed_table('cached_answer', 'account_id', colocate_with => 'account');
      END IF;
    END IF;
  END $$
----
CREATE INDEX IF NOT EXISTS cached_answer_account ON cached_answer (account_id, at_ms, id, bytes)
----
CREATE INDEX IF NOT EXISTS cached_answer_at ON cached_answer (at_ms, bytes)
----
CREATE INDEX IF NOT EXISTS cached_answer_until ON cached_answer (until_ms)
