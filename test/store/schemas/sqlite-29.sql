ALTER TABLE account ADD COLUMN member_defaults TEXT;
