CREATE INDEX IF NOT EXISTS lesson_account_at ON lesson (account_id, model, at_ms)
