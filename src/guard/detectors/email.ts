// Addresses of e-mail, read from their `@` in both directions.
import { isAlphanumeric, isDigit, isLetter } from "../characters.ts";
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

function isLocal(code: number): boolean {
  return isAlphanumeric(code) || LOCAL_SIGNS[code] === 1;
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

interface Label {
  readonly to: number;
  /** True if it may be the last. */
  readonly isLast: boolean;
}

function readLabel(text: string, at: number): Label | null {
  let to = at;
  let lettersOnly = true;
  for (const limit = at + LABEL_MAX; to < limit; to++) {
    const code = text.charCodeAt(to);
    if (isLetter(code)) continue;
    if (!isDigit(code) && code !== HYPHEN) break;
    // A hyphen that no letter or digit follows stands behind the address.
    if (code === HYPHEN && !isAlphanumeric(text.charCodeAt(to + 1)) && text.charCodeAt(to + 1) !== HYPHEN)
      break;
    lettersOnly = false;
  }
  if (to === at || text.charCodeAt(at) === HYPHEN || isAlphanumeric(text.charCodeAt(to))) return null;
  return { to, isLast: lettersOnly && to - at >= 2 && to - at <= LAST_LABEL_MAX };
}

/** Where the longest domain behind the `@` ends, or -1. */
function findDomainEnd(text: string, at: number, limit: number): number {
  let end = -1;
  let from = at;
  for (
    let label = readLabel(text, from);
    label !== null && label.to <= limit;
    label = readLabel(text, from)
  ) {
    if (label.isLast && from > at) end = label.to;
    if (text.charCodeAt(label.to) !== DOT) break;
    from = label.to + 1;
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
  if (!isAlphanumeric(text.charCodeAt(at + 1))) return null;
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
  find,
};
