CREATE TABLE IF NOT EXISTS refusal_lesson (model TEXT COLLATE "C" NOT NULL, host TEXT COLLATE "C" NOT NULL, word TEXT COLLATE "C" NOT NULL, first_seen_at_ms BIGINT NOT NULL, seen_at_ms BIGINT NOT NULL, tried_at_ms BIGINT NOT NULL, confirmed_at_ms BIGINT, shared_at_ms BIGINT, payers TEXT COLLATE "C" NOT NULL, PRIMARY KEY (model, host, word))
----
DO $$ BEGIN
    IF to_regclass('pg_dist_partition') IS NOT NULL THEN
      IF 'account'::regclass IN (SELECT logicalrelid FROM pg_dist_partition)
        AND 'refusal_lesson'::regclass NOT IN (SELECT logicalrelid FROM pg_dist_partition) THEN
        PERFORM create_reference_table('refusal_lesson');
      END IF;
    END IF;
  END $$
