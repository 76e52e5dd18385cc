// The lines of batches as strangers send them: cut anywhere, too long, too deep, blank, doubled, broken.
import { describe, expect, test } from "bun:test";
import type { ReadLine } from "../../src/jobs/ports.ts";
import { makeAnthropicLines, RequestSplitter } from "../../src/surfaces/anthropic-batches/read.ts";
import { type LineForm, LineReader, splitLines } from "../../src/surfaces/batch-lines.ts";
import { makeOpenaiLines } from "../../src/surfaces/openai-batches/read.ts";
import { mutateBytes } from "../fuzz/mutate.ts";
import { IS_LONG } from "../harness/long.ts";
import { Dice } from "../sim/dice.ts";

const ENDPOINT = "/v1/chat/completions";
const OPENAI = makeOpenaiLines(ENDPOINT, 2000);
const MUTANTS = IS_LONG ? 20_000 : 1000;

function writeLine(customId: string, content = "x"): string {
  const body = { model: "m", messages: [{ role: "user", content }] };
  return JSON.stringify({ custom_id: customId, method: "POST", url: ENDPOINT, body });
}

/** Sends the bytes in pieces of up to so many. */
async function* cut(bytes: Uint8Array, dice: Dice, most: number): AsyncGenerator<Uint8Array> {
  for (let at = 0; at < bytes.length; ) {
    const end = at + dice.int(1, most);
    yield bytes.subarray(at, end);
    at = end;
  }
}

async function read(bytes: Uint8Array, most = 64, form: LineForm = OPENAI): Promise<readonly ReadLine[]> {
  const reader = new LineReader(form);
  const lines: ReadLine[] = [];
  for await (const line of splitLines(cut(bytes, new Dice(7), most), form.bytesMax))
    lines.push(reader.read(line));
  return lines;
}

const codes = (lines: readonly ReadLine[]) =>
  lines.map((line) => ("mistake" in line ? [line.mistake.code, line.mistake.line] : line.place.customId));

describe("lines of a file", () => {
  test("are the same however they are cut, with LF, CRLF or no end, and each place is its body's", async () => {
    const texts = [writeLine("a"), "", writeLine("b", '\u00e9 \ud83d\ude48 "quoted"'), "  "];
    for (const end of ["\n", "\r\n"]) {
      const bytes = Buffer.from(texts.join(end));
      const whole = await read(bytes, bytes.length);
      for (const most of [1, 3, 50]) expect(await read(bytes, most)).toEqual([...whole]);
      const bodies = whole.map((line) =>
        "place" in line ? JSON.parse(bytes.toString("utf8", line.place.from, line.place.to)) : null,
      );
      expect(bodies).toEqual([texts[0], texts[2]].map((text) => JSON.parse(String(text)).body));
    }
  });

  test("that are wrong are named by their number, and the others are read", async () => {
    const deep = `{"custom_id":"d","method":"POST","url":"${ENDPOINT}","body":{"x":${"[".repeat(900)}`;
    const texts = [
      writeLine("a"),
      writeLine("long", "x".repeat(3000)),
      "[]",
      `${deep}${"]".repeat(900)}}}`,
      writeLine("a"),
      '{"custom_id":"e"}',
      writeLine("b"),
    ];
    const lone = Buffer.from([0x22, 0xed, 0xa0, 0x80, 0x22]);
    const bytes = Buffer.concat([Buffer.from(`${texts.join("\n")}\n`), lone]);
    expect(codes(await read(bytes))).toEqual([
      "a",
      ["line_too_large", 2],
      ["invalid_json_line", 3],
      ["invalid_json_line", 4],
      ["duplicate_custom_id", 5],
      ["missing_required_parameter", 6],
      "b",
      ["invalid_json_line", 8],
    ]);
  });

  test("have ids that every store can hold", async () => {
    const texts = [writeLine("a\0b"), writeLine(""), writeLine("x".repeat(65)), writeLine("x".repeat(64))];
    expect(codes(await read(Buffer.from(texts.join("\n"))))).toEqual([
      ["invalid_custom_id", 1],
      ["invalid_custom_id", 2],
      ["invalid_custom_id", 3],
      "x".repeat(64),
    ]);
  });

  test("that say nothing are told apart by the reason", async () => {
    const deep = `${"[".repeat(100_000)}${"]".repeat(100_000)}`;
    const wide = { ...OPENAI, bytesMax: 1_000_000 };
    const texts = [writeLine("a"), `{"x":${deep}}`, `{"x":[${"1,".repeat(100_001)}1]}`, "\0\0\0", "7"];
    const lines = await read(Buffer.from(texts.join("\n")), 65_536, wide);
    expect(lines.map((line) => ("mistake" in line ? line.mistake.message : null))).toEqual([
      null,
      "This line is nested deeper than 64 levels.",
      "This line has more than 100000 elements.",
      "This line is not a JSON object.",
      "This line is not a JSON object.",
    ]);
    const [alone] = await read(Buffer.from([0x22, 0xff, 0x22]));
    expect(alone).toMatchObject({ mistake: { message: "This line is not in UTF-8.", line: 1 } });
  });

  const LINES = `${writeLine("a")}\n${writeLine("b")}\n`;
  const PRETTY = JSON.stringify(JSON.parse(writeLine("a")), null, 2);
  test.each([
    ["in UTF-16", Buffer.from(`\ufeff${LINES}`, "utf16le"), "in UTF-16 or UTF-32. Save it in UTF-8"],
    [
      "in UTF-16 without a mark",
      Buffer.from(LINES, "utf16le").swap16(),
      "in UTF-16 or UTF-32. Save it in UTF-8",
    ],
    ["compressed", Bun.gzipSync(Buffer.from(LINES)), "gzip. Upload it uncompressed"],
    ["an archive", Buffer.from("PK\u0003\u0004\u0014"), "ZIP archive. Upload the file in it"],
    [
      "an array",
      Buffer.from(`[${writeLine("a")},${writeLine("b")}]`),
      "Write each request as an object on a line",
    ],
    ["a pretty array", Buffer.from(`\ufeff[\n${PRETTY}\n]`), "Write each request as an object on a line"],
    ["pretty-printed", Buffer.from(PRETTY), "Write each request on one line"],
    ["ended by CR alone", Buffer.from(LINES.replaceAll("\n", "\r")), "End them in LF, or in CRLF"],
  ])("a file that is %s has one mistake, with what would be right", async (_, bytes, expected) => {
    for (const file of [bytes, Buffer.concat([bytes, Buffer.alloc(5000, "x")])]) {
      const [first] = await read(file, 100);
      expect(first).toEqual({
        mistake: {
          code: "invalid_json_line",
          message: expect.stringContaining(expected),
          param: "input_file_id",
          line: null,
        },
      });
    }
  });

  test("that are blank are skipped, a million of them too", async () => {
    const bytes = Buffer.concat([Buffer.alloc(1_000_000, "\n"), Buffer.from(writeLine("a"))]);
    expect(codes(await read(bytes, 65_536))).toEqual(["a"]);
  });

  test("that are damaged are read or named, and never thrown", async () => {
    const dice = new Dice(11);
    const line = Buffer.from(writeLine("a", "some text"));
    for (let at = 0; at < MUTANTS; at++) {
      const bytes = mutateBytes(dice, line, dice.int(1, 4));
      const whole = await read(bytes, bytes.length + 1);
      expect(await read(bytes, 5)).toEqual([...whole]);
    }
  });
});

describe("a list of requests", () => {
  const split = async (bytes: Uint8Array, most: number) => {
    const splitter = new RequestSplitter();
    const parts: Uint8Array[] = [];
    for await (const part of cut(bytes, new Dice(5), most)) parts.push(splitter.push(part).slice());
    splitter.end();
    return Buffer.concat(parts).toString("utf8");
  };

  test("is split into its elements, however it is cut and whatever stands around them", async () => {
    const requests = ["a", "b", "c"].map((id) => ({
      custom_id: id,
      params: { text: `},{ "]\\ ${id} \u00e9\n`, list: [[1], { a: [] }] },
    }));
    const body = { before: { requests: [1, { x: "]" }] }, requests, after: [null, "requests"] };
    for (const text of [JSON.stringify(body), JSON.stringify(body, null, 2)]) {
      const bytes = Buffer.from(text);
      for (const most of [1, 4, 100, bytes.length]) {
        const lines = (await split(bytes, most)).trimEnd().split("\n");
        expect(lines.map((line) => JSON.parse(line))).toEqual(requests);
      }
    }
  });

  test("that is damaged is split the same way however it is cut, or refused", async () => {
    const dice = new Dice(13);
    const body = Buffer.from(
      JSON.stringify({
        requests: [
          { custom_id: "a", params: { x: ["y\\", {}] } },
          { custom_id: "b", params: {} },
        ],
      }),
    );
    const outcome = (bytes: Uint8Array, most: number) =>
      split(bytes, most).catch((error) => String(error.code));
    for (let at = 0; at < MUTANTS; at++) {
      const bytes = mutateBytes(dice, body, dice.int(1, 4));
      const whole = await outcome(bytes, bytes.length + 1);
      expect(await outcome(bytes, 3)).toBe(whole);
      if (["invalid_json", "missing_required_parameter"].includes(whole)) continue;
      // No line is longer than the body, and none is blank.
      expect(whole.length).toBeLessThanOrEqual(bytes.length);
    }
  });

  test("has ids of its own form", async () => {
    const lines = ["a b", "a", "a"].map((id) => JSON.stringify({ custom_id: id, params: {} })).join("\n");
    const form = makeAnthropicLines(2000);
    expect(codes(await read(Buffer.from(lines), 10, form))).toEqual([
      ["invalid_custom_id", 1],
      "a",
      ["duplicate_custom_id", 3],
    ]);
  });
});
