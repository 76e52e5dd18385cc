CREATE INDEX IF NOT EXISTS account_name ON account (name)
----
CREATE INDEX IF NOT EXISTS gateway_key_name ON gateway_key (account_id, name)
----
CREATE TABLE IF NOT EXISTS put_record (account_id TEXT COLLATE "C" NOT NULL, id TEXT COLLATE "C" NOT NULL, at_ms BIGINT NOT NULL, body_digest TEXT COLLATE "C" NOT NULL, key_id TEXT COLLATE "C" NOT NULL, sealed TEXT COLLATE "C", PRIMARY KEY (account_id, id))
----
DO $$ BEGIN
    IF to_regclass('pg_dist_partition') IS NOT NULL THEN
      IF 'account'::regclass IN (SELECT logicalrelid FROM pg_dist_partition)
        AND 'put_record'::regclass NOT IN (SELECT logicalrelid FROM pg_dist_partition) THEN
        PERFORM create_distributed_table('put_record', 'account_id', colocate_with => 'account');
      END IF;
    END IF;
  END $$
----
CREATE INDEX IF NOT EXISTS put_record_at ON put_record (at_ms)
