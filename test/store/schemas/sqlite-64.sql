CREATE INDEX account_folded_name ON account (lower(name), id);
CREATE INDEX member_folded_name ON member (lower(name), id);
