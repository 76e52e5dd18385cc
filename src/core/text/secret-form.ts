// The form of the gateway's own secrets, by which one is known without a look-up: a prefix, random digits and a checksum.

const DIGITS = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz";
const BASE = BigInt(DIGITS.length);
/** The fewest digits that hold 256 bits. */
export const BODY_DIGITS = 43;
/** The fewest digits that hold a CRC-32. */
export const CHECKSUM_DIGITS = 6;
export const KEY_PREFIX = "sk-";
export const ADMIN_PREFIX = "pk-admin-";
export const TOKEN_PREFIX = "pk-";
/** A sign-in of the command line. */
export const LOGIN_PREFIX = "pk-login-";
const CHECKED = `(?:${KEY_PREFIX}|${LOGIN_PREFIX}|${TOKEN_PREFIX})[0-9A-Za-z]{${BODY_DIGITS + CHECKSUM_DIGITS}}`;
const ADMIN = `${ADMIN_PREFIX}[0-9A-Za-z]{${BODY_DIGITS}}`;
const WHOLE = new RegExp(`^(?:${CHECKED}|${ADMIN})$`);
const ANYWHERE = new RegExp(`(?=(${CHECKED}|${ADMIN}))`, "g");
/** The part before the digits. */
const PREFIX = /^.*-/;
const BASIC = /\bbasic\s+([\w+/=-]+)/i;
const SHOWN = 4;

export function formatDigits(value: bigint, count: number): string {
  let rest = value;
  let text = "";
  while (text.length < count) {
    text = DIGITS.charAt(Number(rest % BASE)) + text;
    rest /= BASE;
  }
  return text;
}

export function computeChecksum(text: string): string {
  return formatDigits(BigInt(Bun.hash.crc32(text)), CHECKSUM_DIGITS);
}

export function hasChecksum(text: string): boolean {
  return computeChecksum(text.slice(0, -CHECKSUM_DIGITS)) === text.slice(-CHECKSUM_DIGITS);
}

/** True for one of the gateway's secrets. Those of admins have no checksum. */
export function isPoundkeySecret(text: string): boolean {
  return WHOLE.test(text) && (text.startsWith(ADMIN_PREFIX) || hasChecksum(text));
}

/** Returns a text that a client gave as a name. One of the gateway's secrets becomes its prefix and its last four characters. */
export function hideSecret(text: string, gap = "…"): string {
  if (text[1] !== "k" || text[2] !== "-" || !isPoundkeySecret(text)) return text;
  return `${PREFIX.exec(text)?.[0] ?? ""}${gap}${text.slice(-SHOWN)}`;
}

/** True if one of the gateway's secrets is anywhere in a header's value, also within what `Basic` encodes. */
export function holdsPoundkeySecret(value: string): boolean {
  if (findsPoundkeySecret(value)) return true;
  const [, encoded] = BASIC.exec(value) ?? [];
  return encoded !== undefined && findsPoundkeySecret(Buffer.from(encoded, "base64").toString("latin1"));
}

function findsPoundkeySecret(text: string): boolean {
  for (const [, found = ""] of text.matchAll(ANYWHERE)) if (isPoundkeySecret(found)) return true;
  return false;
}
