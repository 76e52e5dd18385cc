// JSON web tokens: three parts of base64url, the first of which is JSON with `alg`.

import { parseBounded } from "../../core/json/bounds.ts";
import { isObject } from "../../core/json/json.ts";
import type { JsonShape } from "../../core/json/shape.ts";
import { findRunEnd, isToken } from "../characters.ts";
import type { Detector, Span } from "../detector.ts";

const HEADER_MIN = 17;
/** Headers with certificates have a few thousand characters. */
const HEADER_MAX = 8192;
const HEADER_SHAPE: JsonShape = { depth: 16, elements: 1000 };
const PAYLOAD_MIN = 17;
const PAYLOAD_MAX = 65_536;
const SIGNATURE_MIN = 10;
const DOT = 46;
const HEADER_START = "eyJ";

/** True for JSON with `alg`. Most other data isn't text, so its first bytes are looked at before it is parsed. */
function isHeader(encoded: string): boolean {
  if (!isText(encoded.slice(0, 32))) return false;
  const header = parseBounded(Buffer.from(encoded, "base64url").toString("utf8"), HEADER_SHAPE);
  return isObject(header) && "alg" in header;
}

function isText(encoded: string): boolean {
  for (const byte of Buffer.from(encoded, "base64url")) if (byte < 0x20 || byte > 0x7e) return false;
  return true;
}

/** The places of a character among the digits of base64url: below 32 they stand for text in the first place of four. */
function isLow(code: number): boolean {
  return (code >= 65 && code <= 90) || (code >= 97 && code <= 102);
}

function find(text: string, at: number): Span | null {
  if (!text.startsWith(HEADER_START, at) || !isLow(text.charCodeAt(at + 4))) return null;
  const header = findRunEnd(text, at, HEADER_MAX, isToken);
  if (header - at < HEADER_MIN || text.charCodeAt(header) !== DOT) return null;
  const payload = findRunEnd(text, header + 1, PAYLOAD_MAX, isToken);
  if (payload - header - 1 < PAYLOAD_MIN || text.charCodeAt(payload) !== DOT) return null;
  const to = findRunEnd(text, payload + 1, SIGNATURE_MIN, isToken);
  return to - payload - 1 >= SIGNATURE_MIN && isHeader(text.slice(at, header)) ? { from: at, to } : null;
}

/** True for the first part of a header. */
function isHeaderStart(encoded: string): boolean {
  return isText(encoded) && Buffer.from(encoded, "base64url").toString("latin1").includes('"alg"');
}

/** A token whose header says so, and of which no more is known than a part of the payload. */
function begin(text: string, at: number): Span | null {
  if (!text.startsWith(HEADER_START, at) || !isLow(text.charCodeAt(at + 4))) return null;
  const header = findRunEnd(text, at, HEADER_MAX, isToken);
  const to = text.length;
  if (header === to)
    return isHeaderStart(text.slice(at, at + 4 * Math.floor((to - at) / 4))) ? { from: at, to } : null;
  if (header - at < HEADER_MIN || text.charCodeAt(header) !== DOT) return null;
  const payload = findRunEnd(text, header + 1, PAYLOAD_MAX, isToken);
  if (payload < to || payload - header - 1 < PAYLOAD_MIN) return null;
  return isHeader(text.slice(at, header)) ? { from: at, to } : null;
}

/** Goes on over parts of a token, whose dots aren't counted. */
function goOn(text: string, at: number, limit: number): number {
  let to = at;
  while (to < limit && (isToken(text.charCodeAt(to)) || isInnerDot(text, to))) to++;
  return to;
}

function isInnerDot(text: string, at: number): boolean {
  return text.charCodeAt(at) === DOT && isToken(text.charCodeAt(at + 1));
}

export const JWT: Detector = {
  name: "jwt",
  group: "secrets",
  mark: "SECRET",
  rule: "signed JSON web tokens",
  starts: "e",
  find,
  grow: (text, at, limit) => findRunEnd(text, at, limit - at, isToken),
  cut: { begin, goOn },
  isNearTokenStart: true,
  isInLongRuns: true,
};
