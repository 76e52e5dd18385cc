-- Responses of the Responses API, sealed; only with responses.keep.
  CREATE TABLE stored_response (
    account_id TEXT NOT NULL REFERENCES account (id),
    id TEXT NOT NULL,
    key_id TEXT NOT NULL,
    at_ms INTEGER NOT NULL,
    bytes INTEGER NOT NULL,
    items TEXT NOT NULL,
    sealed TEXT NOT NULL,
    PRIMARY KEY (account_id, id)
  ) STRICT;
  CREATE INDEX stored_response_size ON stored_response (account_id, at_ms, id, bytes);
  CREATE INDEX stored_response_key ON stored_response (account_id, key_id, at_ms, id);
  CREATE INDEX stored_response_at ON stored_response (at_ms);
