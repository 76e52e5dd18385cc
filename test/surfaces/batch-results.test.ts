// The lines of results: every reader finds as many of them as there are, whatever clients and models have written.
import { describe, expect, test } from "bun:test";
import { createInterface } from "node:readline";
import { Readable } from "node:stream";
import { BATCH_FORMS } from "../../src/core/batches/batch.ts";
import { writeJsonLine } from "../../src/core/json/json-line.ts";
import { RESULT_FORMS } from "../../src/surfaces/batch-results.ts";

/** All characters at which somebody ends a line. */
const ENDS = "\u000a\u000b\u000c\u000d\u001c\u001d\u001e\u0085\u2028\u2029";
/** As `str.splitlines` of Python does, which the `iter_lines` of httpx and openai-python use. */
function splitByPython(text: string): readonly string[] {
  let lines = [text.replace(/\n$/, "")];
  for (const end of ENDS) lines = lines.flatMap((line) => line.split(end));
  return lines;
}

async function splitByNode(text: string): Promise<readonly string[]> {
  // In chunks, since it looks at each for ends of lines.
  return Array.fromAsync(createInterface({ input: Readable.from([text]), crlfDelay: Infinity }));
}

describe.each(BATCH_FORMS)("results of %s", (form) => {
  const { writeAnswer, writeUnanswered } = RESULT_FORMS[form];
  const customId = `a${ENDS}b`;
  const named = { batchId: "batch_1", line: 1, customId };
  const content = `one${ENDS}two`;
  const answer = { ...named, requestId: "req_1", status: 200, body: JSON.stringify({ content }, null, 2) };
  const failed = { ...answer, status: 400, body: JSON.stringify({ error: { message: content } }) };
  const text = [
    writeAnswer(answer),
    writeAnswer(failed),
    writeUnanswered({ ...named, end: "cancelled" }),
    writeUnanswered({ ...named, end: "unpaid" }),
  ].join("");

  test("are as many lines for Python and Node as there are results, with the same JSON", async () => {
    for (const lines of [splitByPython(text), await splitByNode(text)]) {
      expect(lines.length).toBe(4);
      const read = lines.map((line) => JSON.parse(line));
      expect(read.map((line) => line.custom_id)).toEqual(Array(4).fill(customId));
      expect(JSON.stringify(read[0])).toContain(JSON.stringify(content));
    }
  });
});

test("a line means what its JSON does", () => {
  const value = { text: `${ENDS} "quoted" \\ \u{1f648}`, list: [1, null] };
  const line = writeJsonLine(JSON.stringify(value, null, "\t").replaceAll("\n", "\r\n"));
  expect(splitByPython(line).length).toBe(1);
  expect(JSON.parse(line)).toEqual(value);
});
