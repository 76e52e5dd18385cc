CREATE INDEX IF NOT EXISTS request_untimed_id ON request (request_id) WHERE substr(request_id, 1, 13) <> 'req_' || lpad(to_hex(at_ms >> 12), 9, '0')
----
DROP INDEX IF EXISTS request_request_id
