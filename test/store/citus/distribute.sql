-- Distributes the store's tables over the workers by account. Run it on the coordinator after the first start of a gateway:
-- tables that are distributed already are left as they are. Upgrades distribute the tables that they add.
SELECT create_distributed_table('account', 'id', colocate_with => 'none')
WHERE 'account'::regclass NOT IN (SELECT logicalrelid FROM pg_dist_partition);

SELECT create_distributed_table(name::regclass, 'account_id', colocate_with => 'account')
FROM unnest(ARRAY['meter', 'slot', 'spend', 'hold', 'entry', 'reply', 'top_up', 'request', 'usage_hour',
  'hourly_usage', 'first_token_hour', 'content', 'lesson', 'stored_response', 'cached_answer', 'event',
  'put_record', 'departure', 'refusal', 'limit_request', 'movement', 'statement',
  'provider_call', 'provider_call_day', 'checkout', 'hourly_tag', 'tag_of_day', 'batch', 'batch_block',
  'file', 'file_piece', 'tool_session']) AS name
WHERE name::regclass NOT IN (SELECT logicalrelid FROM pg_dist_partition);

SELECT create_reference_table(name::regclass)
FROM unnest(ARRAY['gateway_key', 'setting', 'session', 'credential', 'token', 'member', 'used_once',
  'device_code', 'device', 'agent_secret', 'device_mistake', 'audit', 'audit_detail',
  'foreign_digest', 'lease', 'delivery', 'endpoint_off',
  'stray_taking', 'console_link', 'refusal_lesson']) AS name
WHERE name::regclass NOT IN (SELECT logicalrelid FROM pg_dist_partition);
