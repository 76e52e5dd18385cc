ALTER TABLE gateway_key ADD COLUMN IF NOT EXISTS tags TEXT COLLATE "C"
----
ALTER TABLE account ADD COLUMN IF NOT EXISTS tags TEXT COLLATE "C"
----
ALTER TABLE request ADD COLUMN IF NOT EXISTS tags TEXT COLLATE "C"
----
CREATE TABLE IF NOT EXISTS hourly_tag (hour_ms BIGINT NOT NULL, account_id TEXT COLLATE "C" NOT NULL, key_id TEXT COLLATE "C" NOT NULL, model TEXT COLLATE "C" NOT NULL, operation TEXT COLLATE "C" NOT NULL, surface TEXT COLLATE "C" NOT NULL, member TEXT COLLATE "C" NOT NULL, provider TEXT COLLATE "C" NOT NULL, outcome TEXT COLLATE "C" NOT NULL, tag TEXT COLLATE "C" NOT NULL, requests BIGINT NOT NULL DEFAULT 0, errors BIGINT NOT NULL DEFAULT 0, prompt_tokens BIGINT NOT NULL DEFAULT 0, completion_tokens BIGINT NOT NULL DEFAULT 0, cached_tokens BIGINT NOT NULL DEFAULT 0, cache_write_tokens BIGINT NOT NULL DEFAULT 0, reasoning_tokens BIGINT NOT NULL DEFAULT 0, searches BIGINT NOT NULL DEFAULT 0, images BIGINT NOT NULL DEFAULT 0, seconds BIGINT NOT NULL DEFAULT 0, characters BIGINT NOT NULL DEFAULT 0, search_units BIGINT NOT NULL DEFAULT 0, pages BIGINT NOT NULL DEFAULT 0, cost_nano BIGINT NOT NULL DEFAULT 0, charged_nano BIGINT NOT NULL DEFAULT 0, cached BIGINT NOT NULL DEFAULT 0, saved_nano BIGINT NOT NULL DEFAULT 0, edge_cost_nano BIGINT NOT NULL DEFAULT 0, edge_charged_nano BIGINT NOT NULL DEFAULT 0, PRIMARY KEY (hour_ms, account_id, key_id, model, operation, surface, member, provider, outcome, tag))
----
DO $$ BEGIN
    IF to_regclass('pg_dist_partition') IS NOT NULL THEN
      IF 'account'::regclass IN (SELECT logicalrelid FROM pg_dist_partition)
        AND 'hourly_tag'::regclass NOT IN (SELECT logicalrelid FROM pg_dist_partition) THEN
        PERFORM create_distributed_table('hourly_tag', 'account_id', colocate_with => 'account');
      END IF;
    END IF;
  END $$
----
CREATE TABLE IF NOT EXISTS tag_of_day (account_id TEXT COLLATE "C" NOT NULL, day_ms BIGINT NOT NULL, tag TEXT COLLATE "C" NOT NULL, PRIMARY KEY (account_id, day_ms, tag))
----
DO $$ BEGIN
    IF to_regclass('pg_dist_partition') IS NOT NULL THEN
      IF 'account'::regclass IN (SELECT logicalrelid FROM pg_dist_partition)
        AND 'tag_of_day'::regclass NOT IN (SELECT logicalrelid FROM pg_dist_partition) THEN
        PERFORM create_distributed_table('tag_of_day', 'account_id', colocate_with => 'account');
      END IF;
    END IF;
  END $$
