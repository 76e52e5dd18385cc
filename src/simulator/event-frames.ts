// Amazon's binary frames, in which Bedrock streams ("Amazon Event Stream Specification").

const PRELUDE_BYTES = 12;
const CRC_BYTES = 4;
/** The type of a string header. */
const STRING_TYPE = 7;
const EXCEPTION = "exception:";
const EVENT = /event: (.*)\ndata: (.*)\n\n/g;

/** Returns the name of the event that is encoded as an exception of this type. */
export function nameException(type: string): string {
  return `${EXCEPTION}${type}`;
}

/** Encodes server-sent events with one data line each as frames. */
export function encodeFrames(text: string): Uint8Array {
  const frames = [...text.matchAll(EVENT)].map(([, name = "", data = ""]) => encodeFrame(name, data));
  return Buffer.concat(frames);
}

function encodeFrame(name: string, data: string): Uint8Array {
  const isException = name.startsWith(EXCEPTION);
  const headers = Buffer.concat([
    encodeHeader(
      isException ? ":exception-type" : ":event-type",
      isException ? name.slice(EXCEPTION.length) : name,
    ),
    encodeHeader(":content-type", "application/json"),
    encodeHeader(":message-type", isException ? "exception" : "event"),
  ]);
  const payload = Buffer.from(data);
  const total = PRELUDE_BYTES + headers.length + payload.length + CRC_BYTES;
  const frame = Buffer.alloc(total);
  frame.writeUInt32BE(total, 0);
  frame.writeUInt32BE(headers.length, 4);
  frame.writeUInt32BE(Bun.hash.crc32(frame.subarray(0, 8)), 8);
  headers.copy(frame, PRELUDE_BYTES);
  payload.copy(frame, PRELUDE_BYTES + headers.length);
  frame.writeUInt32BE(Bun.hash.crc32(frame.subarray(0, total - CRC_BYTES)), total - CRC_BYTES);
  return frame;
}

function encodeHeader(name: string, value: string): Uint8Array {
  const key = Buffer.from(name);
  const text = Buffer.from(value);
  const length = Buffer.alloc(2);
  length.writeUInt16BE(text.length);
  return Buffer.concat([Buffer.of(key.length), key, Buffer.of(STRING_TYPE), length, text]);
}
