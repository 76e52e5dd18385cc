CREATE TABLE IF NOT EXISTS checkout (account_id TEXT COLLATE "C" NOT NULL, id TEXT COLLATE "C" NOT NULL, created_at_ms BIGINT NOT NULL, amount_nano BIGINT NOT NULL, by_kind TEXT COLLATE "C", by_id TEXT COLLATE "C", page TEXT COLLATE "C", state TEXT COLLATE "C" NOT NULL, payment_id TEXT COLLATE "C", paid_nano BIGINT NOT NULL, takings TEXT COLLATE "C" NOT NULL, PRIMARY KEY (account_id, id))
----
DO $$ BEGIN
    IF to_regclass('pg_dist_partition') IS NOT NULL THEN
      IF 'account'::regclass IN (SELECT logicalrelid FROM pg_dist_partition)
        AND 'checkout'::regclass NOT IN (SELECT logicalrelid FROM pg_dist_partition) THEN
        PERFORM create_distributed_table('checkout', 'account_id', colocate_with => 'account');
      END IF;
    END IF;
  END $$
----
CREATE INDEX IF NOT EXISTS checkout_id ON checkout (id)
----
CREATE INDEX IF NOT EXISTS checkout_payment ON checkout (payment_id) WHERE payment_id IS NOT NULL
----
CREATE TABLE IF NOT EXISTS stray_taking (id TEXT COLLATE "C" NOT NULL, state TEXT COLLATE "C" NOT NULL, payment_id TEXT COLLATE "C" NOT NULL, kind TEXT COLLATE "C" NOT NULL, amount_nano BIGINT NOT NULL, at_ms BIGINT NOT NULL, PRIMARY KEY (id, state))
----
DO $$ BEGIN
    IF to_regclass('pg_dist_partition') IS NOT NULL THEN
      IF 'account'::regclass IN (SELECT logicalrelid FROM pg_dist_partition)
        AND 'stray_taking'::regclass NOT IN (SELECT logicalrelid FROM pg_dist_partition) THEN
        PERFORM create_reference_table('stray_taking');
      END IF;
    END IF;
  END $$
----
CREATE INDEX IF NOT EXISTS stray_taking_payment ON stray_taking (payment_id)
----
CREATE INDEX IF NOT EXISTS stray_taking_at ON stray_taking (at_ms, id, state)
