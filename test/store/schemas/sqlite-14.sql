-- A paused key refuses requests, and a key may be limited to client addresses (JSON: null, or a list). After a rotation
  -- the secret before the present one works until that time.
  ALTER TABLE gateway_key ADD COLUMN paused INTEGER NOT NULL DEFAULT 0;
  ALTER TABLE gateway_key ADD COLUMN notes TEXT;
  ALTER TABLE gateway_key ADD COLUMN allowed_addresses TEXT NOT NULL DEFAULT 'null';
  ALTER TABLE gateway_key ADD COLUMN rotations INTEGER NOT NULL DEFAULT 0;
  ALTER TABLE gateway_key ADD COLUMN old_digest TEXT;
  ALTER TABLE gateway_key ADD COLUMN old_secret_until_ms INTEGER;
  CREATE INDEX gateway_key_old_digest ON gateway_key (old_digest) WHERE old_digest IS NOT NULL;
