// Exports that fail once their answer has begun.
import { describe, expect, test } from "bun:test";
import { makeExportForm } from "../src/admin/export-rows.ts";
import { closeObject, text } from "../src/admin/schema.ts";
import { Fault } from "../src/core/fault.ts";
import type { LogEvent } from "../src/core/world.ts";
import { streamRows } from "../src/http/row-stream.ts";

const FORM = makeExportForm("jsonl", closeObject({ id: text }), []);
const FAULT = new Fault("store_unavailable", "The store can't be used.", { reason: "disk I/O error" });

async function* failAfter(rows: number) {
  for (let id = 1; id <= rows; id++) yield [{ id: String(id) }];
  throw FAULT;
}

function begin(rows: number) {
  const logged: LogEvent[] = [];
  const log = (event: LogEvent) => void logged.push(event);
  return { logged, body: streamRows(failAfter(rows), FORM, { name: "requests.jsonl", log }) };
}

describe("an export whose store fails", () => {
  test("breaks off, and the log says after how many rows and why", async () => {
    const { logged, body } = begin(2);
    const reader = (await body).getReader();
    const read = async () => new TextDecoder().decode((await reader.read()).value);
    expect([await read(), await read(), await read()]).toEqual(["", '{"id":"1"}\n', '{"id":"2"}\n']);
    await expect(reader.read()).rejects.toBe(FAULT);
    const about = { level: "error", export: "requests.jsonl", rows: 2, cause: "disk I/O error" };
    expect(logged).toEqual([{ event: "export_failed", ...about }] as LogEvent[]);
  });

  test("at its first rows is refused, which is logged elsewhere", async () => {
    const { logged, body } = begin(0);
    await expect(body).rejects.toBe(FAULT);
    expect(logged).toEqual([]);
  });
});
