// Exports that fail once their answer has begun, and what they leave behind.
import { describe, expect, test } from "bun:test";
import { makeExportForm } from "../../src/admin/log/export-rows.ts";
import { closeObject, text } from "../../src/admin/schema.ts";
import { Fault } from "../../src/core/faults/fault.ts";
import type { LogEvent } from "../../src/core/world/world.ts";
import { streamRows } from "../../src/http/log/row-stream.ts";

const FORM = makeExportForm("jsonl", closeObject({ id: text }), []);
const FAULT = new Fault("store_unavailable", "The store can't be used.", { reason: "disk I/O error" });

const LINES = '{"id":"1"}\n{"id":"2"}\n';

/** Rows up to a number, and the fault once they have been read. */
async function* failAfter(rows: number, areRead: Promise<void>) {
  for (let id = 1; id <= rows; id++) yield [{ id: String(id) }];
  if (rows > 0) await areRead;
  throw FAULT;
}

function begin(rows: number) {
  const logged: LogEvent[] = [];
  const log = (event: LogEvent) => void logged.push(event);
  const { promise: areRead, resolve: whenRead } = Promise.withResolvers<void>();
  const body = streamRows(failAfter(rows, areRead), FORM, { name: "requests.jsonl", log });
  return { logged, body, whenRead };
}

describe("an export whose store fails", () => {
  test("breaks off, and the log says after how many rows and why", async () => {
    const { logged, body, whenRead } = begin(2);
    const sent = await body;
    using server = Bun.serve({ hostname: "127.0.0.1", port: 0, fetch: () => new Response(sent) });
    const pieces = (await fetch(server.url)).body?.getReader();
    const read = async () => new TextDecoder().decode((await pieces?.read())?.value);
    let text = "";
    while (text.length < LINES.length) text += await read();
    expect(text).toBe(LINES);
    whenRead();
    await expect(read()).rejects.toThrow("closed");
    const about = { level: "error", export: "requests.jsonl", rows: 2, cause: "disk I/O error" };
    expect(logged).toEqual([{ event: "export_failed", ...about }] as LogEvent[]);
  });

  test("at its first rows is refused, which is logged elsewhere", async () => {
    const { logged, body } = begin(0);
    await expect(body).rejects.toBe(FAULT);
    expect(logged).toEqual([]);
  });
});

describe("a long export", () => {
  const ROWS = 5000;

  test("leaves no rows in memory that have been sent", async () => {
    const made: WeakRef<object>[] = [];
    async function* makeRows() {
      for (let id = 0; id < ROWS; id++) {
        const row = { id: String(id) };
        made.push(new WeakRef(row));
        yield [row];
        if (id % 100 === 0) await Bun.sleep(0);
      }
    }
    const body = await streamRows(makeRows(), FORM, { name: "requests.jsonl", log: () => {} });
    using server = Bun.serve({ hostname: "127.0.0.1", port: 0, fetch: () => new Response(body) });
    const text = await (await fetch(server.url)).text();
    expect(text.split("\n")).toHaveLength(ROWS + 1);
    const kept = made.filter((row) => row.deref() !== undefined).length;
    expect(kept).toBeLessThan(ROWS / 2);
  });
});
