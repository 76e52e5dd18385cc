ALTER TABLE gateway_key ADD COLUMN IF NOT EXISTS requests_per_minute TEXT COLLATE "C" NOT NULL DEFAULT '"default"'
----
ALTER TABLE gateway_key ADD COLUMN IF NOT EXISTS tokens_per_minute TEXT COLLATE "C" NOT NULL DEFAULT '"default"'
----
ALTER TABLE gateway_key ADD COLUMN IF NOT EXISTS parallel TEXT COLLATE "C" NOT NULL DEFAULT '"default"'
----
ALTER TABLE gateway_key ADD COLUMN IF NOT EXISTS budgets TEXT COLLATE "C" NOT NULL DEFAULT '"default"'
----
ALTER TABLE account ADD COLUMN IF NOT EXISTS time_zone TEXT COLLATE "C"
----
ALTER TABLE account ADD COLUMN IF NOT EXISTS requests_per_day TEXT COLLATE "C" NOT NULL DEFAULT '"default"'
----
ALTER TABLE account ADD COLUMN IF NOT EXISTS free_budget_nano TEXT COLLATE "C" NOT NULL DEFAULT '"default"'
----
ALTER TABLE account ADD COLUMN IF NOT EXISTS requests_per_minute BIGINT
----
ALTER TABLE account ADD COLUMN IF NOT EXISTS tokens_per_minute BIGINT
----
ALTER TABLE account ADD COLUMN IF NOT EXISTS parallel BIGINT
----
ALTER TABLE account ADD COLUMN IF NOT EXISTS budgets TEXT COLLATE "C" NOT NULL DEFAULT '[]'
----
ALTER TABLE slot ADD COLUMN IF NOT EXISTS minute TEXT COLLATE "C"
----
ALTER TABLE slot ADD COLUMN IF NOT EXISTS budgets TEXT COLLATE "C"
----
CREATE TABLE IF NOT EXISTS event (account_id TEXT COLLATE "C" NOT NULL, id TEXT COLLATE "C" NOT NULL, at_ms BIGINT NOT NULL, type TEXT COLLATE "C" NOT NULL, data TEXT COLLATE "C" NOT NULL, logged_at_ms BIGINT, PRIMARY KEY (account_id, id))
----
DO $$ BEGIN
    IF to_regclass('pg_dist_partition') IS NOT NULL THEN
      IF 'account'::regclass IN (SELECT logicalrelid FROM pg_dist_partition)
        AND 'event'::regclass NOT IN (SELECT logicalrelid FROM pg_dist_partition) THEN
        PERFORM create_distributed_table('event', 'account_id', colocate_with => 'account');
      END IF;
    END IF;
  END $$
----
CREATE INDEX IF NOT EXISTS event_logged ON event (logged_at_ms, at_ms)
