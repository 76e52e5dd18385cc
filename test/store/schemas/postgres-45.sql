CREATE TABLE IF NOT EXISTS directory (id TEXT COLLATE "C" NOT NULL, PRIMARY KEY (id))
----
DO $$ BEGIN
    IF to_regclass('pg_dist_partition') IS NOT NULL THEN
      IF 'account'::regclass IN (SELECT logicalrelid FROM pg_dist_partition)
        AND 'directory'::regclass NOT IN (SELECT logicalrelid FROM pg_dist_partition) THEN
        PERFORM create_reference_table('directory');
      END IF;
    END IF;
  END $$
----
INSERT INTO directory (id) VALUES ('directory') ON CONFLICT (id) DO NOTHING
----
CREATE TABLE IF NOT EXISTS directory_user (id TEXT COLLATE "C" NOT NULL, member_id TEXT COLLATE "C" NOT NULL, user_name TEXT COLLATE "C" NOT NULL, name_folded TEXT COLLATE "C" NOT NULL, external_id TEXT COLLATE "C", display_folded TEXT COLLATE "C", attributes TEXT COLLATE "C" NOT NULL, is_active BIGINT NOT NULL, is_linked BIGINT NOT NULL, created_at_ms BIGINT NOT NULL, changed_at_ms BIGINT NOT NULL, PRIMARY KEY (id))
----
DO $$ BEGIN
    IF to_regclass('pg_dist_partition') IS NOT NULL THEN
      IF 'account'::regclass IN (SELECT logicalrelid FROM pg_dist_partition)
        AND 'directory_user'::regclass NOT IN (SELECT logicalrelid FROM pg_dist_partition) THEN
        PERFORM create_reference_table('directory_user');
      END IF;
    END IF;
  END $$
----
CREATE INDEX IF NOT EXISTS directory_user_name ON directory_user (name_folded)
----
CREATE INDEX IF NOT EXISTS directory_user_external ON directory_user (external_id) WHERE external_id IS NOT NULL
----
CREATE INDEX IF NOT EXISTS directory_user_display ON directory_user (display_folded) WHERE display_folded IS NOT NULL
----
CREATE INDEX IF NOT EXISTS directory_user_member ON directory_user (member_id)
----
CREATE INDEX IF NOT EXISTS directory_user_created ON directory_user (created_at_ms, id)
----
CREATE TABLE IF NOT EXISTS directory_email (user_id TEXT COLLATE "C" NOT NULL, value_folded TEXT COLLATE "C" NOT NULL, type_folded TEXT COLLATE "C" NOT NULL, PRIMARY KEY (user_id, value_folded, type_folded))
----
DO $$ BEGIN
    IF to_regclass('pg_dist_partition') IS NOT NULL THEN
      IF 'account'::regclass IN (SELECT logicalrelid FROM pg_dist_partition)
        AND 'directory_email'::regclass NOT IN (SELECT logicalrelid FROM pg_dist_partition) THEN
        PERFORM create_reference_table('directory_email');
      END IF;
    END IF;
  END $$
----
CREATE INDEX IF NOT EXISTS directory_email_value ON directory_email (value_folded)
----
CREATE TABLE IF NOT EXISTS directory_group (id TEXT COLLATE "C" NOT NULL, display_name TEXT COLLATE "C" NOT NULL, name_folded TEXT COLLATE "C" NOT NULL, external_id TEXT COLLATE "C", is_filled BIGINT NOT NULL, created_at_ms BIGINT NOT NULL, changed_at_ms BIGINT NOT NULL, deleted_at_ms BIGINT, PRIMARY KEY (id))
----
DO $$ BEGIN
    IF to_regclass('pg_dist_partition') IS NOT NULL THEN
      IF 'account'::regclass IN (SELECT logicalrelid FROM pg_dist_partition)
        AND 'directory_group'::regclass NOT IN (SELECT logicalrelid FROM pg_dist_partition) THEN
        PERFORM create_reference_table('directory_group');
      END IF;
    END IF;
  END $$
----
CREATE INDEX IF NOT EXISTS directory_group_name ON directory_group (name_folded)
----
CREATE INDEX IF NOT EXISTS directory_group_display ON directory_group (display_name)
----
CREATE INDEX IF NOT EXISTS directory_group_external ON directory_group (external_id) WHERE external_id IS NOT NULL
----
CREATE INDEX IF NOT EXISTS directory_group_created ON directory_group (created_at_ms, id)
----
CREATE TABLE IF NOT EXISTS directory_membership (group_id TEXT COLLATE "C" NOT NULL, user_id TEXT COLLATE "C" NOT NULL, PRIMARY KEY (group_id, user_id))
----
DO $$ BEGIN
    IF to_regclass('pg_dist_partition') IS NOT NULL THEN
      IF 'account'::regclass IN (SELECT logicalrelid FROM pg_dist_partition)
        AND 'directory_membership'::regclass NOT IN (SELECT logicalrelid FROM pg_dist_partition) THEN
        PERFORM create_reference_table('directory_membership');
      END IF;
    END IF;
  END $$
----
CREATE INDEX IF NOT EXISTS directory_membership_user ON directory_membership (user_id)
----
CREATE TABLE IF NOT EXISTS member_alias (id TEXT COLLATE "C" NOT NULL, member_id TEXT COLLATE "C" NOT NULL, PRIMARY KEY (id))
----
DO $$ BEGIN
    IF to_regclass('pg_dist_partition') IS NOT NULL THEN
      IF 'account'::regclass IN (SELECT logicalrelid FROM pg_dist_partition)
        AND 'member_alias'::regclass NOT IN (SELECT logicalrelid FROM pg_dist_partition) THEN
        PERFORM create_reference_table('member_alias');
      END IF;
    END IF;
  END $$
----
CREATE INDEX IF NOT EXISTS member_alias_member ON member_alias (member_id)
----
ALTER TABLE member ADD COLUMN IF NOT EXISTS object_id TEXT COLLATE "C"
----
ALTER TABLE member ADD COLUMN IF NOT EXISTS refused_at_ms BIGINT
----
ALTER TABLE member ADD COLUMN IF NOT EXISTS directory_turn BIGINT
----
CREATE INDEX IF NOT EXISTS member_object ON member (object_id) WHERE object_id IS NOT NULL
----
CREATE INDEX IF NOT EXISTS member_directory ON member (directory_turn) WHERE directory_turn IS NOT NULL
----
ALTER TABLE token ADD COLUMN IF NOT EXISTS kind TEXT COLLATE "C"
