CREATE TABLE IF NOT EXISTS admin_repeat (id TEXT COLLATE "C" NOT NULL, actor TEXT COLLATE "C" NOT NULL, at_ms BIGINT NOT NULL, body_digest TEXT COLLATE "C" NOT NULL, token TEXT COLLATE "C" NOT NULL, answer TEXT COLLATE "C", secret TEXT COLLATE "C", PRIMARY KEY (id))
----
DO $$ BEGIN
    IF to_regclass('pg_dist_partition') IS NOT NULL THEN
      IF 'account'::regclass IN (SELECT logicalrelid FROM pg_dist_partition)
        AND 'admin_repeat'::regclass NOT IN (SELECT logicalrelid FROM pg_dist_partition) THEN
        PERFORM create_reference_table('admin_repeat');
      END IF;
    END IF;
  END $$
----
CREATE INDEX IF NOT EXISTS admin_repeat_at ON admin_repeat (at_ms)
----
CREATE INDEX IF NOT EXISTS admin_repeat_actor ON admin_repeat (actor, at_ms, id)
----
ALTER TABLE device_code ADD COLUMN IF NOT EXISTS network TEXT COLLATE "C" NOT NULL DEFAULT ''
----
CREATE INDEX IF NOT EXISTS device_code_network ON device_code (network)
----
ALTER TABLE session ADD COLUMN IF NOT EXISTS address TEXT COLLATE "C"
----
ALTER TABLE session ADD COLUMN IF NOT EXISTS agent TEXT COLLATE "C"
