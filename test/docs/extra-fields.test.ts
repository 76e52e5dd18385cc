// The manual's table of extra fields against the providers' rows.
import { expect, test } from "bun:test";
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { EXTRA_FIELDS } from "../../src/providers/extra-fields.ts";
import { PROVIDERS } from "../../src/providers/index.ts";

const FILE = join(import.meta.dir, "..", "..", "src", "docs", "models.md");
const HEAD = "| provider | operation | fields |\n|---|---|---|\n";

function writeTable(): string {
  const rows = Object.entries(EXTRA_FIELDS).flatMap(([key, operations]) => {
    const name = PROVIDERS.find((row) => row.name.toLowerCase() === key)?.name ?? "`openai`";
    return Object.entries<readonly string[]>(operations).map(
      ([operation, fields]) =>
        `| ${name} | ${operation} | ${fields.map((field) => `\`${field}\``).join(", ")} |\n`,
    );
  });
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
  for (const operations of Object.values(EXTRA_FIELDS))
    for (const fields of Object.values(operations)) expect(fields).toHaveLength(new Set(fields).size);
});
