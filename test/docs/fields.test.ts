// The manual's tables of the fields that an operator can set, generated from the fields' rows.
import { expect, test } from "bun:test";
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { ACCOUNT_FIELDS } from "../../src/core/fields/account.ts";
import { CREDENTIAL_FIELDS } from "../../src/core/fields/credential.ts";
import type { Fields } from "../../src/core/fields/field.ts";
import { KEY_FIELDS } from "../../src/core/fields/key.ts";
import { TOKEN_FIELDS } from "../../src/core/fields/token.ts";
import { PLAIN_THINGS } from "../../src/core/things/plain-things.ts";
import { CHAPTER_NAMES } from "../../src/docs/site/contents.ts";

const FOLDER = join(import.meta.dir, "..", "..", "src", "docs");
const CHAPTERS = CHAPTER_NAMES.filter((name) => name.startsWith("admin-"));

const TABLES: readonly (readonly [entity: string, fields: Fields])[] = [
  ["accounts", ACCOUNT_FIELDS],
  ["keys", KEY_FIELDS],
  ["credentials", CREDENTIAL_FIELDS],
  ["tokens", TOKEN_FIELDS],
  ...PLAIN_THINGS.map(({ plural, fields }) => [plural, fields] as const),
];

function renderTable(fields: Fields): string {
  const rows = Object.entries(fields).map(([name, { manual }]) => `| \`${name}\` | ${manual} |`);
  return ["| field | |", "|---|---|", ...rows].join("\n");
}

test.each(TABLES)("the fields of %s match their rows (UPDATE_DOCS=1 updates them)", (entity, fields) => {
  const section = new RegExp(`(<!-- fields of ${entity}: .* -->\\n)[^]*?(<!-- end of fields -->)`);
  const files = CHAPTERS.map((name) => join(FOLDER, `${name}.md`));
  const [file = "", ...others] = files.filter((one) => section.test(readFileSync(one, "utf8")));
  expect(others).toEqual([]);
  const text = readFileSync(file, "utf8");
  const wanted = text.replace(section, (_, start, end) => `${start}\n${renderTable(fields)}\n\n${end}`);
  if (process.env.UPDATE_DOCS) writeFileSync(file, wanted);
  else expect(text).toBe(wanted);
});
