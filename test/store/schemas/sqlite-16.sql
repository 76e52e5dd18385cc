CREATE INDEX lesson_account_at ON lesson (account_id, model, at_ms);
