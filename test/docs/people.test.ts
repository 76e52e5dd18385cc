// The manual's tables of permissions and of the fields' roles, generated from their rows.
import { expect, test } from "bun:test";
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { Field } from "../../src/core/fields/field.ts";
import { KEY_FIELDS } from "../../src/core/fields/key.ts";
import { ROLES } from "../../src/core/people/people.ts";
import { PERMISSIONS } from "../../src/core/people/permissions.ts";

const FILE = join(import.meta.dir, "..", "..", "src", "docs", "people.md");

interface Row {
  readonly roles: readonly string[];
  readonly isGlobal?: boolean;
  readonly isWholeForMembers?: boolean;
  readonly words: string;
}

/** Permissions whose rows belong to keys: members have them for their own. */
const OF_KEYS = /^(keys|requests|usage)\./;

function renderPermissions(): string {
  const rows = Object.entries<Row>(PERMISSIONS).map(([name, { roles, isGlobal = false, words }]) => {
    const cells = ROLES.map((role) => {
      if (!roles.includes(role)) return "";
      return role === "member" && OF_KEYS.test(name) ? "own" : "yes";
    });
    return `| \`${name}\` | ${words}${isGlobal ? " (all)" : ""} | ${cells.join(" | ")} |`;
  });
  const head = `| permission | to | ${ROLES.join(" | ")} |`;
  return [head, `|${"---|".repeat(ROLES.length + 2)}`, ...rows].join("\n");
}

function renderRoles(): string {
  const rows = Object.entries<Field>(KEY_FIELDS).map(([name, { role }]) => `| \`${name}\` | \`${role}\` |`);
  return ["| field | lowest role |", "|---|---|", ...rows].join("\n");
}

test.each([
  ["permissions", renderPermissions],
  ["roles", renderRoles],
] as const)("the chapter's %s match their rows (UPDATE_DOCS=1 updates them)", (name, render) => {
  const text = readFileSync(FILE, "utf8");
  const section = new RegExp(`(<!-- ${name}(?: of keys)?: .* -->\\n)[^]*?(<!-- end of ${name} -->)`);
  expect(text).toMatch(section);
  const wanted = text.replace(section, (_, start, end) => `${start}\n${render()}\n\n${end}`);
  if (process.env.UPDATE_DOCS) writeFileSync(FILE, wanted);
  else expect(text).toBe(wanted);
});
