CREATE TABLE IF NOT EXISTS hourly_usage (hour_ms BIGINT NOT NULL, account_id TEXT COLLATE "C" NOT NULL, key_id TEXT COLLATE "C" NOT NULL, model TEXT COLLATE "C" NOT NULL, operation TEXT COLLATE "C" NOT NULL, surface TEXT COLLATE "C" NOT NULL, member TEXT COLLATE "C" NOT NULL, provider TEXT COLLATE "C" NOT NULL, outcome TEXT COLLATE "C" NOT NULL, tag TEXT COLLATE "C" NOT NULL, requests BIGINT NOT NULL DEFAULT 0, errors BIGINT NOT NULL DEFAULT 0, prompt_tokens BIGINT NOT NULL DEFAULT 0, completion_tokens BIGINT NOT NULL DEFAULT 0, cached_tokens BIGINT NOT NULL DEFAULT 0, cache_write_tokens BIGINT NOT NULL DEFAULT 0, reasoning_tokens BIGINT NOT NULL DEFAULT 0, searches BIGINT NOT NULL DEFAULT 0, images BIGINT NOT NULL DEFAULT 0, seconds BIGINT NOT NULL DEFAULT 0, characters BIGINT NOT NULL DEFAULT 0, search_units BIGINT NOT NULL DEFAULT 0, pages BIGINT NOT NULL DEFAULT 0, cost_nano BIGINT NOT NULL DEFAULT 0, charged_nano BIGINT NOT NULL DEFAULT 0, PRIMARY KEY (hour_ms, account_id, key_id, model, operation, surface, member, provider, outcome, tag))
----
DO $$ BEGIN
    IF to_regclass('pg_dist_partition') IS NOT NULL THEN
      IF 'account'::regclass IN (SELECT logicalrelid FROM pg_dist_partition)
        AND 'hourly_usage'::regclass NOT IN (SELECT logicalrelid FROM pg_dist_partition) THEN
        PERFORM create_distributed_table('hourly_usage', 'account_id', colocate_with => 'account');
      END IF;
    END IF;
  END $$
----
CREATE INDEX IF NOT EXISTS hourly_usage_key ON hourly_usage (key_id, hour_ms)
----
WITH moved AS (DELETE FROM usage_hour RETURNING *)
      INSERT INTO hourly_usage (hour_ms, account_id, key_id, model, operation, surface, member, provider, outcome, tag, requests, errors, prompt_tokens, completion_tokens, cached_tokens, cache_write_tokens, reasoning_tokens, searches, images, seconds, characters, search_units, pages, cost_nano, charged_nano)
    SELECT hour_ms, account_id, key_id, model, operation, surface, '', left(model, greatest(strpos(model, '#') - 1, 0)), '', '', requests, errors, prompt_tokens, completion_tokens, cached_tokens, cache_write_tokens, reasoning_tokens, searches, images, seconds, characters, search_units, pages, cost_nano, charged_nano FROM moved WHERE true
    ON CONFLICT (hour_ms, account_id, key_id, model, operation, surface, member, provider, outcome, tag) DO UPDATE SET requests = hourly_usage.requests + excluded.requests, errors = hourly_usage.errors + excluded.errors, prompt_tokens = hourly_usage.prompt_tokens + excluded.prompt_tokens, completion_tokens = hourly_usage.completion_tokens + excluded.completion_tokens, cached_tokens = hourly_usage.cached_tokens + excluded.cached_tokens, cache_write_tokens = hourly_usage.cache_write_tokens + excluded.cache_write_tokens, reasoning_tokens = hourly_usage.reasoning_tokens + excluded.reasoning_tokens, searches = hourly_usage.searches + excluded.searches, images = hourly_usage.images + excluded.images, seconds = hourly_usage.seconds + excluded.seconds, characters = hourly_usage.characters + excluded.characters, search_units = hourly_usage.search_units + excluded.search_units, pages = hourly_usage.pages + excluded.pages, cost_nano = hourly_usage.cost_nano + excluded.cost_nano, charged_nano = hourly_usage.charged_nano + excluded.charged_nano
