CREATE TABLE IF NOT EXISTS token (id TEXT COLLATE "C" NOT NULL, digest TEXT COLLATE "C" NOT NULL, name TEXT COLLATE "C" NOT NULL, last4 TEXT COLLATE "C" NOT NULL, grants TEXT COLLATE "C" NOT NULL, reads_content BIGINT NOT NULL, maker_kind TEXT COLLATE "C" NOT NULL, maker_id TEXT COLLATE "C" NOT NULL, contact TEXT COLLATE "C", created_at_ms BIGINT NOT NULL, expires_at_ms BIGINT, revoked_at_ms BIGINT, PRIMARY KEY (id))
----
DO $$ BEGIN
    IF to_regclass('pg_dist_partition') IS NOT NULL THEN
      IF 'account'::regclass IN (SELECT logicalrelid FROM pg_dist_partition)
        AND 'token'::regclass NOT IN (SELECT logicalrelid FROM pg_dist_partition) THEN
        PERFORM create_reference_table('token');
      END IF;
    END IF;
  END $$
----
CREATE INDEX IF NOT EXISTS token_digest ON token (digest)
----
CREATE TABLE IF NOT EXISTS member (id TEXT COLLATE "C" NOT NULL, issuer TEXT COLLATE "C" NOT NULL, subject TEXT COLLATE "C" NOT NULL, name TEXT COLLATE "C" NOT NULL, email TEXT COLLATE "C", rule_grants TEXT COLLATE "C" NOT NULL, own_grants TEXT COLLATE "C" NOT NULL, own_until_ms BIGINT, reads_content BIGINT NOT NULL, is_disabled BIGINT NOT NULL, created_at_ms BIGINT NOT NULL, seen_at_ms BIGINT NOT NULL, refresh_sealed TEXT COLLATE "C", checked_at_ms BIGINT NOT NULL, leased_until_ms BIGINT NOT NULL, anonymised_at_ms BIGINT, PRIMARY KEY (id))
----
DO $$ BEGIN
    IF to_regclass('pg_dist_partition') IS NOT NULL THEN
      IF 'account'::regclass IN (SELECT logicalrelid FROM pg_dist_partition)
        AND 'member'::regclass NOT IN (SELECT logicalrelid FROM pg_dist_partition) THEN
        PERFORM create_reference_table('member');
      END IF;
    END IF;
  END $$
----
CREATE INDEX IF NOT EXISTS member_created ON member (created_at_ms, id)
----
CREATE TABLE IF NOT EXISTS used_once (digest TEXT COLLATE "C" NOT NULL, until_ms BIGINT NOT NULL, PRIMARY KEY (digest))
----
DO $$ BEGIN
    IF to_regclass('pg_dist_partition') IS NOT NULL THEN
      IF 'account'::regclass IN (SELECT logicalrelid FROM pg_dist_partition)
        AND 'used_once'::regclass NOT IN (SELECT logicalrelid FROM pg_dist_partition) THEN
        PERFORM create_reference_table('used_once');
      END IF;
    END IF;
  END $$
----
CREATE INDEX IF NOT EXISTS used_once_until ON used_once (until_ms)
----
ALTER TABLE session ADD COLUMN IF NOT EXISTS token_id TEXT COLLATE "C"
----
ALTER TABLE session ADD COLUMN IF NOT EXISTS member_id TEXT COLLATE "C"
----
ALTER TABLE session ADD COLUMN IF NOT EXISTS issuer_session TEXT COLLATE "C"
----
ALTER TABLE gateway_key ADD COLUMN IF NOT EXISTS member_id TEXT COLLATE "C"
----
CREATE INDEX IF NOT EXISTS gateway_key_member ON gateway_key (member_id)
