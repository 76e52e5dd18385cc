// Checksums of numbers, over the digits that `readForm` has left in `digits`.

/** The digits of the number that was read last: one array for all, since a search never waits. */
export const digits = new Uint8Array(40);

export function checkLuhn(from: number, count: number): boolean {
  let sum = 0;
  for (let at = 0; at < count; at++) {
    const digit = digits[from + count - 1 - at] ?? 0;
    const doubled = at % 2 === 1 ? digit * 2 : digit;
    sum += doubled > 9 ? doubled - 9 : doubled;
  }
  return sum % 10 === 0;
}

export function sumWeighted(weights: readonly number[]): number {
  let sum = 0;
  for (let at = 0; at < weights.length; at++) sum += (digits[at] ?? 0) * (weights[at] ?? 0);
  return sum;
}

/** The digits as a number. */
export function readNumber(from: number, count: number): number {
  let number = 0;
  for (let at = from; at < from + count; at++) number = number * 10 + (digits[at] ?? 0);
  return number;
}

export function areAlike(count: number): boolean {
  for (let at = 1; at < count; at++) if (digits[at] !== digits[0]) return false;
  return true;
}

const MONTH_DAYS = [31, 29, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31] as const;

export function isDate(year: number, month: number, day: number): boolean {
  const days = MONTH_DAYS[month - 1];
  if (days === undefined || day < 1 || day > days) return false;
  const isLeap = year % 4 === 0 && (year % 100 !== 0 || year % 400 === 0);
  return month !== 2 || day < 29 || isLeap;
}
