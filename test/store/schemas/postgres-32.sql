CREATE TABLE IF NOT EXISTS lease (name TEXT COLLATE "C" NOT NULL, node TEXT COLLATE "C" NOT NULL, until_ms BIGINT NOT NULL, PRIMARY KEY (name))
----
DO $$ BEGIN
    IF to_regclass('pg_dist_partition') IS NOT NULL THEN
      IF 'account'::regclass IN (SELECT logicalrelid FROM pg_dist_partition)
        AND 'lease'::regclass NOT IN (SELECT logicalrelid FROM pg_dist_partition) THEN
        PERFORM create_reference_table('lease');
      END IF;
    END IF;
  END $$
----
CREATE TABLE IF NOT EXISTS delivery (id TEXT COLLATE "C" NOT NULL, webhook_id TEXT COLLATE "C" NOT NULL, endpoint TEXT COLLATE "C" NOT NULL, type TEXT COLLATE "C" NOT NULL, account_id TEXT COLLATE "C" NOT NULL, at_ms BIGINT NOT NULL, data TEXT COLLATE "C" NOT NULL, state TEXT COLLATE "C" NOT NULL, attempts BIGINT NOT NULL, due_at_ms BIGINT, status BIGINT, reason TEXT COLLATE "C", PRIMARY KEY (id))
----
DO $$ BEGIN
    IF to_regclass('pg_dist_partition') IS NOT NULL THEN
      IF 'account'::regclass IN (SELECT logicalrelid FROM pg_dist_partition)
        AND 'delivery'::regclass NOT IN (SELECT logicalrelid FROM pg_dist_partition) THEN
        PERFORM create_reference_table('delivery');
      END IF;
    END IF;
  END $$
----
CREATE INDEX IF NOT EXISTS delivery_due ON delivery (due_at_ms, endpoint) WHERE due_at_ms IS NOT NULL
----
CREATE INDEX IF NOT EXISTS delivery_at ON delivery (at_ms, id)
----
CREATE TABLE IF NOT EXISTS endpoint_off (endpoint TEXT COLLATE "C" NOT NULL, at_ms BIGINT NOT NULL, PRIMARY KEY (endpoint))
----
DO $$ BEGIN
    IF to_regclass('pg_dist_partition') IS NOT NULL THEN
      IF 'account'::regclass IN (SELECT logicalrelid FROM pg_dist_partition)
        AND 'endpoint_off'::regclass NOT IN (SELECT logicalrelid FROM pg_dist_partition) THEN
        PERFORM create_reference_table('endpoint_off');
      END IF;
    END IF;
  END $$
