CREATE INDEX IF NOT EXISTS gateway_key_folded_name ON gateway_key (lower(name), id)
