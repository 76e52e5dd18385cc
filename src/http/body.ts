// A request's JSON body, read with bounds: size, type, encoding, UTF-8, depth, then JSON.
import { Fault } from "../core/fault.ts";
import { isObject } from "../core/json.ts";

const DEPTH_MAX = 64;

/** The parsed body. Throws the Fault of the first check that fails, in the order in which they are listed above. */
export async function readJson(request: Request, bytesMax: number): Promise<unknown> {
  const declared = Number(request.headers.get("content-length") ?? "0");
  if (declared > bytesMax) throw tooLarge(bytesMax);
  refuseEncoded(request.headers);
  const bytes = request.headers.has("content-length")
    ? new Uint8Array(await request.arrayBuffer().catch(brokenOff))
    : await readChunked(request, bytesMax).catch(brokenOff);
  checkType(request.headers);
  const text = decode(bytes);
  const body = parse(text, bytes);
  if (SURROGATE.test(text) && !isWellFormed(body)) throw notJson("it holds half a surrogate pair");
  return body;
}

function brokenOff(error: unknown): never {
  if (error instanceof Fault) throw error;
  throw new Fault("client_gone", "The request's body broke off.", { cause: error });
}

function tooLarge(bytesMax: number): Fault {
  return new Fault("request_too_large", `The request body is larger than ${bytesMax} bytes.`);
}

function refuseEncoded(headers: Headers): void {
  const encoding = headers.get("content-encoding");
  if (encoding === null || encoding.toLowerCase() === "identity") return;
  const message = "Compressed request bodies are not supported: leave the Content-Encoding header out.";
  throw new Fault("unsupported_content_encoding", message);
}

/** A body of undeclared length is read no further than its bound. */
async function readChunked(request: Request, bytesMax: number): Promise<Uint8Array> {
  const pieces: Uint8Array[] = [];
  let length = 0;
  for await (const piece of request.body ?? []) {
    length += piece.length;
    if (length > bytesMax) throw tooLarge(bytesMax);
    pieces.push(piece);
  }
  return Buffer.concat(pieces);
}

function checkType(headers: Headers): void {
  const given = headers.get("content-type") ?? "";
  if (given === "application/json") return;
  const [type = "", ...parameters] = given.toLowerCase().split(";");
  const charset = parameters.map((one) => one.trim()).find((one) => one.startsWith("charset="));
  const utf8 = charset === undefined || /^charset="?utf-?8"?$/.test(charset);
  if (type.trim() === "application/json" && utf8) return;
  const message = "The request body must be JSON in UTF-8: send the header Content-Type: application/json.";
  throw new Fault("unsupported_content_type", message);
}

const utf8 = new TextDecoder("utf-8", { fatal: true });

function decode(bytes: Uint8Array): string {
  try {
    return utf8.decode(bytes);
  } catch {
    throw notJson("it is not UTF-8");
  }
}

function parse(text: string, bytes: Uint8Array): unknown {
  const shape = shapeOf(bytes);
  if (shape.depth > DEPTH_MAX) throw notJson(`it is nested deeper than ${DEPTH_MAX} levels`);
  if (shape.fields > FIELDS_MAX) throw notJson(`it holds more than ${FIELDS_MAX} fields`);
  try {
    return JSON.parse(text);
  } catch {
    throw notJson("it is not valid JSON");
  }
}

function notJson(why: string): Fault {
  return new Fault("invalid_json", `We could not parse the JSON body of your request: ${why}.`);
}

const QUOTE = 0x22;
const BACKSLASH = 0x5c;
/** `[` and `{`, `]` and `}` differ in one bit. */
const OPENS = 0x5b;
const CLOSES = 0x5d;
const CASE = 0x20;
const COLON = 0x3a;
/** Fields of all objects together: millions take seconds to parse, to list and to write again. */
const FIELDS_MAX = 500_000;

/** A linear look before parsing: to write a very deep value again would overflow the stack. Stops at the first excess. */
function shapeOf(bytes: Uint8Array): { depth: number; fields: number } {
  let depth = 0;
  let fields = 0;
  for (let at = 0; at < bytes.length && depth <= DEPTH_MAX && fields <= FIELDS_MAX; at++) {
    const byte = bytes[at] ?? 0;
    if (byte === QUOTE) at = stringEnd(bytes, at + 1);
    else if (byte === COLON) fields++;
    else if ((byte & ~CASE) === OPENS) depth++;
    else if ((byte & ~CASE) === CLOSES) depth--;
  }
  return { depth, fields };
}

function stringEnd(bytes: Uint8Array, from: number): number {
  for (let quote = bytes.indexOf(QUOTE, from); quote !== -1; quote = bytes.indexOf(QUOTE, quote + 1)) {
    let escapes = 0;
    while (bytes[quote - 1 - escapes] === BACKSLASH && quote - 1 - escapes >= from) escapes++;
    if (escapes % 2 === 0) return quote;
  }
  return bytes.length;
}

/** Only an escape can put half a pair into JSON that is UTF-8. */
const SURROGATE = /\\u[dD][89a-fA-F]/;

function isWellFormed(value: unknown): boolean {
  if (typeof value === "string") return value.isWellFormed();
  if (Array.isArray(value)) return value.every(isWellFormed);
  if (!isObject(value)) return true;
  return Object.entries(value).every(([field, one]) => field.isWellFormed() && isWellFormed(one));
}
