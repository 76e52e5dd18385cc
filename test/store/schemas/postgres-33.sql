CREATE TABLE IF NOT EXISTS provider_call_day (account_id TEXT COLLATE "C" NOT NULL, day_ms BIGINT NOT NULL, model TEXT COLLATE "C" NOT NULL, credential TEXT COLLATE "C" NOT NULL, kind TEXT COLLATE "C" NOT NULL, calls BIGINT NOT NULL, prompt_tokens BIGINT NOT NULL DEFAULT 0, completion_tokens BIGINT NOT NULL DEFAULT 0, cached_tokens BIGINT NOT NULL DEFAULT 0, cache_write_tokens BIGINT NOT NULL DEFAULT 0, reasoning_tokens BIGINT NOT NULL DEFAULT 0, searches BIGINT NOT NULL DEFAULT 0, images BIGINT NOT NULL DEFAULT 0, seconds BIGINT NOT NULL DEFAULT 0, characters BIGINT NOT NULL DEFAULT 0, search_units BIGINT NOT NULL DEFAULT 0, pages BIGINT NOT NULL DEFAULT 0, cost_nano BIGINT NOT NULL, estimated_nano BIGINT NOT NULL, PRIMARY KEY (account_id, day_ms, model, credential, kind))
----
DO $$ BEGIN
    IF to_regclass('pg_dist_partition') IS NOT NULL THEN
      IF 'account'::regclass IN (SELECT logicalrelid FROM pg_dist_partition)
        AND 'provider_call_day'::regclass NOT IN (SELECT logicalrelid FROM pg_dist_partition) THEN
        PERFORM create_distributed_table('provider_call_day', 'account_id', colocate_with => 'account');
      END IF;
    END IF;
  END $$
----
CREATE TABLE IF NOT EXISTS provider_call (account_id TEXT COLLATE "C" NOT NULL, id TEXT COLLATE "C" NOT NULL, at_ms BIGINT NOT NULL, kind TEXT COLLATE "C" NOT NULL, model TEXT COLLATE "C" NOT NULL, credential TEXT COLLATE "C" NOT NULL, upstream_request_ids TEXT COLLATE "C" NOT NULL, completion_id TEXT COLLATE "C", outcome TEXT COLLATE "C" NOT NULL, fault_code TEXT COLLATE "C", calls BIGINT NOT NULL, claimed TEXT COLLATE "C", charged TEXT COLLATE "C" NOT NULL, usage_source TEXT COLLATE "C" NOT NULL, cost_nano BIGINT NOT NULL, PRIMARY KEY (account_id, id))
----
DO $$ BEGIN
    IF to_regclass('pg_dist_partition') IS NOT NULL THEN
      IF 'account'::regclass IN (SELECT logicalrelid FROM pg_dist_partition)
        AND 'provider_call'::regclass NOT IN (SELECT logicalrelid FROM pg_dist_partition) THEN
        PERFORM create_distributed_table('provider_call', 'account_id', colocate_with => 'account');
      END IF;
    END IF;
  END $$
----
CREATE INDEX IF NOT EXISTS provider_call_at ON provider_call (at_ms, id)
