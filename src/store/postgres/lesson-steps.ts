// The step of the PostgreSQL schema that merged the labels of a prompt into one row.

/** Deletes the other rows of a prompt whose labels are merged already. */
const DROP_OTHERS = `DELETE FROM lesson USING lesson AS kept
  WHERE lesson.account_id = kept.account_id AND lesson.request = kept.request
    AND lesson.source = 'label' AND kept.source = 'label' AND lesson.marks = '' AND kept.marks <> ''`;

/** The unused columns stay, because the statements that read them may run again. */
export const LESSONS_BY_PROMPT: readonly string[] = [
  "ALTER TABLE lesson ADD COLUMN IF NOT EXISTS marks TEXT NOT NULL DEFAULT ''",
  `UPDATE lesson SET marks = json_build_array(json_build_array(model, score, expected))::text
    WHERE source <> 'label' AND marks = ''`,
  DROP_OTHERS,
  `UPDATE lesson SET model = '', marks = prompt.marks, at_ms = prompt.at_ms FROM (
      SELECT account_id, min(id) AS id, max(at_ms) AS at_ms,
        json_agg(json_build_array(model, score, expected))::text AS marks
      FROM lesson WHERE source = 'label' AND marks = '' GROUP BY account_id, request
    ) AS prompt WHERE lesson.account_id = prompt.account_id AND lesson.id = prompt.id`,
  DROP_OTHERS,
  "ALTER TABLE lesson ALTER COLUMN score DROP NOT NULL",
  "ALTER TABLE lesson ALTER COLUMN expected DROP NOT NULL",
];
