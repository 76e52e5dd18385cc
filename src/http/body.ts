// Reads a request's JSON body within bounds: size, type, encoding, memory, speed, UTF-8, structure, then JSON.
import { Fault } from "../core/fault.ts";
import { isObject } from "../core/json.ts";
import { REQUEST_SHAPE } from "../core/json-bounds.ts";
import { measureShape } from "../core/json-shape.ts";
import type { Deadlines } from "../core/world.ts";
import { type BodyMemory, BodyPace, type BodyTurns, type Reservation } from "./body-bounds.ts";

/** Memory for a body of undeclared length is reserved in steps of this size. */
const PIECE_BYTES = 1_000_000;
/** A shorter body arrives in a packet or two, too few to be worth checking one by one. */
const SHORT_BYTES = 65_536;

/** Bodies of this size get a turn of the loop to themselves. A shorter one is parsed in a few milliseconds. */
const LARGE_BYTES = 262_144;

export interface BodyPorts {
  readonly bodies: BodyMemory;
  readonly turns: BodyTurns;
  readonly deadlines: Deadlines;
}

/** The bounds on one body. Its owner has a share of the memory. */
export interface BodyRules {
  readonly owner: string;
  readonly bytesMax: number;
}

interface BodyKind<Body> {
  /** Throws a Fault if the type is wrong. */
  checkType(headers: Headers): void;
  parse(bytes: Uint8Array<ArrayBuffer>): Body;
}

const JSON_BODY: BodyKind<unknown> = { checkType, parse: parseJsonBytes };

/** Returns the parsed body. Throws the Fault of the first check that fails, in the order listed at the top. */
export function readJson(request: Request, ports: BodyPorts, rules: BodyRules): Promise<unknown> {
  return readHeld(request, ports, rules, JSON_BODY);
}

/** Reads the body within its bounds, and releases its memory once it is parsed. */
export async function readHeld<Body>(
  request: Request,
  { bodies, turns, deadlines }: BodyPorts,
  { owner, bytesMax }: BodyRules,
  kind: BodyKind<Body>,
): Promise<Body> {
  const { headers } = request;
  const length = headers.get("content-length");
  const declared = length === null ? null : Number(length);
  if (declared !== null && declared > bytesMax) throw tooLarge(bytesMax);
  kind.checkType(headers);
  refuseEncoded(headers);
  const reservation = bodies.reserve(owner, declared ?? 0);
  try {
    const bytes = await (declared === null
      ? readChunked(request, bytesMax, deadlines, reservation)
      : readDeclared(request, declared, deadlines));
    if (bytes.length > LARGE_BYTES) await turns.next();
    return kind.parse(bytes);
  } finally {
    reservation.release();
  }
}

function parseJsonBytes(bytes: Uint8Array): unknown {
  const text = decodeUtf8(bytes, notJson);
  const body = parse(text);
  if (mayHaveLoneSurrogate(text) && !isWellFormed(body)) throw notJson("it contains an unpaired surrogate");
  return body;
}

function readDeclared(
  request: Request,
  length: number,
  deadlines: Deadlines,
): Promise<Uint8Array<ArrayBuffer>> {
  return length > SHORT_BYTES ? readLong(request, length, deadlines) : readShort(request, deadlines);
}

/** Any body has five seconds. At the slowest speed, 65,536 bytes take four, so their progress isn't checked. */
function readShort(request: Request, deadlines: Deadlines): Promise<Uint8Array<ArrayBuffer>> {
  const { promise, resolve, reject } = Promise.withResolvers<Uint8Array<ArrayBuffer>>();
  const pace = new BodyPace(deadlines, reject);
  request.bytes().then(
    (bytes) => {
      pace.end();
      resolve(bytes);
    },
    (error: unknown) => {
      pace.end();
      reject(toBodyFault(error));
    },
  );
  return promise;
}

/** Copies each piece into place at once: joining them at the end would take twice the memory. */
async function readLong(
  request: Request,
  length: number,
  deadlines: Deadlines,
): Promise<Uint8Array<ArrayBuffer>> {
  const bytes = new Uint8Array(length);
  let at = 0;
  await eachPiece(request, deadlines, (piece) => {
    bytes.set(piece, at);
    at += piece.length;
  });
  return at === length ? bytes : bytes.subarray(0, at);
}

/** Reads a body of undeclared length, and stops at its bound. */
async function readChunked(
  request: Request,
  bytesMax: number,
  deadlines: Deadlines,
  reservation: Reservation,
): Promise<Uint8Array<ArrayBuffer>> {
  const pieces: Uint8Array[] = [];
  let length = 0;
  let reserved = 0;
  await eachPiece(request, deadlines, (piece) => {
    length += piece.length;
    if (length > bytesMax) throw tooLarge(bytesMax);
    while (reserved < length) {
      const more = Math.min(PIECE_BYTES, bytesMax - reserved);
      reservation.grow(more);
      reserved += more;
    }
    pieces.push(piece);
  });
  return Buffer.concat(pieces);
}

async function eachPiece(
  request: Request,
  deadlines: Deadlines,
  onPiece: (piece: Uint8Array) => void,
): Promise<void> {
  const reader = request.body?.getReader();
  if (!reader) return;
  const given: { up: Fault | null } = { up: null };
  // The rest of the body is not awaited.
  const leave = () => void reader.cancel().catch(() => {});
  const pace = new BodyPace(deadlines, (fault) => {
    given.up = fault;
    leave();
  });
  try {
    for (;;) {
      const { done, value } = await reader.read();
      if (given.up) throw given.up;
      if (done) return;
      pace.add(value.length);
      onPiece(value);
    }
  } catch (thrown) {
    throw toBodyFault(thrown);
  } finally {
    pace.end();
    leave();
  }
}

function toBodyFault(error: unknown): Fault {
  if (error instanceof Fault) return error;
  return new Fault("client_gone", "The request body ended early.", { cause: error });
}

function tooLarge(bytesMax: number): Fault {
  return new Fault("request_too_large", `The request body is larger than ${bytesMax} bytes.`);
}

function refuseEncoded(headers: Headers): void {
  const encoding = headers.get("content-encoding");
  if (encoding === null || encoding.toLowerCase() === "identity") return;
  const message = "Compressed request bodies are not supported: send the body uncompressed.";
  throw new Fault("unsupported_content_encoding", message);
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

/** Throws the Fault that `refuse` makes if the bytes aren't UTF-8. */
export function decodeUtf8(bytes: Uint8Array, refuse: (why: string) => Fault): string {
  try {
    return utf8.decode(bytes);
  } catch {
    throw refuse("it is not UTF-8");
  }
}

function parse(text: string): unknown {
  const most = REQUEST_SHAPE;
  const { depth, elements } = measureShape(text, most);
  if (depth > most.depth) throw notJson(`it is nested deeper than ${most.depth} levels`);
  if (elements > most.elements) throw notJson(`it has more than ${most.elements} elements and fields`);
  try {
    return JSON.parse(text);
  } catch {
    throw notJson("it is not valid JSON");
  }
}

function notJson(why: string): Fault {
  return new Fault("invalid_json", `We could not parse the JSON body of your request: ${why}.`);
}

/**
 * True if the text may hold an unpaired surrogate, which JSON in UTF-8 can only have as an escape. On 30 MB of
 * backslashes a regular expression would take 170 ms, these searches take 3.
 */
function mayHaveLoneSurrogate(text: string): boolean {
  return text.includes("\\ud") || text.includes("\\uD");
}

function isWellFormed(value: unknown): boolean {
  if (typeof value === "string") return value.isWellFormed();
  if (Array.isArray(value)) return value.every(isWellFormed);
  if (!isObject(value)) return true;
  return Object.entries(value).every(([field, one]) => field.isWellFormed() && isWellFormed(one));
}
