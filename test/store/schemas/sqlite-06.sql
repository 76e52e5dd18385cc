-- Each tree that a request changes costs it a page of the log, one in the order of keys most of all: those are gone. A
  -- key's rows are found by the hours of its sums, those that ended lately by the order in which they were written.
  DROP INDEX request_key_at;
  DROP INDEX request_ended;
  DROP INDEX request_at;
  CREATE INDEX request_at ON request
    (at_ms, id, key_id, status, ended, model_used, model_tried, model_asked, selector, account_id);
  DROP INDEX usage_hour_paid;
