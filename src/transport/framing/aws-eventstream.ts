// Converts Amazon's binary event streams to the text of server-sent events (Smithy, "Amazon Event Stream
// Specification").
import { type Fault, toFault } from "../../core/faults/fault.ts";
import { malformed } from "../../core/faults/malformed.ts";
import { parseReceived } from "../../core/json/bounds.ts";
import { asString, isObject } from "../../core/json/json.ts";
import { explainException } from "./aws-faults.ts";

/** Larger frames are refused, as by Amazon's own clients. */
export const FRAME_BYTES_MAX = 16 * 1024 * 1024;
/** Total length, header length, and a CRC-32 of both. */
const PRELUDE_BYTES = 12;
const CRC_BYTES = 4;
/** Two lengths and two checksums. */
const FRAME_BYTES_MIN = PRELUDE_BYTES + CRC_BYTES;
const STRING_TYPE = 7;
/** The size of each value type in bytes. Null if two bytes before it give the size. */
const VALUE_BYTES: readonly (number | null)[] = [0, 0, 1, 2, 4, 8, null, null, 8, 16];
const EVENT_NAME = /^[\w.-]{1,64}$/;
/** Bedrock adds its own counts to a model's last event, which clients of that model don't expect. */
const INVOCATION_METRICS = "amazon-bedrock-invocationMetrics";

type EventHeaders = ReadonlyMap<string, string>;

/** Accepts a body's bytes and returns the events of completed frames. */
export class EventStreamText {
  readonly #prelude = new Uint8Array(PRELUDE_BYTES);
  /** The current frame, sized by its prelude. Null until the prelude is complete. */
  #frame: Uint8Array | null = null;
  #filled = 0;
  #failure: Fault | null = null;

  /** The fault that ended the stream: an exception or a broken frame. Nothing after it is read. */
  get failure(): Fault | null {
    return this.#failure;
  }

  /** Returns the text of the events before any failure, or "" if no frame was completed. */
  push(bytes: Uint8Array): string {
    const events: string[] = [];
    try {
      for (let at = 0; at < bytes.length && this.#failure === null; ) at += this.#fill(bytes, at, events);
    } catch (thrown) {
      this.#failure = toFault(thrown);
    }
    return events.join("");
  }

  /** Takes the bytes missing from the current frame, and returns how many there were. */
  #fill(bytes: Uint8Array, at: number, events: string[]): number {
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
      throw malformed("a frame's prelude has a wrong checksum");
    if (total < FRAME_BYTES_MIN || total > FRAME_BYTES_MAX) throw malformed(`a frame has ${total} bytes`);
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
    throw malformed("a frame has a wrong checksum");
  const headersEnd = PRELUDE_BYTES + numbers.getUint32(4);
  if (headersEnd > end) throw malformed("a frame's headers are longer than the frame");
  const headers = readHeaders(frame.subarray(PRELUDE_BYTES, headersEnd));
  return formatMessage(headers, new TextDecoder().decode(frame.subarray(headersEnd, end)));
}

/** Returns the string headers and skips the others. */
function readHeaders(bytes: Uint8Array): EventHeaders {
  const headers = new Map<string, string>();
  const numbers = view(bytes);
  const decoder = new TextDecoder();
  let at = 0;
  const take = (count: number) => {
    if (at + count > bytes.length) throw malformed("a frame has a truncated header");
    at += count;
    return at - count;
  };
  while (at < bytes.length) {
    const nameBytes = numbers.getUint8(take(1));
    const name = decoder.decode(bytes.subarray(take(nameBytes), at));
    const type = numbers.getUint8(take(1));
    const fixed = VALUE_BYTES[type];
    if (fixed === undefined) throw malformed(`a frame has a header of unknown type ${type}`);
    const start = take(fixed ?? numbers.getUint16(take(2)));
    if (type === STRING_TYPE) headers.set(name, decoder.decode(bytes.subarray(start, at)));
  }
  return headers;
}

/** Throws the Fault of an exception or error frame. */
function formatMessage(headers: EventHeaders, payload: string): string {
  switch (headers.get(":message-type")) {
    case "event":
      return formatEvent(headers.get(":event-type") ?? "", payload);
    case "exception":
      throw explainException(headers.get(":exception-type") ?? "", payload);
    case "error":
      throw explainException(headers.get(":error-code") ?? "", headers.get(":error-message") ?? "");
    default:
      throw malformed("a frame has an unknown kind");
  }
}

/** A model's own event is base64-encoded, and is returned under its own type. */
function formatEvent(type: string, payload: string): string {
  if (type !== "chunk") return writeEvent(type, payload);
  const held = parseReceived(payload);
  const base64 = isObject(held) ? asString(held.bytes) : undefined;
  if (base64 === undefined) return "";
  const data = Buffer.from(base64, "base64").toString();
  const event = parseReceived(data);
  if (!isObject(event)) throw malformed("a chunk is not a JSON object");
  const { [INVOCATION_METRICS]: metrics, ...own } = event;
  return writeEvent(asString(own.type) ?? type, metrics === undefined ? data : JSON.stringify(own));
}

function writeEvent(name: string, data: string): string {
  if (!EVENT_NAME.test(name)) throw malformed("a frame has an invalid name");
  return `event: ${name}\ndata: ${data.replace(/\r\n?|\n/g, "\ndata: ")}\n\n`;
}
