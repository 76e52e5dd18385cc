CREATE TABLE IF NOT EXISTS directory_part (group_id TEXT COLLATE "C" NOT NULL, part BIGINT NOT NULL, came TEXT COLLATE "C" NOT NULL, went TEXT COLLATE "C" NOT NULL, others TEXT COLLATE "C" NOT NULL, names TEXT COLLATE "C" NOT NULL, after_id TEXT COLLATE "C" NOT NULL, PRIMARY KEY (group_id, part))
----
DO $$ BEGIN
    IF to_regclass('pg_dist_partition') IS NOT NULL THEN
      IF 'account'::regclass IN (SELECT logicalrelid FROM pg_dist_partition)
        AND 'directory_part'::regclass NOT IN (SELECT logicalrelid FROM pg_dist_partition) THEN
        PERFORM create_reference_table('directory_part');
      END IF;
    END IF;
  END $$
