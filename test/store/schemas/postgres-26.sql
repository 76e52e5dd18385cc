ALTER TABLE member ADD COLUMN IF NOT EXISTS issuer_groups TEXT COLLATE "C" NOT NULL DEFAULT '[]'
----
CREATE TABLE IF NOT EXISTS device_code (device_digest TEXT COLLATE "C" NOT NULL, user_digest TEXT COLLATE "C" NOT NULL, agent TEXT COLLATE "C" NOT NULL, address TEXT COLLATE "C" NOT NULL, block TEXT COLLATE "C" NOT NULL, state TEXT COLLATE "C" NOT NULL, created_at_ms BIGINT NOT NULL, expires_at_ms BIGINT NOT NULL, polled_at_ms BIGINT, member_id TEXT COLLATE "C", account_id TEXT COLLATE "C", key_id TEXT COLLATE "C", device_id TEXT COLLATE "C", PRIMARY KEY (device_digest))
----
DO $$ BEGIN
    IF to_regclass('pg_dist_partition') IS NOT NULL THEN
      IF 'account'::regclass IN (SELECT logicalrelid FROM pg_dist_partition)
        AND 'device_code'::regclass NOT IN (SELECT logicalrelid FROM pg_dist_partition) THEN
        PERFORM create_reference_table('device_code');
      END IF;
    END IF;
  END $$
----
CREATE INDEX IF NOT EXISTS device_code_user ON device_code (user_digest)
----
CREATE INDEX IF NOT EXISTS device_code_end ON device_code (expires_at_ms)
----
CREATE INDEX IF NOT EXISTS device_code_block ON device_code (block)
----
CREATE TABLE IF NOT EXISTS device (id TEXT COLLATE "C" NOT NULL, member_id TEXT COLLATE "C" NOT NULL, account_id TEXT COLLATE "C" NOT NULL, key_id TEXT COLLATE "C" NOT NULL, agent TEXT COLLATE "C" NOT NULL, address TEXT COLLATE "C" NOT NULL, refresh_digest TEXT COLLATE "C" NOT NULL, created_at_ms BIGINT NOT NULL, used_at_ms BIGINT NOT NULL, expires_at_ms BIGINT NOT NULL, ended_at_ms BIGINT, old_refresh_digest TEXT COLLATE "C", answer_sealed TEXT COLLATE "C", PRIMARY KEY (id))
----
DO $$ BEGIN
    IF to_regclass('pg_dist_partition') IS NOT NULL THEN
      IF 'account'::regclass IN (SELECT logicalrelid FROM pg_dist_partition)
        AND 'device'::regclass NOT IN (SELECT logicalrelid FROM pg_dist_partition) THEN
        PERFORM create_reference_table('device');
      END IF;
    END IF;
  END $$
----
CREATE INDEX IF NOT EXISTS device_refresh ON device (refresh_digest)
----
CREATE INDEX IF NOT EXISTS device_old_refresh ON device (old_refresh_digest)
----
CREATE INDEX IF NOT EXISTS device_member ON device (member_id, used_at_ms)
----
CREATE INDEX IF NOT EXISTS device_end ON device (expires_at_ms)
----
CREATE TABLE IF NOT EXISTS agent_secret (digest TEXT COLLATE "C" NOT NULL, device_id TEXT COLLATE "C" NOT NULL, until_ms BIGINT NOT NULL, PRIMARY KEY (digest))
----
DO $$ BEGIN
    IF to_regclass('pg_dist_partition') IS NOT NULL THEN
      IF 'account'::regclass IN (SELECT logicalrelid FROM pg_dist_partition)
        AND 'agent_secret'::regclass NOT IN (SELECT logicalrelid FROM pg_dist_partition) THEN
        PERFORM create_reference_table('agent_secret');
      END IF;
    END IF;
  END $$
----
CREATE INDEX IF NOT EXISTS agent_secret_end ON agent_secret (until_ms)
----
CREATE TABLE IF NOT EXISTS device_mistake (id TEXT COLLATE "C" NOT NULL, member_id TEXT COLLATE "C" NOT NULL, until_ms BIGINT NOT NULL, PRIMARY KEY (id))
----
DO $$ BEGIN
    IF to_regclass('pg_dist_partition') IS NOT NULL THEN
      IF 'account'::regclass IN (SELECT logicalrelid FROM pg_dist_partition)
        AND 'device_mistake'::regclass NOT IN (SELECT logicalrelid FROM pg_dist_partition) THEN
        PERFORM create_reference_table('device_mistake');
      END IF;
    END IF;
  END $$
----
CREATE INDEX IF NOT EXISTS device_mistake_member ON device_mistake (member_id)
