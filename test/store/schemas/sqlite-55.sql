ALTER TABLE gateway_key ADD COLUMN allowed_tools TEXT NOT NULL DEFAULT 'null';
ALTER TABLE account ADD COLUMN allowed_tools TEXT NOT NULL DEFAULT 'null';
