CREATE TABLE IF NOT EXISTS batch (account_id TEXT COLLATE "C" NOT NULL, id TEXT COLLATE "C" NOT NULL, key_id TEXT COLLATE "C" NOT NULL, member_id TEXT COLLATE "C", surface TEXT COLLATE "C" NOT NULL, status TEXT COLLATE "C" NOT NULL, created_at_ms BIGINT NOT NULL, expires_at_ms BIGINT NOT NULL, ended_at_ms BIGINT, open_at_ms BIGINT, claim TEXT COLLATE "C", input_file_id TEXT COLLATE "C", bytes BIGINT NOT NULL, detail TEXT COLLATE "C" NOT NULL, PRIMARY KEY (account_id, id))
----
DO $$ BEGIN
    IF to_regclass('pg_dist_partition') IS NOT NULL THEN
      IF 'account'::regclass IN (SELECT logicalrelid FROM pg_dist_partition)
        AND 'batch'::regclass NOT IN (SELECT logicalrelid FROM pg_dist_partition) THEN
        PERFORM create_distributed_table('batch', 'account_id', colocate_with => 'account');
      END IF;
    END IF;
  END $$
----
CREATE TABLE IF NOT EXISTS batch_block (account_id TEXT COLLATE "C" NOT NULL, batch_id TEXT COLLATE "C" NOT NULL, block BIGINT NOT NULL, node TEXT COLLATE "C", lease BIGINT NOT NULL, remaining BIGINT NOT NULL, states TEXT COLLATE "C" NOT NULL, places TEXT COLLATE "C" NOT NULL, pieces TEXT COLLATE "C" NOT NULL, PRIMARY KEY (account_id, batch_id, block))
----
DO $$ BEGIN
    IF to_regclass('pg_dist_partition') IS NOT NULL THEN
      IF 'account'::regclass IN (SELECT logicalrelid FROM pg_dist_partition)
        AND 'batch_block'::regclass NOT IN (SELECT logicalrelid FROM pg_dist_partition) THEN
        PERFORM create_distributed_table('batch_block', 'account_id', colocate_with => 'account');
      END IF;
    END IF;
  END $$
----
CREATE INDEX IF NOT EXISTS batch_created ON batch (created_at_ms, id)
----
CREATE INDEX IF NOT EXISTS batch_open ON batch (open_at_ms) WHERE open_at_ms IS NOT NULL
----
CREATE INDEX IF NOT EXISTS batch_claim ON batch (claim) WHERE claim IS NOT NULL
----
ALTER TABLE request ADD COLUMN IF NOT EXISTS batch_id TEXT COLLATE "C"
----
ALTER TABLE request ADD COLUMN IF NOT EXISTS batch_line BIGINT
----
ALTER TABLE request ADD COLUMN IF NOT EXISTS custom_id TEXT COLLATE "C"
----
CREATE INDEX IF NOT EXISTS request_batch ON request (batch_id, at_ms) WHERE batch_id IS NOT NULL
