// Passwords within addresses: what stands between `:` and `@` in `scheme://user:…@host`.
import { isAlphanumeric } from "../characters.ts";
import type { Detector, Span } from "../detector.ts";

const AUTHORITY_MAX = 512;
/** A port is shorter. */
const CUT_MIN = 64;
const SLASH = 47;
const OPEN_BRACKET = 91;
const COLON = 58;
const AT_SIGN = 64;
/** The characters that end the part of an address with user, password and host. */
const ENDS = new Set([..."/?#\"'<>`\\ \t\r\n,;()|"].map((character) => character.charCodeAt(0)));
const BRACES = /^(?:\$?\{.*\}|\$\w+|%\w+%|\*+|x+|[.…]+)$/i;
/** Words that examples have in a password's place. */
const PLACEHOLDERS = new Set(
  (
    "password passwd pass pwd secret word pw user username changeme change-me example test token key hunter2 " +
    "mypassword mysecret yourpassword your-password your_password postgres mysql root admin guest foo bar apikey " +
    "api-key api_key login somepassword some-password abc xyz first second third"
  ).split(" "),
);

interface Authority {
  readonly colon: number;
  readonly at: number;
}

/** Reads `user:password@`: its first colon, and its last `@` before the host. */
function readAuthority(text: string, from: number): Authority | null {
  let colon = -1;
  let at = -1;
  const limit = Math.min(text.length, from + AUTHORITY_MAX);
  for (let place = from; place < limit; place++) {
    const code = text.charCodeAt(place);
    if (ENDS.has(code)) break;
    if (code === COLON && colon === -1) colon = place;
    if (code === AT_SIGN && isHostStart(text.charCodeAt(place + 1))) at = place;
  }
  return colon === -1 || at <= colon + 1 ? null : { colon, at };
}

function isHostStart(code: number): boolean {
  return isAlphanumeric(code) || code === OPEN_BRACKET;
}

/** A password of which the end isn't known yet. */
function begin(text: string, at: number): Span | null {
  if (text.charCodeAt(at + 2) !== SLASH || !isAlphanumeric(text.charCodeAt(at - 1))) return null;
  let from = -1;
  for (let place = at + 3; place < text.length; place++) {
    const code = text.charCodeAt(place);
    if (ENDS.has(code)) return null;
    if (code === COLON && from === -1) from = place + 1;
    if (code === AT_SIGN && isHostStart(text.charCodeAt(place + 1))) return null;
  }
  return from === -1 || text.length - from < CUT_MIN ? null : { from, to: text.length };
}

/** Goes on up to the `@` before the host, or to where the address ends without one. */
function goOn(text: string, at: number, limit: number): number {
  let to = at;
  while (to < limit && !ENDS.has(text.charCodeAt(to))) {
    if (text.charCodeAt(to) === AT_SIGN && isHostStart(text.charCodeAt(to + 1))) break;
    to++;
  }
  return to;
}

function find(text: string, at: number): Span | null {
  if (text.charCodeAt(at + 2) !== SLASH) return null;
  if (!isAlphanumeric(text.charCodeAt(at - 1))) return null;
  const authority = readAuthority(text, at + 3);
  if (authority === null) return null;
  const user = text.slice(at + 3, authority.colon);
  const password = text.slice(authority.colon + 1, authority.at);
  // A single character stands in examples such as `https://a:b@host`.
  const isNone =
    password.length === 1 ||
    password === user ||
    BRACES.test(password) ||
    PLACEHOLDERS.has(password.toLowerCase());
  return isNone ? null : { from: authority.colon + 1, to: authority.at };
}

export const URL_PASSWORD: Detector = {
  name: "url_password",
  group: "secrets",
  mark: "SECRET",
  rule: "passwords in addresses, scheme://user:…@host, but those of examples",
  starts: ":",
  follows: "/",
  find,
  cut: { begin, goOn },
  isByContext: true,
};
