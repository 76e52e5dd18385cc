ALTER TABLE directory ADD COLUMN users INTEGER NOT NULL DEFAULT 0;
ALTER TABLE directory ADD COLUMN moves INTEGER NOT NULL DEFAULT 0;
UPDATE directory SET users = (SELECT count(*) FROM directory_user);
CREATE INDEX member_email ON member ((CASE WHEN directory_turn IS NULL THEN lower(email) END)) WHERE (CASE WHEN directory_turn IS NULL THEN lower(email) END) IS NOT NULL;
CREATE INDEX session_member ON session (member_id) WHERE member_id IS NOT NULL;
DROP INDEX IF EXISTS member_directory;
