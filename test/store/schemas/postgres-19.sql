CREATE TABLE IF NOT EXISTS departure (account_id TEXT COLLATE "C" NOT NULL, id TEXT COLLATE "C" NOT NULL, PRIMARY KEY (account_id, id))
----
DO $$ BEGIN
    IF to_regclass('pg_dist_partition') IS NOT NULL THEN
      IF 'account'::regclass IN (SELECT logicalrelid FROM pg_dist_partition)
        AND 'departure'::regclass NOT IN (SELECT logicalrelid FROM pg_dist_partition) THEN
        PERFORM create_distributed_table('departure', 'account_id', colocate_with => 'account');
      END IF;
    END IF;
  END $$
