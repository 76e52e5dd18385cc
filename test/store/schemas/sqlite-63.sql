CREATE INDEX gateway_key_folded_name ON gateway_key (lower(name), id);
