CREATE TABLE IF NOT EXISTS limit_request (account_id TEXT COLLATE "C" NOT NULL, id TEXT COLLATE "C" NOT NULL, member_id TEXT COLLATE "C" NOT NULL, kind TEXT COLLATE "C" NOT NULL, per TEXT COLLATE "C", models TEXT COLLATE "C", amount BIGINT NOT NULL, reason TEXT COLLATE "C" NOT NULL, created_at_ms BIGINT NOT NULL, until_ms BIGINT NOT NULL, state TEXT COLLATE "C" NOT NULL, decided_at_ms BIGINT, decider_kind TEXT COLLATE "C", decider_id TEXT COLLATE "C", note TEXT COLLATE "C", raised_until_ms BIGINT, PRIMARY KEY (account_id, id))
----
DO $$ BEGIN
    IF to_regclass('pg_dist_partition') IS NOT NULL THEN
      IF 'account'::regclass IN (SELECT logicalrelid FROM pg_dist_partition)
        AND 'limit_request'::regclass NOT IN (SELECT logicalrelid FROM pg_dist_partition) THEN
        PERFORM create_distributed_table('limit_request', 'account_id', colocate_with => 'account');
      END IF;
    END IF;
  END $$
----
CREATE INDEX IF NOT EXISTS limit_request_raised ON limit_request (member_id, raised_until_ms)
----
CREATE INDEX IF NOT EXISTS limit_request_created ON limit_request (created_at_ms, id)
