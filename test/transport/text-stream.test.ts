// Long bodies that are sent as a stream: every character arrives, also where a piece ends within a surrogate pair.
import { expect, test } from "bun:test";
import { prepareRequest, toInit } from "../../src/transport/prepared.ts";
import { SHORT_CHARACTERS, streamText } from "../../src/transport/text-stream.ts";

const PAIR = "\u{1f600}";

for (const before of [0, 1, 2]) {
  test(`a text with a pair at the end of its first piece, after ${before} letters`, async () => {
    const text = `${"x".repeat(SHORT_CHARACTERS - 2 + before)}${PAIR.repeat(3)}${"é".repeat(SHORT_CHARACTERS)}`;
    expect(await new Response(streamText(text)).text()).toBe(text);
  });
}

test("a long call declares its length in bytes, and a short one is sent as it is", () => {
  const make = (content: string) => {
    const outgoing = { url: "http://provider.example/", headers: { "x-own": "1" }, body: { content } };
    const prepared = prepareRequest({ ...outgoing, dropped: [] });
    return toInit(prepared, new AbortController().signal, false, undefined);
  };
  const long = make("é".repeat(SHORT_CHARACTERS));
  expect(long.body).toBeInstanceOf(ReadableStream);
  const length = 2 * SHORT_CHARACTERS + '{"content":""}'.length;
  expect(new Headers(long.headers).get("content-length")).toBe(String(length));
  expect(new Headers(long.headers).get("x-own")).toBe("1");
  expect(make("short").body).toBe('{"content":"short"}');
});
