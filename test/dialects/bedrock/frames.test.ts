// Amazon's frames: read under every split, refused if malformed, bounded, and ended by exceptions.
import { describe, expect, test } from "bun:test";
import { EventStreamText, FRAME_BYTES_MAX } from "../../../src/transport/framing/aws-eventstream.ts";
import { makeReader } from "../../../src/transport/text-reader.ts";
import { catchThrown, readCode } from "../../harness/thrown.ts";
import { cut, makeEvent, makeException, makeFrame, seal } from "./frames.ts";

const inner = (event: object) => ({ bytes: Buffer.from(JSON.stringify(event)).toString("base64"), p: "abc" });
const metrics = { inputTokenCount: 3 };
const stream = Buffer.concat([
  makeEvent("messageStart", { role: "assistant", p: "ab" }),
  makeEvent("contentBlockDelta", { contentBlockIndex: 0, delta: { text: "köstlich 👍\n" } }),
  makeEvent("chunk", inner({ type: "message_stop", "amazon-bedrock-invocationMetrics": metrics })),
  makeEvent("chunk", inner({ completion: "x" })),
]);
const text = [
  'event: messageStart\ndata: {"role":"assistant","p":"ab"}\n\n',
  'event: contentBlockDelta\ndata: {"contentBlockIndex":0,"delta":{"text":"köstlich 👍\\n"}}\n\n',
  'event: message_stop\ndata: {"type":"message_stop"}\n\n',
  'event: chunk\ndata: {"completion":"x"}\n\n',
].join("");

function read(pieces: Iterable<Uint8Array>) {
  const reader = new EventStreamText();
  let all = "";
  for (const piece of pieces) all += reader.push(piece);
  return { text: all, failure: reader.failure };
}

describe("frames become events", () => {
  test.each([1, 2, 3, 5, 7, 11, 64, 1000])("read in pieces of %i bytes", (length) => {
    expect(read(cut(stream, length))).toEqual({ text, failure: null });
  });

  test("a payload with several lines keeps them", () => {
    const frame = makeFrame({ ":message-type": "event", ":event-type": "x" }, '{\r\n"a":\n1}');
    expect(read([frame]).text).toBe('event: x\ndata: {\ndata: "a":\ndata: 1}\n\n');
  });

  test("headers of every type are skipped correctly", () => {
    const name = [1, 97];
    const sizes = [0, 0, 1, 2, 4, 8, null, null, 8, 16];
    const extra = sizes.flatMap((size, type) => {
      const value = size === null ? [0, 2, 120, 121] : Array.from({ length: size }, () => 1);
      return [...name, type, ...value];
    });
    const frame = makeFrame({ ":message-type": "event", ":event-type": "x" }, "{}", extra);
    expect(read([frame])).toEqual({ text: "event: x\ndata: {}\n\n", failure: null });
  });
});

const good = makeEvent("messageStart", {});
const withByte = (at: number) => {
  const bytes = Buffer.from(stream);
  bytes[at] = (bytes[at] ?? 0) ^ 1;
  return bytes;
};
const ofLength = (total: number) => {
  const frame = Buffer.alloc(16);
  frame.writeUInt32BE(total, 0);
  return seal(frame);
};
const withHeaders = (length: number) => {
  const frame = Buffer.from(good);
  frame.writeUInt32BE(length, 4);
  return seal(frame);
};

describe("a broken stream is an upstream error", () => {
  const broken: readonly (readonly [string, Uint8Array])[] = [
    ["a byte of the length", withByte(1)],
    ["a byte of the checksum of the lengths", withByte(9)],
    ["a byte of a header", withByte(14)],
    ["a byte of the payload", withByte(90)],
    ["a frame beyond all bounds", ofLength(FRAME_BYTES_MAX + 1)],
    ["a frame too short to be one", ofLength(15)],
    ["headers longer than the frame", withHeaders(good.length)],
    ["a truncated header", withHeaders(20)],
    ["a header of an unknown type", makeFrame({ ":message-type": "event" }, "{}", [1, 97, 10])],
    ["a frame has an unknown kind", makeFrame({ ":message-type": "other" }, "{}")],
    ["an event's name that is none", makeFrame({ ":message-type": "event", ":event-type": "a\nb" }, "{}")],
    ["a chunk that is not JSON", makeEvent("chunk", { bytes: "e30x" })],
  ];
  test.each(broken)("%s", (_what, bytes) => {
    for (const length of [1, 1000]) {
      const { failure } = read(cut(bytes, length));
      expect([failure?.code, failure?.message]).toEqual([
        "upstream_error",
        "The provider's answer was incomplete or malformed.",
      ]);
    }
  });

  test("any single flipped bit", () => {
    for (let at = 0; at < stream.length; at++) expect(read([withByte(at)]).text).not.toBe(text);
  });

  test("events before the damage are still read", () => {
    expect(read([Buffer.concat([good, ofLength(3), good])]).text).toBe("event: messageStart\ndata: {}\n\n");
  });
});

describe("exceptions become faults", () => {
  const exceptions = [
    ["throttlingException", "provider_busy"],
    ["modelStreamErrorException", "upstream_error"],
    ["internalServerException", "upstream_error"],
    ["serviceUnavailableException", "upstream_error"],
    ["modelTimeoutException", "upstream_timeout"],
    ["validationException", "upstream_rejected"],
    ["somethingNew", "upstream_error"],
  ] as const;
  test.each(exceptions)("%s is %s", (type, code) => {
    const bytes = Buffer.concat([good, makeException(type, '{"message":"Too many."}'), good]);
    for (const length of [1, 1000]) {
      const { text: before, failure } = read(cut(bytes, length));
      expect([before, failure?.code]).toEqual(["event: messageStart\ndata: {}\n\n", code]);
    }
  });

  test("errors with code and message in headers do too", () => {
    const headers = {
      ":message-type": "error",
      ":error-code": "ValidationException",
      ":error-message": "No.",
    };
    const { failure } = read([makeFrame(headers, "")]);
    expect([failure?.code, failure?.message]).toEqual(["upstream_rejected", "No."]);
  });
});

describe("a body", () => {
  const readAll = async (body: Buffer<ArrayBuffer> | string) => {
    const reader = makeReader(new Response(body), "aws-eventstream");
    const pieces: string[] = [];
    for (;;) {
      const { done, value } = await reader.read();
      if (done) return pieces.join("");
      pieces.push(value);
    }
  };

  test("is decoded from its frames, whatever its content type", async () => {
    expect(await readAll(stream)).toBe(text);
  });

  test("is read as text if it is text", async () => {
    expect(await readAll("event: x\ndata: {}\n\nkö")).toBe("event: x\ndata: {}\n\nkö");
    expect(await readAll("")).toBe("");
  });

  test("is read up to an exception, which then rejects", async () => {
    const bytes = Buffer.concat([good, makeException("throttlingException", "{}")]);
    const reader = makeReader(new Response(bytes), "aws-eventstream");
    expect(await reader.read()).toEqual({ done: false, value: "event: messageStart\ndata: {}\n\n" });
    expect(readCode(await catchThrown(reader.read()))).toBe("provider_busy");
  });
});
