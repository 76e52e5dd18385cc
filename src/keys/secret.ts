// Makes secrets and ids, and checks the form of a secret without a lookup.
import type { PlainPrefix } from "../core/audit/audit-log.ts";
import {
  ADMIN_PREFIX,
  BODY_DIGITS,
  CHECKSUM_DIGITS,
  computeChecksum,
  formatDigits,
  hasChecksum,
  KEY_PREFIX,
  LOGIN_PREFIX,
  TOKEN_PREFIX,
} from "../core/text/secret-form.ts";
import type { Random } from "../core/world/world.ts";

const SECRET_BYTES = 32;
const ID_BYTES = 15;
const ID_DIGITS = 21;

/** The length of a gateway secret. */
export const SECRET_CHARACTERS = KEY_PREFIX.length + BODY_DIGITS + CHECKSUM_DIGITS;
const CHECKED = `[0-9A-Za-z]{${BODY_DIGITS + CHECKSUM_DIGITS}}`;
const KEY_SHAPE = new RegExp(`^${KEY_PREFIX}${CHECKED}$`);
const LOGIN_SHAPE = new RegExp(`^${LOGIN_PREFIX}${CHECKED}$`);
const TOKEN_SHAPE = new RegExp(`^${TOKEN_PREFIX}${CHECKED}$`);

function drawDigits(random: Random, bytes: number, count: number): string {
  return formatDigits(BigInt(`0x${Buffer.from(random.bytes(bytes)).toString("hex")}`), count);
}

/** Makes a gateway secret: `sk-`, 256 random bits and a checksum, 52 characters of letters and digits. */
export function mintSecret(random: Random): string {
  return mintChecked(KEY_PREFIX, random);
}

/** Makes the secret of a named token: `pk-`, and the same. */
export function mintTokenSecret(random: Random): string {
  return mintChecked(TOKEN_PREFIX, random);
}

/** Makes the secret of a sign-in of the command line: `pk-login-`, and the same. */
export function mintLoginSecret(random: Random): string {
  return mintChecked(LOGIN_PREFIX, random);
}

function mintChecked(prefix: string, random: Random): string {
  const text = prefix + drawDigits(random, SECRET_BYTES, BODY_DIGITS);
  return text + computeChecksum(text);
}

/** True if the text has the form of our secrets. A mistyped or truncated one, or another service's, doesn't. */
export function checkSecret(text: string): boolean {
  return KEY_SHAPE.test(text) && hasChecksum(text);
}

/** The same for secrets of named tokens. */
export function checkTokenSecret(text: string): boolean {
  return TOKEN_SHAPE.test(text) && hasChecksum(text);
}

/** The same for sign-ins of the command line. */
export function checkLoginSecret(text: string): boolean {
  return LOGIN_SHAPE.test(text) && hasChecksum(text);
}

/** Makes an admin token of 256 random bits. Its prefix tells it from a gateway secret. */
export function mintAdminToken(random: Random): string {
  return ADMIN_PREFIX + drawDigits(random, SECRET_BYTES, BODY_DIGITS);
}

/** Makes the secret of a console session, of 256 random bits. */
export function mintSessionSecret(random: Random): string {
  return drawDigits(random, SECRET_BYTES, BODY_DIGITS);
}

/** Makes the secret of a link to the console, of 256 random bits. */
export function mintLinkSecret(random: Random): string {
  return drawDigits(random, SECRET_BYTES, BODY_DIGITS);
}

/** Makes a code that only an agent knows, of 256 random bits: for its sign-in, and to refresh its secret. */
export function mintAgentCode(random: Random): string {
  return drawDigits(random, SECRET_BYTES, BODY_DIGITS);
}

/** Makes an id, such as `key_` and 120 random bits. It isn't a secret. */
export function mintId(
  kind:
    | "key"
    | "acct"
    | "cred"
    | "evt"
    | "tok"
    | "dev"
    | "lrq"
    | "probe"
    | "chk"
    | "usr"
    | "grp"
    | PlainPrefix,
  random: Random,
): string {
  return `${kind}_${drawDigits(random, ID_BYTES, ID_DIGITS)}`;
}

/** Returns the stored form of a secret: HMAC-SHA256 under the pepper, in hex. Without the pepper nobody can test guesses with it. */
export function digestSecret(secret: string, pepper: Uint8Array): string {
  return new Bun.CryptoHasher("sha256", pepper).update(secret).digest("hex");
}

/** Returns the stored form of a session's secret, which no other secret has. */
export function digestSession(secret: string, pepper: Uint8Array): string {
  return digestSecret(`session ${secret}`, pepper);
}

/** Returns the stored form of the secret of a sign-in of the command line, which no cookie has. */
export function digestLogin(secret: string, pepper: Uint8Array): string {
  return digestSecret(`login ${secret}`, pepper);
}

/** Returns the stored form of the secret of a link to the console, which no other secret has. */
export function digestLink(secret: string, pepper: Uint8Array): string {
  return digestSecret(`link ${secret}`, pepper);
}

/** Compares two digests in constant time. */
export function isSameDigest(a: string, b: string): boolean {
  const left = Buffer.from(a);
  const right = Buffer.from(b);
  return left.length === right.length && crypto.timingSafeEqual(left, right);
}
