// The data of pictures and files in generateContent requests: URL-safe base64, as Google's Python SDK writes it, becomes standard.
import { describe, expect, test } from "bun:test";
import type { JsonObject } from "../../../src/core/json/json.ts";
import { readTraffic } from "../../recorded/load.ts";
import { readGemini } from "../lane/native-read.ts";

/** Bytes whose base64 has both characters that the alphabets differ in, and padding. */
const STANDARD = "+/v7//8=";
const SPELLINGS: readonly (readonly [string, string])[] = [
  ["URL-safe", "-_v7__8="],
  ["URL-safe without padding", "-_v7__8"],
  ["standard", STANDARD],
  ["standard without padding", "+/v7//8"],
];

/** The parts of the messages that one part of Gemini's becomes. */
function listParts(part: JsonObject): readonly unknown[] {
  return readGemini({ contents: [{ role: "user", parts: [part] }] }).ask.messages.flatMap(
    ({ content }): readonly unknown[] => (Array.isArray(content) ? content : [content]),
  );
}

describe.each(SPELLINGS)("%s", (_, data) => {
  test("a picture", () => {
    const url = `data:image/png;base64,${STANDARD}`;
    for (const part of [
      { inlineData: { mimeType: "image/png", data } },
      { inline_data: { mime_type: "image/png", data } },
    ])
      expect(listParts(part)).toEqual([{ type: "image_url", image_url: { url } }]);
  });

  test("a document and a sound", () => {
    expect(listParts({ inlineData: { mimeType: "application/pdf", data } })).toEqual([
      { type: "file", file: { file_data: `data:application/pdf;base64,${STANDARD}` } },
    ]);
    expect(listParts({ inlineData: { mimeType: "audio/wav", data } })).toEqual([
      { type: "input_audio", input_audio: { data: STANDARD, format: "wav" } },
    ]);
  });

  test("a picture in a function's result", () => {
    const parts = [{ inlineData: { mimeType: "image/png", data } }];
    expect(listParts({ functionResponse: { name: "f", response: { output: "x" }, parts } })).toEqual([
      { type: "text", text: "x" },
      { type: "image_url", image_url: { url: `data:image/png;base64,${STANDARD}` } },
    ]);
  });
});

test.each(["-_!=", "+_v7", "a"])("%s is left as it came, since it is not base64", (data) => {
  expect(listParts({ inlineData: { mimeType: "image/png", data } })).toEqual([
    { type: "image_url", image_url: { url: `data:image/png;base64,${data}` } },
  ]);
});

test("the native lane sends the data as it came", () => {
  const contents = [{ role: "user", parts: [{ inlineData: { mimeType: "image/png", data: "-_v7__8=" } }] }];
  expect(readGemini({ contents }).raw?.body.contents).toEqual(contents);
});

/** Returns the base64 of all files of a request. */
function listData(request: unknown): readonly string[] {
  const text = JSON.stringify(request);
  return [...text.matchAll(/data:[\w/+.-]+;base64,([^"]+)"/g), ...text.matchAll(/"data":"([^"]+)"/g)].map(
    ([, data = ""]) => data,
  );
}

const withFiles = readTraffic().recordings.filter(
  ({ api, request }) =>
    api.startsWith("gemini-") && /"inline_?data"/i.test(JSON.stringify(request?.contents ?? null)),
);

test("recordings have files in both alphabets", () => {
  const data = withFiles.flatMap(({ request }) => listData(request));
  expect([data.some((one) => /[-_]/.test(one)), data.some((one) => /[+/]/.test(one))]).toEqual([true, true]);
});

test.each(withFiles.map(({ id, request }) => [id, request ?? {}] as const))("recorded: %s", (_, request) => {
  for (const data of listData(readGemini(request).ask))
    expect(Uint8Array.fromBase64(data, { lastChunkHandling: "strict" }).length).toBeGreaterThan(0);
});
