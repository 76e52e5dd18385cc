// The manual's table of extra fields against the providers' rows.
import { expect, test } from "bun:test";
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { COMPATIBLE_FIELDS } from "../../src/providers/compatible.ts";
import { PROVIDERS } from "../../src/providers/index.ts";
import type { ExtraFields } from "../../src/providers/provider.ts";

const FILE = join(import.meta.dir, "..", "..", "src", "docs", "extra-fields.md");
const HEAD = "| provider | operation | fields |\n|---|---|---|\n";

/** A server of the dialect `openai` first, then the providers with fields of their own. */
const LISTED: readonly (readonly [name: string, fields: ExtraFields])[] = [
  ["`openai`", COMPATIBLE_FIELDS],
  ...PROVIDERS.flatMap(({ name, extraFields = {} }) => [[name, extraFields] as const]),
];

function writeTable(): string {
  const rows = LISTED.flatMap(([name, operations]) =>
    Object.entries({ ...operations }).map(
      ([operation, fields]) =>
        `| ${name} | ${operation} | ${fields.map((field) => `\`${field}\``).join(", ")} |\n`,
    ),
  );
  return HEAD + rows.join("");
}

test("the table lists the fields of every provider (UPDATE_DOCS=1 updates it)", () => {
  const text = readFileSync(FILE, "utf8");
  const start = text.indexOf(HEAD);
  const wanted = text.slice(0, start) + writeTable() + text.slice(text.indexOf("\n\n", start) + 1);
  expect(start).toBeGreaterThan(0);
  if (process.env.UPDATE_DOCS) writeFileSync(FILE, wanted);
  else expect(text).toBe(wanted);
});

test("no field is listed twice for an operation", () => {
  for (const [, operations] of LISTED)
    for (const fields of Object.values({ ...operations })) expect(fields).toHaveLength(new Set(fields).size);
});
