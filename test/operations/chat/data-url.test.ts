// data: URLs in every form that clients write.
import { expect, test } from "bun:test";
import { parseDataUrl } from "../../../src/operations/chat/prompt/data-url.ts";

const base64 = (text: string) => Buffer.from(text).toString("base64");

const ROWS: readonly (readonly [string, string, string])[] = [
  ["data:image/png;base64,iVBORw0KGgo=", "image/png", "iVBORw0KGgo="],
  ["DATA:Image/PNG;BASE64,AA==", "image/png", "AA=="],
  ["data:text/plain;charset=utf-8;base64,YQ==", "text/plain", "YQ=="],
  ["data:,plain", "text/plain", base64("plain")],
  ["data:text/plain,a%20b%C3%A9", "text/plain", base64("a bé")],
  ["data:text/plain,é ☃ 100% %4 %zz", "text/plain", base64("é ☃ 100% %4 %zz")],
];

for (const [url, mediaType, expected] of ROWS) {
  test(url, () => expect(parseDataUrl(url)).toEqual({ mediaType, base64: expected }));
}

test("other URLs are rejected", () => {
  for (const url of ["https://a.example/data:x", "data:nothing", ""]) expect(parseDataUrl(url)).toBeNull();
});
