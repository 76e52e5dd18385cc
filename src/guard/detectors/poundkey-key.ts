// The gateway's own keys, sign-ins and tokens, which are known by their checksum.
import {
  ADMIN_PREFIX,
  BODY_DIGITS,
  CHECKSUM_DIGITS,
  isPoundkeySecret,
  KEY_PREFIX,
  LOGIN_PREFIX,
  TOKEN_PREFIX,
} from "../../core/text/secret-form.ts";
import { endsAt } from "../characters.ts";
import type { Detector, Span } from "../detector.ts";

/** The longer of two that begin alike is tried first. */
const FORMS = [
  { prefix: ADMIN_PREFIX, digits: BODY_DIGITS },
  { prefix: LOGIN_PREFIX, digits: BODY_DIGITS + CHECKSUM_DIGITS },
  { prefix: KEY_PREFIX, digits: BODY_DIGITS + CHECKSUM_DIGITS },
  { prefix: TOKEN_PREFIX, digits: BODY_DIGITS + CHECKSUM_DIGITS },
] as const;

function find(text: string, at: number): Span | null {
  if (text.charCodeAt(at + 1) !== 107 || text.charCodeAt(at + 2) !== 45) return null;
  for (const { prefix, digits } of FORMS) {
    if (!text.startsWith(prefix, at)) continue;
    const to = at + prefix.length + digits;
    if (endsAt(text, to) && isPoundkeySecret(text.slice(at, to))) return { from: at, to };
  }
  return null;
}

export const POUNDKEY_KEY: Detector = {
  name: "poundkey_key",
  group: "secrets",
  mark: "SECRET",
  rule: "keys, tokens and sign-ins of this gateway",
  starts: "sp",
  runs: [2],
  find,
};
