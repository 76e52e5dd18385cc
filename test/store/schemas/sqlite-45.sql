ALTER TABLE gateway_key ADD COLUMN model_limits TEXT NOT NULL DEFAULT '"default"';
