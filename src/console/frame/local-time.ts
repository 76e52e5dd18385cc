// Times as the fields of forms show them: in the browser's time zone.

const MINUTE_MS = 60_000;
const DAY_CHARACTERS = 10;
const MINUTE_CHARACTERS = 16;

/** Returns the day that a time is on, as a field of days shows it: 2027-01-31. */
export function toLocalDay(instant: string): string {
  return formatLocal(instant).slice(0, DAY_CHARACTERS);
}

/** Returns the time at which such a day ends, to the second. */
export function toDayEnd(day: string): string {
  return new Date(`${day}T23:59:59`).toISOString();
}

/** Returns a time to the minute, as a field of moments shows it: 2027-01-31T18:30. */
export function toLocalMinute(instant: string): string {
  return formatLocal(instant).slice(0, MINUTE_CHARACTERS);
}

function formatLocal(instant: string): string {
  const at = new Date(instant);
  return new Date(at.getTime() - at.getTimezoneOffset() * MINUTE_MS).toISOString();
}
