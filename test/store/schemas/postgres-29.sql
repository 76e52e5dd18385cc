CREATE TABLE IF NOT EXISTS foreign_digest (digest TEXT COLLATE "C" NOT NULL, key_id TEXT COLLATE "C" NOT NULL, rotation BIGINT NOT NULL, ends_at_ms BIGINT NOT NULL, PRIMARY KEY (digest))
----
DO $$ BEGIN
    IF to_regclass('pg_dist_partition') IS NOT NULL THEN
      IF 'account'::regclass IN (SELECT logicalrelid FROM pg_dist_partition)
        AND 'foreign_digest'::regclass NOT IN (SELECT logicalrelid FROM pg_dist_partition) THEN
        PERFORM create_reference_table('foreign_digest');
      END IF;
    END IF;
  END $$
----
CREATE INDEX IF NOT EXISTS foreign_digest_end ON foreign_digest (ends_at_ms)
