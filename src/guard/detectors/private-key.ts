// Private keys in PEM: the line that begins one, with at least a line of base64 behind it.
import { findRunEnd, isBase64 } from "../characters.ts";
import type { Detector, Span } from "../detector.ts";

const BEGIN = /-----BEGIN (?:[A-Z0-9]{1,16} ){0,4}PRIVATE KEY(?: BLOCK)?-----/y;
const END = /-----END (?:[A-Z0-9]{1,16} ){0,4}PRIVATE KEY(?: BLOCK)?-----/y;
/** `Proc-Type: 4,ENCRYPTED` and its like, with the end of their line. */
const HEADER = /[A-Za-z][A-Za-z-]{1,30}: [^\n\\]{0,100}(?:\r?\n|\\r\\n|\\n)/y;
const LINE_END = /\r?\n|(?:\\r)?\\n/y;
const BODY_MIN = 64;
/** A body of sixty-four characters may be broken into lines. */
const LOOKED_AT_MAX = 1024;
/** Header lines and empty lines between the line that begins a key and its body. */
const HEAD_LINES_MAX = 8;
const INDENT_MAX = 16;
const HYPHEN = 45;
const EQUALS = 61;
const CAPITAL_B = 66;

function matchAt(pattern: RegExp, text: string, at: number): number {
  pattern.lastIndex = at;
  return pattern.test(text) ? pattern.lastIndex : -1;
}

function isBody(code: number): boolean {
  return isBase64(code) || code === EQUALS;
}

/** Where a line's end ends, real or written `\n`, with the next line's indent; `at` if none is there. */
function skipLineEnd(text: string, at: number): number {
  const ended = matchAt(LINE_END, text, at);
  if (ended === -1) return at;
  return findRunEnd(text, ended, INDENT_MAX, (code) => code === 32 || code === 9);
}

/** Goes over the header lines and empty lines. */
function skipHead(text: string, from: number): number {
  let at = from;
  for (let line = 0; line < HEAD_LINES_MAX; line++) {
    const header = matchAt(HEADER, text, at);
    const next = header === -1 ? skipLineEnd(text, at) : header;
    if (next === at) break;
    at = next;
  }
  return at;
}

/**
 * Goes over lines of base64, up to about `limit`. It ends behind a character of base64, or where the next line begins, so that it
 * can go on from there.
 */
function readLines(text: string, at: number, limit: number): { readonly to: number; readonly body: number } {
  let to = at;
  let body = 0;
  for (;;) {
    const end = findRunEnd(text, to, Math.max(0, limit - to), isBody);
    body += end - to;
    to = end;
    const next = skipLineEnd(text, to);
    if (to >= limit || next === to || !isBody(text.charCodeAt(next))) return { to, body };
    to = next;
  }
}

function find(text: string, at: number): Span | null {
  if (text.charCodeAt(at + 5) !== CAPITAL_B) return null;
  const begun = matchAt(BEGIN, text, at);
  if (begun === -1) return null;
  const from = skipHead(text, begun);
  if (from === begun) return null;
  const { to, body } = readLines(text, from, Math.min(text.length, begun + LOOKED_AT_MAX));
  return body < BODY_MIN ? null : { from: at, to };
}

/** Goes on over lines of base64, and the END line. */
function grow(text: string, at: number, limit: number): number {
  // Behind the END line, which is always taken whole, the key has ended.
  if (text.charCodeAt(at - 1) === HYPHEN) return at;
  const { to } = readLines(text, at, limit);
  if (to >= limit && limit < text.length) return to;
  const ended = matchAt(END, text, skipLineEnd(text, to));
  return ended === -1 ? to : ended;
}

export const PRIVATE_KEY: Detector = {
  name: "private_key",
  group: "secrets",
  mark: "SECRET",
  rule: "private keys in PEM with their body",
  starts: "-",
  follows: "-",
  find,
  grow,
  isInLongRuns: true,
};
