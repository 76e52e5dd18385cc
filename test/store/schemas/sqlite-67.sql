CREATE INDEX request_untimed_id ON request (request_id) WHERE substr(request_id, 1, 13) <> printf('req_%09x', at_ms >> 12);
DROP INDEX IF EXISTS request_request_id;
