ALTER TABLE lesson ADD COLUMN IF NOT EXISTS marks TEXT NOT NULL DEFAULT ''
----
UPDATE lesson SET marks = json_build_array(json_build_array(model, score, expected))::text
    WHERE source <> 'label' AND marks = ''
----
DELETE FROM lesson USING lesson AS kept
  WHERE lesson.account_id = kept.account_id AND lesson.request = kept.request
    AND lesson.source = 'label' AND kept.source = 'label' AND lesson.marks = '' AND kept.marks <> ''
----
UPDATE lesson SET model = '', marks = prompt.marks, at_ms = prompt.at_ms FROM (
      SELECT account_id, min(id) AS id, max(at_ms) AS at_ms,
        json_agg(json_build_array(model, score, expected))::text AS marks
      FROM lesson WHERE source = 'label' AND marks = '' GROUP BY account_id, request
    ) AS prompt WHERE lesson.account_id = prompt.account_id AND lesson.id = prompt.id
----
DELETE FROM lesson USING lesson AS kept
  WHERE lesson.account_id = kept.account_id AND lesson.request = kept.request
    AND lesson.source = 'label' AND kept.source = 'label' AND lesson.marks = '' AND kept.marks <> ''
----
ALTER TABLE lesson ALTER COLUMN score DROP NOT NULL
----
ALTER TABLE lesson ALTER COLUMN expected DROP NOT NULL
