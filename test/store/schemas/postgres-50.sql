CREATE TABLE IF NOT EXISTS file (account_id TEXT COLLATE "C" NOT NULL, id TEXT COLLATE "C" NOT NULL, form TEXT COLLATE "C" NOT NULL, key_id TEXT COLLATE "C" NOT NULL, member_id TEXT COLLATE "C", name TEXT COLLATE "C" NOT NULL, purpose TEXT COLLATE "C" NOT NULL, type TEXT COLLATE "C" NOT NULL, bytes BIGINT NOT NULL, created_ms BIGINT NOT NULL, expires_ms BIGINT NOT NULL, PRIMARY KEY (account_id, id))
----
DO $$ BEGIN
    IF to_regclass('pg_dist_partition') IS NOT NULL THEN
      IF 'account'::regclass IN (SELECT logicalrelid FROM pg_dist_partition)
        AND 'file'::regclass NOT IN (SELECT logicalrelid FROM pg_dist_partition) THEN
        PERFORM create_distributed_table('file', 'account_id', colocate_with => 'account');
      END IF;
    END IF;
  END $$
----
CREATE INDEX IF NOT EXISTS file_account ON file (account_id, created_ms, id, bytes)
----
CREATE INDEX IF NOT EXISTS file_created ON file (created_ms, id)
----
CREATE INDEX IF NOT EXISTS file_expires ON file (expires_ms)
----
CREATE TABLE IF NOT EXISTS file_piece (account_id TEXT COLLATE "C" NOT NULL, object TEXT COLLATE "C" NOT NULL, number BIGINT NOT NULL, at_ms BIGINT NOT NULL, sealed BYTEA NOT NULL, PRIMARY KEY (account_id, object, number))
----
DO $$ BEGIN
    IF to_regclass('pg_dist_partition') IS NOT NULL THEN
      IF 'account'::regclass IN (SELECT logicalrelid FROM pg_dist_partition)
        AND 'file_piece'::regclass NOT IN (SELECT logicalrelid FROM pg_dist_partition) THEN
        PERFORM create_distributed_table('file_piece', 'account_id', colocate_with => 'account');
      END IF;
    END IF;
  END $$
