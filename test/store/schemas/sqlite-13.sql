-- The labels of one prompt are one row: its numbers were there once for each model.
  CREATE TABLE lesson_by_prompt (
    account_id TEXT NOT NULL REFERENCES account (id),
    id TEXT NOT NULL,
    at_ms INTEGER NOT NULL,
    model TEXT NOT NULL, -- empty for labels
    key_id TEXT NOT NULL,
    source TEXT NOT NULL,
    weight REAL NOT NULL,
    request TEXT NOT NULL, -- JSON
    marks TEXT NOT NULL, -- JSON: a model, its score, what was expected
    PRIMARY KEY (account_id, id)
  ) STRICT;
  INSERT INTO lesson_by_prompt
  SELECT account_id, id, at_ms, model, key_id, source, weight, request,
    json_array(json_array(model, score, round(expected, 4)))
  FROM lesson WHERE source <> 'label';
  INSERT INTO lesson_by_prompt
  SELECT account_id, min(id), max(at_ms), '', '', 'label', max(weight), request,
    json_group_array(json_array(model, score, round(expected, 4)))
  FROM lesson WHERE source = 'label' GROUP BY account_id, request;
  DROP TABLE lesson;
  ALTER TABLE lesson_by_prompt RENAME TO lesson;
  CREATE INDEX lesson_at ON lesson (at_ms, id);
  CREATE INDEX lesson_key_at ON lesson (key_id, model, at_ms);
