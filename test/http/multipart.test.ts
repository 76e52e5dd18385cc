// Reading and writing forms: compared with the runtime's own reader and writer, and with every kind of damage.
import { describe, expect, test } from "bun:test";
import { Attachment, type FormEntry } from "../../src/core/models/attachment.ts";
import { readParts } from "../../src/http/body/multipart.ts";
import { streamForm, writeForm } from "../../src/transport/multipart.ts";

const BYTES = new Uint8Array([13, 10, 45, 45, 0, 255, 13, 10]);

async function writeByRuntime(form: FormData): Promise<{ boundary: string; bytes: Uint8Array<ArrayBuffer> }> {
  const response = new Response(form);
  const boundary = /boundary=(.+)$/.exec(response.headers.get("content-type") ?? "")?.[1] ?? "";
  return { boundary: boundary.replaceAll('"', ""), bytes: await response.bytes() };
}

function read(bytes: Uint8Array<ArrayBuffer>, boundary: string) {
  return [...readParts(bytes, boundary)];
}

function toBytes(text: string): Uint8Array<ArrayBuffer> {
  return new TextEncoder().encode(text);
}

describe("reading", () => {
  test("forms written by the runtime, including quoted names and other scripts", async () => {
    const form = new FormData();
    form.append("prompt", "grün\r\n--");
    form.append('a"b', "");
    form.append("file", new File([BYTES], 'Größe "1".wav', { type: "audio/wav" }));
    const { boundary, bytes } = await writeByRuntime(form);
    const parts = read(bytes, boundary);
    expect(parts.map(({ name, filename }) => [name, filename])).toEqual([
      ["prompt", null],
      ['a"b', null],
      ["file", 'Größe "1".wav'],
    ]);
    expect(new TextDecoder().decode(parts[0]?.bytes)).toBe("grün\r\n--");
    expect(parts[1]?.bytes.length).toBe(0);
    expect(parts[2]).toMatchObject({ type: "audio/wav", bytes: BYTES });
    expect(parts[2]?.bytes.buffer).toBe(bytes.buffer);
  });

  test("other clients' forms: a preamble, unquoted names, a name by RFC 8187", () => {
    const text =
      "preamble\r\n--b\r\nContent-Disposition: form-data; name=model\r\n\r\nwhisper\r\n" +
      "--b\r\nCONTENT-TYPE: audio/mpeg\r\ncontent-disposition: form-data; name=\"file\"; filename*=UTF-8''a%C3%A4.mp3\r\n\r\nxyz\r\n--b--\r\nepilogue";
    expect(read(toBytes(text), "b").map(({ name, filename, type }) => [name, filename, type])).toEqual([
      ["model", null, ""],
      ["file", "aä.mp3", "audio/mpeg"],
    ]);
  });

  const DAMAGED: readonly (readonly [string, string])[] = [
    ["no boundary at all", "abc"],
    ["a boundary within a line", 'x--b\r\ncontent-disposition: form-data; name="a"\r\n\r\n1\r\n--b--'],
    ["more on the boundary's line", '--bx\r\ncontent-disposition: form-data; name="a"\r\n\r\n1\r\n--b--'],
    ["no headers", "--b\r\n\r\n1\r\n--b--"],
    [
      "headers without end",
      `--b\r\ncontent-disposition: form-data; name="a"; x=${"y".repeat(5000)}\r\n\r\n1\r\n--b--`,
    ],
    ["a part without a name", "--b\r\ncontent-disposition: form-data\r\n\r\n1\r\n--b--"],
    ["another disposition", '--b\r\ncontent-disposition: attachment; name="a"\r\n\r\n1\r\n--b--'],
    ["an end within a part", '--b\r\ncontent-disposition: form-data; name="a"\r\n\r\n1'],
    [
      "a file's name that isn't UTF-8",
      "--b\r\ncontent-disposition: form-data; name=a; filename*=utf-8''%ff\r\n\r\n1\r\n--b--",
    ],
  ];
  for (const [name, text] of DAMAGED) {
    test(`${name} is refused`, () => {
      expect(() => read(toBytes(text), "b")).toThrow();
    });
  }

  test("any truncated form is refused", async () => {
    const form = new FormData();
    form.append("model", "whisper");
    form.append("file", new File([BYTES], "a.wav"));
    const { boundary, bytes } = await writeByRuntime(form);
    const whole = JSON.stringify(read(bytes, boundary));
    for (let end = 0; end < bytes.length; end++) {
      let cut: string | null = null;
      try {
        cut = JSON.stringify(read(bytes.slice(0, end), boundary));
      } catch {
        // Refused.
      }
      if (cut !== null) expect(cut).toBe(whole);
    }
  });
});

test("forms written here can be read by the runtime, and have the declared length", async () => {
  const large = new Uint8Array(600_000).fill(7);
  const entries: readonly FormEntry[] = [
    ["model", "whisper"],
    ["include[]", "grün"],
    ['a"b\r\n', ""],
    ["file", new Attachment("Größe.wav", "audio/wav", large)],
    ["image", new Attachment("b", "", BYTES)],
  ];
  const written = writeForm(entries);
  const bytes = await new Response(streamForm(written)).bytes();
  expect(bytes.length).toBe(written.length);
  const form = await new Response(bytes, { headers: { "content-type": written.type } }).formData();
  const [model, include, odd, file, image] = [...form.values()];
  expect([...form.keys()].slice(0, 2)).toEqual(["model", "include[]"]);
  expect([model, include, odd]).toEqual(["whisper", "grün", ""]);
  expect(file).toMatchObject({ name: "Größe.wav", size: large.length });
  expect(image).toMatchObject({ size: BYTES.length });
});
