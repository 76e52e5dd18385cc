// A request in a file of requests: its decision is the log's text, without the numbers that only learning uses.
import { expect, test } from "bun:test";
import { makeExportForm } from "../../src/admin/log/export-rows.ts";
import { requestSchema } from "../../src/admin/log/request-schema.ts";
import { requestRow, requestView } from "../../src/admin/log/requests.ts";
import { packRow } from "../../src/selectors/row.ts";
import { makeRecord } from "../harness/samples.ts";

test.each([
  null,
  JSON.stringify({
    selector: "fair",
    why: 'says ","row":"',
    row: packRow(new Float32Array(400).fill(0.5)),
    removed: {},
  }),
  JSON.stringify({ selector: "best", candidates: [] }),
])("is shown as in lists: %p", (decision) => {
  const record = makeRecord("chatcmpl-1", { decision });
  for (const name of ["csv", "jsonl"] as const) {
    const { format } = makeExportForm(name, requestSchema, []);
    expect(format({ ...requestRow(record) })).toBe(format({ ...requestView(record) }));
  }
});
