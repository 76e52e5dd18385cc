// A stream's text as the frames of a connection.
import { expect, test } from "bun:test";
import { splitEvents } from "../../../src/http/sockets/frames.ts";

test("a frame is the data of an event: comments and events without data have none", () => {
  const text = [
    'data: {"type":"a"}\n\n',
    ": keep-alive\n\n",
    'event: b\ndata: {"type":"b"}\n\n',
    "event: c\n\n",
    'event: d\ndata: {"type":"d"}\n\n',
  ];
  expect(splitEvents(text.join(""))).toEqual(['{"type":"a"}', '{"type":"b"}', '{"type":"d"}']);
  expect(splitEvents(": keep-alive\n\n")).toEqual([]);
  expect(splitEvents("data: {}\n\n: keep-alive\n\n")).toEqual(["{}"]);
  expect(splitEvents("")).toEqual([]);
});
