ALTER TABLE hourly_usage ADD COLUMN IF NOT EXISTS edge_cost_nano BIGINT NOT NULL DEFAULT 0
----
ALTER TABLE hourly_usage ADD COLUMN IF NOT EXISTS edge_charged_nano BIGINT NOT NULL DEFAULT 0
----
CREATE TABLE IF NOT EXISTS statement (account_id TEXT COLLATE "C" NOT NULL, month TEXT COLLATE "C" NOT NULL, closed_at_ms BIGINT NOT NULL, data TEXT COLLATE "C" NOT NULL, PRIMARY KEY (account_id, month))
----
DO $$ BEGIN
    IF to_regclass('pg_dist_partition') IS NOT NULL THEN
      IF 'account'::regclass IN (SELECT logicalrelid FROM pg_dist_partition)
        AND 'statement'::regclass NOT IN (SELECT logicalrelid FROM pg_dist_partition) THEN
        PERFORM create_distributed_table('statement', 'account_id', colocate_with => 'account');
      END IF;
    END IF;
  END $$
