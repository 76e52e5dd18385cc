CREATE TABLE IF NOT EXISTS movement (account_id TEXT COLLATE "C" NOT NULL, id TEXT COLLATE "C" NOT NULL, at_ms BIGINT NOT NULL, kind TEXT COLLATE "C" NOT NULL, amount_nano BIGINT NOT NULL, balance_nano BIGINT NOT NULL, month TEXT COLLATE "C", seq BIGINT, by_kind TEXT COLLATE "C", by_id TEXT COLLATE "C", PRIMARY KEY (account_id, id))
----
DO $$ BEGIN
    IF to_regclass('pg_dist_partition') IS NOT NULL THEN
      IF 'account'::regclass IN (SELECT logicalrelid FROM pg_dist_partition)
        AND 'movement'::regclass NOT IN (SELECT logicalrelid FROM pg_dist_partition) THEN
        PERFORM create_distributed_table('movement', 'account_id', colocate_with => 'account');
      END IF;
    END IF;
  END $$
----
CREATE INDEX IF NOT EXISTS movement_seq ON movement (account_id, seq)
----
WITH moved AS (DELETE FROM top_up RETURNING *)
      INSERT INTO movement (account_id, id, at_ms, kind, amount_nano, balance_nano) SELECT account_id, id, at_ms, 'topup', amount_nano, amount_nano FROM moved
----
ALTER TABLE entry ADD COLUMN IF NOT EXISTS held_after_nano BIGINT
----
ALTER TABLE account ADD COLUMN IF NOT EXISTS receivable_nano BIGINT NOT NULL DEFAULT 0
----
ALTER TABLE account ADD COLUMN IF NOT EXISTS closing_at_ms BIGINT
----
ALTER TABLE account ADD COLUMN IF NOT EXISTS closed_at_ms BIGINT
