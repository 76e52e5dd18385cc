CREATE TABLE IF NOT EXISTS console_link (name TEXT COLLATE "C" NOT NULL, digest TEXT COLLATE "C" NOT NULL, expires_at_ms BIGINT NOT NULL, PRIMARY KEY (name))
----
DO $$ BEGIN
    IF to_regclass('pg_dist_partition') IS NOT NULL THEN
      IF 'account'::regclass IN (SELECT logicalrelid FROM pg_dist_partition)
        AND 'console_link'::regclass NOT IN (SELECT logicalrelid FROM pg_dist_partition) THEN
        PERFORM create_reference_table('console_link');
      END IF;
    END IF;
  END $$
