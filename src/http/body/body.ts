// Reads a request's JSON body within bounds: size, type, encoding, memory, speed, UTF-8, structure, then JSON.

import { Fault } from "../../core/faults/fault.ts";
import { REQUEST_SHAPE } from "../../core/json/bounds.ts";
import type { ReadBody } from "../../core/json/earlier-body.ts";
import { parseWithTools } from "../../core/json/exact.ts";
import { isObject, parseJson } from "../../core/json/json.ts";
import { explainJson } from "../../core/json/mistake.ts";
import { isWellFormed, parseUtf8 } from "../../core/json/plain.ts";
import { type JsonShape, measureShape } from "../../core/json/shape.ts";
import { findKnownValue, keepSources, readWithout } from "../../core/json/source.ts";
import { parseInSteps } from "../../core/json/steps.ts";
import { readMarks, type ScannedShape, SHORT_CHARACTERS, scanBytes } from "../../core/json/text-scan.ts";
import type { Deadlines } from "../../core/world/world.ts";
import { readBytes, tooLarge } from "./body-bytes.ts";
import type { BodyMemory, HeldBody } from "./body-memory.ts";
import type { BodyTurns } from "./body-turns.ts";
import { type EarlierBodies, type EarlierScope, GOES_ON_BYTES } from "./earlier-bodies.ts";

/** The bytes of a text of this size are freed at once. */
const LARGE_BYTES = 262_144;
/** Above it, a text would hold up others for more than 5 ms if each of its characters is escaped: 8 MB take 50 ms. */
const IN_ONE_GO_BYTES = 1_000_000;

export interface BodyPorts {
  readonly bodies: BodyMemory;
  readonly turns: BodyTurns;
  readonly deadlines: Deadlines;
  /** Missing if bodies go on from no earlier ones. */
  readonly earlier?: EarlierBodies;
}

/** The bounds on one body. Its owner, an account or another sender, has a share of the memory. */
interface BodyRules {
  readonly owner: string;
  readonly bytesMax: number;
}

/** The bounds on a body whose request keeps its memory after it is parsed. */
export interface HeldRules extends BodyRules {
  readonly held: HeldBody;
  /** The conversations that it may go on from. Missing or without a key if nothing may be remembered. */
  readonly keyId?: string | null;
  readonly surface?: string;
  readonly under?: object;
}

interface BodyKind<Body> {
  /** Throws a Fault if the type is wrong. */
  checkType(headers: Headers): void;
  readonly parse: (arrived: ArrivedBody) => Body | Promise<Body>;
}

const JSON_BODY: BodyKind<unknown> = { checkType, parse: parseJsonBytes };

/**
 * Returns the parsed body, whose memory isn't counted any more. Throws the Fault of the first check that fails, in the
 * order listed at the top.
 */
export async function readJson(request: Request, ports: BodyPorts, rules: BodyRules): Promise<unknown> {
  const held = ports.bodies.open();
  try {
    return await readHeldJson(request, ports, { ...rules, held });
  } finally {
    held.release();
  }
}

/** The same for a body whose memory the caller releases. */
export function readHeldJson(request: Request, ports: BodyPorts, rules: HeldRules): Promise<unknown> {
  return readHeld(request, ports, rules, JSON_BODY);
}

/** Reads and parses the body within its bounds. The caller releases its memory, even if this fails. */
export async function readHeld<Body>(
  request: Request,
  ports: BodyPorts,
  rules: HeldRules,
  kind: BodyKind<Body>,
): Promise<Body> {
  const { turns, deadlines } = ports;
  const { owner, bytesMax, held } = rules;
  const { headers } = request;
  const length = headers.get("content-length");
  const declaredBytes = length === null ? null : Number(length);
  if (declaredBytes !== null && declaredBytes > bytesMax) throw tooLarge(bytesMax);
  kind.checkType(headers);
  refuseEncoded(headers);
  const bytes = await readBytes(request, { owner, declaredBytes, bytesMax, deadlines, held });
  const turn = turns.next(owner, bytes.length);
  if (turn) await turn;
  return turns.time(owner, bytes.length, kind.parse, { bytes, ports, rules });
}

/** Parses JSON that the gateway has already, within the same bounds. The caller releases its memory, even if this fails. */
export function readGivenJson(
  bytes: Uint8Array<ArrayBuffer>,
  ports: BodyPorts,
  rules: HeldRules,
): unknown | Promise<unknown> {
  const { owner, bytesMax, held } = rules;
  if (bytes.length > bytesMax) throw tooLarge(bytesMax);
  held.expect({ owner, declaredBytes: bytes.length, onEnded: () => {} });
  held.arrive(bytes.length);
  held.finish();
  const parse = () => ports.turns.time(owner, bytes.length, parseJsonBytes, { bytes, ports, rules });
  const turn = ports.turns.next(owner, bytes.length);
  return turn === null ? parse() : turn.then(parse);
}

/** A body as it arrived. */
export interface ArrivedBody {
  readonly bytes: Uint8Array<ArrayBuffer>;
  readonly ports: BodyPorts;
  readonly rules: HeldRules;
}

/** Each place of a file's id has it in its name, or in the id. */
const FILE_WORD = "file";

function parseJsonBytes({ bytes, ports, rules }: ArrivedBody): unknown | Promise<unknown> {
  rules.held.mayNameFiles = Buffer.prototype.includes.call(bytes, FILE_WORD);
  if (bytes.length > IN_ONE_GO_BYTES) return parseLong(bytes, ports.turns, rules.owner);
  const { earlier } = ports;
  const scope =
    earlier && bytes.length >= GOES_ON_BYTES.least && bytes.length <= GOES_ON_BYTES.most
      ? findScope(rules)
      : null;
  if (!earlier || scope === null) return parseBody(bytes, keepNothing);
  return earlier.read(scope, bytes) ?? parseKept(bytes, earlier, scope);
}

function parseKept(bytes: ArrivedBody["bytes"], earlier: EarlierBodies, scope: EarlierScope): unknown {
  return parseBody(bytes, (read) => earlier.keep(scope, read, readMarks()));
}

async function parseLong(bytes: Uint8Array<ArrayBuffer>, turns: BodyTurns, owner: string): Promise<unknown> {
  const scanned = scanBytes(bytes, REQUEST_SHAPE);
  if (scanned === null) return parseBody(bytes, keepNothing);
  const complexity = explainComplex(scanned);
  if (complexity !== null) throw notJson(complexity);
  const body = await turns.takeSteps(owner, parseInSteps(bytes));
  if (body === undefined) throw notJson(explainJson(decodeUtf8(bytes, notJson)));
  bytes.buffer.transfer(0);
  refuseUnpaired(body, scanned.hasSurrogate);
  return body;
}

function keepNothing(): void {}

function findScope({ owner, keyId, surface, under }: HeldRules): EarlierScope | null {
  return keyId && surface && under ? { name: [owner, keyId, surface].join(" "), under } : null;
}

/** Calls `keep` with a body that reads the same everywhere. */
function parseBody(bytes: Uint8Array<ArrayBuffer>, keep: (read: ReadBody) => void): unknown {
  const scanned = bytes.length > SHORT_CHARACTERS ? scanBytes(bytes, REQUEST_SHAPE) : null;
  const isLarge = bytes.length > LARGE_BYTES;
  // A scan that was stopped has left the marks of a part only.
  const isPlain = scanned !== null && !scanned.hasOddNumber && !isLarge && explainComplex(scanned) === null;
  const known = isPlain ? parseAroundKnown(bytes, scanned, keep) : undefined;
  if (known !== undefined) return known;
  const text = decodeUtf8(bytes, notJson);
  // Left to the collector, the bytes of several large bodies would stay in memory beside their texts.
  if (isLarge) bytes.buffer.transfer(0);
  const complexity = explainComplex(scanned ?? measureShape(text, REQUEST_SHAPE));
  if (complexity !== null) throw notJson(complexity);
  // Only numbers of this kind are too long for a double. A large body's may stand between two pieces of the scan.
  const body = scanned === null || isLarge || scanned.hasOddNumber ? parseWithTools(text) : parseJson(text);
  if (body === undefined) throw notJson(explainJson(text));
  refuseUnpaired(body, scanned?.hasSurrogate ?? mayHaveSurrogate(text));
  if (isPlain && isObject(body)) keepBody({ bytes, body, elements: scanned.elements }, keep);
  return body;
}

/** Returns the JSON of a text that is no request's body, within the same bounds. Throws the Fault `invalid_json`. */
export function parseFrame(text: string): unknown {
  const complexity = explainComplex(measureShape(text, REQUEST_SHAPE));
  if (complexity !== null) throw notJson(complexity);
  const frame = parseWithTools(text);
  if (frame === undefined) throw notJson(explainJson(text));
  refuseUnpaired(frame, mayHaveSurrogate(text));
  return frame;
}

function keepBody(read: ReadBody, keep: (read: ReadBody) => void): void {
  if (keepSources(read.body, read.bytes, readMarks(), read.elements)) keep(read);
}

/**
 * Parses a body without the value in it that is remembered. Undefined if there is none, and for all that is refused: the
 * text itself tells why.
 */
function parseAroundKnown(
  bytes: Uint8Array,
  { hasSurrogate, elements }: ScannedShape,
  keep: (read: ReadBody) => void,
): unknown {
  const marks = readMarks();
  const known = findKnownValue(bytes, marks);
  if (known === null) return undefined;
  const body = readWithout(bytes, known, parseUtf8);
  // A name may have been given twice.
  if (!isObject(body) || body[known.name] !== 0 || 2 * Object.keys(body).length !== marks.length)
    return undefined;
  body[known.name] = known.value;
  refuseUnpaired(body, hasSurrogate);
  keepBody({ bytes, body, elements }, keep);
  return body;
}

export function refuseEncoded(headers: Headers): void {
  const encoding = headers.get("content-encoding");
  if (encoding === null || encoding.toLowerCase() === "identity") return;
  const message = "Compressed request bodies are not supported: send the body uncompressed.";
  throw new Fault("unsupported_content_encoding", message);
}

export function checkType(headers: Headers): void {
  const given = headers.get("content-type") ?? "";
  if (given === "application/json") return;
  const [type = "", ...parameters] = given.toLowerCase().split(";");
  const charset = parameters.map((one) => one.trim()).find((one) => one.startsWith("charset="));
  const utf8 = charset === undefined || /^charset="?utf-?8"?$/.test(charset);
  if (type.trim() === "application/json" && utf8) return;
  const sent = type.trim().endsWith("/x-www-form-urlencoded") ? ", not a form" : "";
  const message = `The request body must be JSON in UTF-8${sent}: send the header Content-Type: application/json.`;
  throw new Fault("unsupported_content_type", message);
}

const utf8 = new TextDecoder("utf-8", { fatal: true });

/** Throws what `refuse` makes if the bytes aren't UTF-8. */
export function decodeUtf8(bytes: Uint8Array, refuse: (why: string) => Error): string {
  try {
    return utf8.decode(bytes);
  } catch {
    throw refuse("it is not UTF-8");
  }
}

/** Returns the reason to refuse this much structure, or null. */
function explainComplex({ depth, elements }: JsonShape): string | null {
  const most = REQUEST_SHAPE;
  if (depth > most.depth) return `it is nested deeper than ${most.depth} levels`;
  return elements > most.elements ? `it has more than ${most.elements} elements and fields` : null;
}

function notJson(why: string): Fault {
  return new Fault("invalid_json", `We could not parse the JSON body of your request: ${why}.`);
}

/** True if the text may hold a surrogate, which JSON in UTF-8 can only have as an escape. */
function mayHaveSurrogate(text: string): boolean {
  return text.includes("\\ud") || text.includes("\\uD");
}

function refuseUnpaired(body: unknown, hasSurrogate: boolean): void {
  if (hasSurrogate && !isWellFormed(body)) throw notJson("it contains an unpaired surrogate");
}
