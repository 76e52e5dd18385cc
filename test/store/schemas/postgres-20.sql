CREATE TABLE IF NOT EXISTS refusal (account_id TEXT COLLATE "C" NOT NULL, id TEXT COLLATE "C" NOT NULL, at_ms BIGINT NOT NULL, key_id TEXT COLLATE "C", last4 TEXT COLLATE "C", shape TEXT COLLATE "C", model_asked TEXT COLLATE "C", route TEXT COLLATE "C" NOT NULL, address TEXT COLLATE "C", code TEXT COLLATE "C" NOT NULL, status BIGINT NOT NULL, refusing_limit TEXT COLLATE "C", reset_at_ms BIGINT, requests BIGINT NOT NULL, PRIMARY KEY (account_id, id))
----
DO $$ BEGIN
    IF to_regclass('pg_dist_partition') IS NOT NULL THEN
      IF 'account'::regclass IN (SELECT logicalrelid FROM pg_dist_partition)
        AND 'refusal'::regclass NOT IN (SELECT logicalrelid FROM pg_dist_partition) THEN
        PERFORM create_distributed_table('refusal', 'account_id', colocate_with => 'account');
      END IF;
    END IF;
  END $$
----
CREATE INDEX IF NOT EXISTS refusal_at ON refusal (at_ms, id)
----
CREATE INDEX IF NOT EXISTS refusal_key_at ON refusal (key_id, at_ms, id)
