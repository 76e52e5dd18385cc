// Amazon's binary event streams as the text of server-sent events, whatever the cuts (Smithy, "Amazon Event Stream Specification").
import { type Fault, toFault } from "../../core/fault.ts";
import { asString, isObject, parseJson } from "../../core/json.ts";
import { garbled } from "../../core/upstream.ts";
import { explainException } from "./aws-faults.ts";

/** A frame of more bytes is refused, as Amazon's own clients refuse it. */
export const FRAME_BYTES_MAX = 16 * 1024 * 1024;
/** Total length, length of the headers, and a CRC-32 of the two. */
const PRELUDE_BYTES = 12;
const CRC_BYTES = 4;
/** Two lengths and two checksums. */
const FRAME_BYTES_MIN = PRELUDE_BYTES + CRC_BYTES;
const STRING_TYPE = 7;
/** The bytes of a value by its type; null: two bytes before it say how many. */
const VALUE_BYTES: readonly (number | null)[] = [0, 0, 1, 2, 4, 8, null, null, 8, 16];
const EVENT_NAME = /^[\w.-]{1,64}$/;
/** Bedrock hangs its own counts on a model's last event, where clients of that model expect nothing of the kind. */
const INVOCATION_METRICS = "amazon-bedrock-invocationMetrics";

type Headers = ReadonlyMap<string, string>;

/** Takes a body's bytes and gives the events of the frames that they complete. */
export class EventStreamText {
  readonly #prelude = new Uint8Array(PRELUDE_BYTES);
  /** The frame at hand, as long as its prelude says; null: its prelude is not whole. */
  #frame: Uint8Array | null = null;
  #filled = 0;
  #failure: Fault | null = null;

  /** The fault that ended the stream: an exception's, or that of a frame that is broken. Nothing after it is read. */
  get failure(): Fault | null {
    return this.#failure;
  }

  /** Returns the text of the events before any failure; empty: no frame became whole. */
  push(bytes: Uint8Array): string {
    const events: string[] = [];
    try {
      for (let at = 0; at < bytes.length && this.#failure === null; ) at += this.#take(bytes, at, events);
    } catch (thrown) {
      this.#failure = toFault(thrown);
    }
    return events.join("");
  }

  /** Takes what the frame at hand still lacks, and returns how many bytes that was. */
  #take(bytes: Uint8Array, at: number, events: string[]): number {
    const buffer = this.#frame ?? this.#prelude;
    const piece = bytes.subarray(at, at + buffer.length - this.#filled);
    buffer.set(piece, this.#filled);
    this.#filled += piece.length;
    if (this.#filled < buffer.length) return piece.length;
    if (this.#frame === null) this.#begin();
    else {
      events.push(readFrame(this.#frame));
      this.#frame = null;
      this.#filled = 0;
    }
    return piece.length;
  }

  #begin(): void {
    const prelude = view(this.#prelude);
    const total = prelude.getUint32(0);
    if (Bun.hash.crc32(this.#prelude.subarray(0, PRELUDE_BYTES - CRC_BYTES)) !== prelude.getUint32(8))
      throw garbled("a frame whose prelude has another checksum");
    if (total < FRAME_BYTES_MIN || total > FRAME_BYTES_MAX) throw garbled(`a frame of ${total} bytes`);
    this.#frame = new Uint8Array(total);
    this.#frame.set(this.#prelude);
  }
}

function view(bytes: Uint8Array): DataView {
  return new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
}

function readFrame(frame: Uint8Array): string {
  const end = frame.length - CRC_BYTES;
  const numbers = view(frame);
  if (Bun.hash.crc32(frame.subarray(0, end)) !== numbers.getUint32(end))
    throw garbled("a frame with another checksum");
  const headersEnd = PRELUDE_BYTES + numbers.getUint32(4);
  if (headersEnd > end) throw garbled("a frame whose headers are longer than it");
  const headers = readHeaders(frame.subarray(PRELUDE_BYTES, headersEnd));
  return formatMessage(headers, new TextDecoder().decode(frame.subarray(headersEnd, end)));
}

/** The headers that are strings; the others are passed over. */
function readHeaders(bytes: Uint8Array): Headers {
  const headers = new Map<string, string>();
  const numbers = view(bytes);
  const decoder = new TextDecoder();
  let at = 0;
  const take = (count: number) => {
    if (at + count > bytes.length) throw garbled("a frame with a header that is cut short");
    at += count;
    return at - count;
  };
  while (at < bytes.length) {
    const nameBytes = numbers.getUint8(take(1));
    const name = decoder.decode(bytes.subarray(take(nameBytes), at));
    const type = numbers.getUint8(take(1));
    const fixed = VALUE_BYTES[type];
    if (fixed === undefined) throw garbled(`a frame with a header of type ${type}`);
    const start = take(fixed ?? numbers.getUint16(take(2)));
    if (type === STRING_TYPE) headers.set(name, decoder.decode(bytes.subarray(start, at)));
  }
  return headers;
}

/** Throws the Fault that an exception or error means. */
function formatMessage(headers: Headers, payload: string): string {
  switch (headers.get(":message-type")) {
    case "event":
      return formatEvent(headers.get(":event-type") ?? "", payload);
    case "exception":
      throw explainException(headers.get(":exception-type") ?? "", payload);
    case "error":
      throw explainException(headers.get(":error-code") ?? "", headers.get(":error-message") ?? "");
    default:
      throw garbled("a frame of an unknown kind");
  }
}

/** A model's own event comes in base64, and is given under its own type. */
function formatEvent(type: string, payload: string): string {
  if (type !== "chunk") return writeEvent(type, payload);
  const held = parseJson(payload);
  const base64 = isObject(held) ? asString(held.bytes) : undefined;
  if (base64 === undefined) return "";
  const data = Buffer.from(base64, "base64").toString();
  const event = parseJson(data);
  if (!isObject(event)) throw garbled("a chunk that is not a JSON object");
  const { [INVOCATION_METRICS]: metrics, ...own } = event;
  return writeEvent(asString(own.type) ?? type, metrics === undefined ? data : JSON.stringify(own));
}

function writeEvent(name: string, data: string): string {
  if (!EVENT_NAME.test(name)) throw garbled("a frame with an odd name");
  return `event: ${name}\ndata: ${data.replace(/\r\n?|\n/g, "\ndata: ")}\n\n`;
}
