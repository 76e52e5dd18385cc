CREATE TABLE IF NOT EXISTS audit (seq BIGINT NOT NULL, id TEXT COLLATE "C" NOT NULL, at_ms BIGINT NOT NULL, actor_kind TEXT COLLATE "C" NOT NULL, actor_id TEXT COLLATE "C" NOT NULL, action TEXT COLLATE "C" NOT NULL, target_type TEXT COLLATE "C" NOT NULL, target_id TEXT COLLATE "C" NOT NULL, account_id TEXT COLLATE "C", outcome TEXT COLLATE "C" NOT NULL, route TEXT COLLATE "C" NOT NULL, request_id TEXT COLLATE "C" NOT NULL, reason TEXT COLLATE "C", actor_digest TEXT COLLATE "C" NOT NULL, target_digest TEXT COLLATE "C" NOT NULL, change_digest TEXT COLLATE "C" NOT NULL, hash TEXT COLLATE "C" NOT NULL, PRIMARY KEY (seq))
----
DO $$ BEGIN
    IF to_regclass('pg_dist_partition') IS NOT NULL THEN
      IF 'account'::regclass IN (SELECT logicalrelid FROM pg_dist_partition)
        AND 'audit'::regclass NOT IN (SELECT logicalrelid FROM pg_dist_partition) THEN
        PERFORM create_reference_table('audit');
      END IF;
    END IF;
  END $$
----
CREATE INDEX IF NOT EXISTS audit_id ON audit (id)
----
CREATE INDEX IF NOT EXISTS audit_actor ON audit (actor_id, seq)
----
CREATE INDEX IF NOT EXISTS audit_target ON audit (target_id, seq)
----
CREATE INDEX IF NOT EXISTS audit_account ON audit (account_id, seq)
----
CREATE TABLE IF NOT EXISTS audit_detail (seq BIGINT NOT NULL, actor_salt TEXT COLLATE "C", actor_name TEXT COLLATE "C" NOT NULL, address TEXT COLLATE "C" NOT NULL, agent TEXT COLLATE "C" NOT NULL, target_salt TEXT COLLATE "C", target_name TEXT COLLATE "C" NOT NULL, change_salt TEXT COLLATE "C", before_json TEXT COLLATE "C", after_json TEXT COLLATE "C", PRIMARY KEY (seq))
----
DO $$ BEGIN
    IF to_regclass('pg_dist_partition') IS NOT NULL THEN
      IF 'account'::regclass IN (SELECT logicalrelid FROM pg_dist_partition)
        AND 'audit_detail'::regclass NOT IN (SELECT logicalrelid FROM pg_dist_partition) THEN
        PERFORM create_reference_table('audit_detail');
      END IF;
    END IF;
  END $$
