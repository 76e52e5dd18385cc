// Builds Amazon's frames with any headers for tests, and damages them.

export type FrameHeaders = Readonly<Record<string, string>>;

/** `headers` are strings, `extra` are whole headers of other types in bytes. */
export function makeFrame(headers: FrameHeaders, payload: string, extra: readonly number[] = []): Buffer {
  const named = Object.entries(headers).map(([name, value]) => {
    const key = Buffer.from(name);
    const text = Buffer.from(value);
    return Buffer.concat([
      Buffer.of(key.length),
      key,
      Buffer.of(7, text.length >> 8, text.length & 255),
      text,
    ]);
  });
  const head = Buffer.concat([Buffer.from(extra), ...named]);
  const total = 16 + head.length + Buffer.byteLength(payload);
  const frame = Buffer.alloc(total);
  frame.writeUInt32BE(total, 0);
  frame.writeUInt32BE(head.length, 4);
  head.copy(frame, 12);
  frame.write(payload, 12 + head.length);
  return seal(frame);
}

/** Writes the two checksums. */
export function seal(frame: Buffer): Buffer {
  frame.writeUInt32BE(Bun.hash.crc32(frame.subarray(0, 8)), 8);
  frame.writeUInt32BE(Bun.hash.crc32(frame.subarray(0, -4)), frame.length - 4);
  return frame;
}

export function makeEvent(type: string, payload: object): Buffer {
  return makeFrame({ ":message-type": "event", ":event-type": type }, JSON.stringify(payload));
}

export function makeException(type: string, payload: string): Buffer {
  return makeFrame({ ":message-type": "exception", ":exception-type": type }, payload);
}

/** Splits the bytes into pieces of this length. */
export function* cut(bytes: Uint8Array, length: number): Iterable<Uint8Array> {
  for (let at = 0; at < bytes.length; at += length) yield bytes.subarray(at, at + length);
}
