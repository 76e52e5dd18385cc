// Forms that arrive in pieces read the same however they are cut, and as they do at once.
import { describe, expect, test } from "bun:test";
import { readParts } from "../../../src/http/body/multipart.ts";
import { streamParts } from "../../../src/http/body/part-streams.ts";
import { catchThrown } from "../../harness/thrown.ts";

const BOUNDARY = "xyz";
const head = (more: string) => `--xyz\r\nContent-Disposition: form-data; ${more}\r\n\r\n`;

/** Contents that look like the end of a part, and forms with something before or behind them. */
const FORMS: Readonly<Record<string, string>> = {
  plain: `${head('name="a"')}one\r\n${head('name="file"; filename="f"')}two\r\n--xyz--\r\n`,
  lookalikes: `${head('name="a"')}\r\n--xy\r\n--xyZ\r\n\r\n-\r\n--xyz--`,
  empty: `${head('name="a"')}\r\n--xyz--\r\n`,
  surrounded: `preamble\r\n${head('name="a"')}one\r\n--xyz--\r\nepilogue`,
};
const BROKEN: Readonly<Record<string, string>> = {
  "no boundary": "text",
  "no end": `${head('name="a"')}one`,
  "no name": `${head("filename=x")}one\r\n--xyz--`,
  "a boundary with more": "--xyzw\r\n",
};

async function* cut(bytes: Buffer, size: number) {
  for (let at = 0; at < bytes.length; at += size) yield new Uint8Array(bytes.subarray(at, at + size));
}

async function readCut(text: string, size: number) {
  const read: unknown[] = [];
  for await (const { bytes, ...part } of streamParts(cut(Buffer.from(text), size), BOUNDARY)) {
    read.push({ ...part, text: Buffer.concat(await Array.fromAsync(bytes)).toString() });
  }
  return read;
}

function readWhole(text: string) {
  const bytes = new Uint8Array(Buffer.from(text));
  return [...readParts(bytes, BOUNDARY)].map(({ bytes: content, ...part }) => ({
    ...part,
    text: Buffer.from(content).toString(),
  }));
}

describe.each(Object.entries(FORMS))("%s", (_, form) => {
  test("in every size of pieces", async () => {
    const whole = readWhole(form);
    for (let size = 1; size <= form.length; size++) expect(await readCut(form, size)).toEqual(whole);
  });
});

test.each(Object.entries(BROKEN))("%s is refused in every size of pieces", async (_, form) => {
  for (let size = 1; size <= form.length; size++)
    expect(String(await catchThrown(readCut(form, size)))).toContain("We could not parse the form data");
});

test("a part that nobody reads is passed over", async () => {
  const names: string[] = [];
  for await (const { name } of streamParts(cut(Buffer.from(FORMS.plain ?? ""), 7), BOUNDARY))
    names.push(name);
  expect(names).toEqual(["a", "file"]);
});
