CREATE INDEX IF NOT EXISTS account_folded_name ON account (lower(name), id)
----
CREATE INDEX IF NOT EXISTS member_folded_name ON member (lower(name), id)
