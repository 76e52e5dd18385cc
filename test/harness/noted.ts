// Reads from outside, from a store's file, the requests that are noted in a meter.

/** A query of the notes whose requests have no row yet: like a hold, each is of an open request, or of a lost one. */
export const OPEN_NOTES = `SELECT meter.account_id, meter.owner, line.value
  FROM meter, json_each('["' || replace(replace(noted, char(9), ' '), char(10), '","') || '"]') AS line
  WHERE line.value <> '' AND line.value NOT LIKE '@%'
    AND substr(line.value, 1, instr(line.value || ' ', ' ') - 1) NOT IN (SELECT id FROM request)`;

/** An expression for the number of open requests. */
export const OPEN_REQUESTS = `((SELECT count(*) FROM hold) + (SELECT count(*) FROM (${OPEN_NOTES})))`;
