// Addresses of e-mail, read from their `@` in both directions.
import { DIGITS, findRunEnd, isAlphanumeric, isLetter, LETTERS } from "../characters.ts";
import type { Detector, Span } from "../detector.ts";

const LOCAL_MAX = 64;
const LABEL_MAX = 63;
const LAST_LABEL_MAX = 24;
const CHARACTERS_MAX = 254;
const DOT = 46;
const HYPHEN = 45;
const LOCAL_SIGNS = new Uint8Array(128);
for (const sign of "!#$%&'*+/=?^_{|}~.-") LOCAL_SIGNS[sign.charCodeAt(0)] = 1;
const DOCUMENTED = /(?:^|\.)(?:example\.(?:com|org|net|edu)|example|test|invalid|localhost)$/i;
/** The `2x` in names of pictures: `logo@2x.png`. */
const SCALE = /^[1-9]x\./;
/** `1.2` in `package@1.2.3-beta.ab`. */
const VERSION = /^\d+\.\d/;

export function isLocal(code: number): boolean {
  return isAlphanumeric(code) || LOCAL_SIGNS[code] === 1;
}

function isDomain(code: number): boolean {
  return isAlphanumeric(code) || code === DOT || code === HYPHEN;
}

/** Where the local part before `at` begins, or `at` if there is none. */
function findLocal(text: string, at: number): number {
  let from = at;
  const first = Math.max(0, at - LOCAL_MAX - 1);
  while (from > first && isLocal(text.charCodeAt(from - 1))) {
    if (text.charCodeAt(from - 1) === DOT && (from === at || text.charCodeAt(from) === DOT)) break;
    from--;
  }
  // Quotes and other signs around an address aren't part of it.
  while (from < at && !isAlphanumeric(text.charCodeAt(from)) && text.charCodeAt(from) !== 95) from++;
  return at - from > LOCAL_MAX ? at : from;
}

/** Where the label ends, or -1 if none stands here. */
function readLabel(text: string, at: number): number {
  if (text.charCodeAt(at) === HYPHEN) return -1;
  let to = at;
  for (const limit = at + LABEL_MAX; to < limit; to++) {
    const code = text.charCodeAt(to);
    if (isAlphanumeric(code)) continue;
    // A hyphen that no letter or digit follows stands behind the address.
    const next = text.charCodeAt(to + 1);
    if (code !== HYPHEN || !(isAlphanumeric(next) || next === HYPHEN)) break;
  }
  return to === at || isAlphanumeric(text.charCodeAt(to)) ? -1 : to;
}

/** True if the label may be an address's last. */
function isLastLabel(text: string, from: number, to: number): boolean {
  if (to - from < 2 || to - from > LAST_LABEL_MAX) return false;
  for (let at = from; at < to; at++) if (!isLetter(text.charCodeAt(at))) return false;
  return true;
}

/** Where the longest domain behind the `@` ends, or -1. */
function findDomainEnd(text: string, at: number, limit: number): number {
  let end = -1;
  let from = at;
  for (let to = readLabel(text, from); to !== -1 && to <= limit; to = readLabel(text, from)) {
    if (from > at && isLastLabel(text, from, to)) end = to;
    if (text.charCodeAt(to) !== DOT) break;
    from = to + 1;
  }
  return end;
}

/** True for `git@host:path`, the address of a repository or of a file elsewhere. */
function isPlace(text: string, from: number, at: number, to: number): boolean {
  if (text.charCodeAt(to) !== 58) return false;
  const next = text.charAt(to + 1);
  return next === "/" || next === "~" || (text.slice(from, at) === "git" && /\S/.test(next));
}

function find(text: string, at: number): Span | null {
  const from = findLocal(text, at);
  if (from === at || (from > 0 && isAlphanumeric(text.charCodeAt(from - 1)))) return null;
  const to = findDomainEnd(text, at + 1, from + CHARACTERS_MAX);
  if (to === -1 || isPlace(text, from, at, to)) return null;
  const domain = text.slice(at + 1, to);
  return DOCUMENTED.test(domain) || SCALE.test(domain) || VERSION.test(domain) ? null : { from, to };
}

export const EMAIL: Detector = {
  name: "email",
  group: "contact",
  mark: "EMAIL",
  rule: "e-mail addresses of up to 254 characters, but those of example domains",
  starts: "@",
  follows: `${DIGITS}${LETTERS}`,
  find,
  cut: { goOn: (text, at, limit) => findRunEnd(text, at, limit - at, isDomain) },
};
