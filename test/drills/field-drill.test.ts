// Adding a field to keys takes its row and a step of the schema: a made-up field appears in every room without more.
import { expect, test } from "bun:test";
import {
  makeChangeSchema,
  makeNewSchema,
  makeStateSchema,
  readChange,
  readNew,
  readState,
  viewChosen,
  viewFields,
} from "../../src/admin/fields.ts";
import { readInput } from "../../src/admin/input.ts";
import { parseArguments } from "../../src/cli/arguments.ts";
import { describeFlags, listFlags, readFlags } from "../../src/cli/field-flags.ts";
import { makeBody, makeDraft, renderControls } from "../../src/console/parts/field-form.tsx";
import type { Fields } from "../../src/core/fields/field.ts";
import { KEY_FIELDS } from "../../src/core/fields/key.ts";
import { renderStep as renderPostgres } from "../../src/store/postgres/render-step.ts";
import { makeColumns } from "../../src/store/schema/field-columns.ts";
import { renderStep as renderSqlite } from "../../src/store/sqlite/render-step.ts";
import { expectNone, readSources } from "../tidy/sources.ts";

const NOW = Date.UTC(2026, 10, 20);

const fields = {
  ...KEY_FIELDS,
  team: {
    kind: "text",
    property: "team",
    initial: null,
    charactersMax: 64,
    manual: "the team that uses the key, up to 64 characters; or null",
    flag: { name: "team", value: "NAME", help: "the team that uses it" },
    control: { label: "Team", placeholder: "search" },
  },
} as const satisfies Fields;

const key = { ...readNew(fields, { name: "app" }, { nowMs: NOW }), team: "search" };

test("the admin routes take a new field, check it and show it", () => {
  const schema = makeNewSchema(fields);
  const given = readInput(schema, { name: "app", team: " search " });
  expect(readNew(fields, given, { nowMs: NOW }).team).toBe("search");
  expect(readNew(fields, { name: "app" }, { nowMs: NOW }).team).toBeNull();
  expect(readChange(fields, { team: null }, { nowMs: NOW }).team).toBeNull();
  expect(readChange(fields, {}, { nowMs: NOW }).team).toBeUndefined();
  expect(viewFields(fields, key).team).toBe("search");
  const long = { team: "x".repeat(65) };
  expect(() => readInput(makeChangeSchema(fields), long)).toThrow("string too long");
  expect(() => readChange(fields, { team: "two\nlines" }, { nowMs: NOW })).toThrow("control characters");
});

test("the store gets a column for it, which rows from before leave empty", () => {
  const step = [{ kind: "addField", table: "gateway_key", field: fields.team }] as const;
  expect(renderSqlite(step)).toBe("ALTER TABLE gateway_key ADD COLUMN team TEXT;");
  expect(renderPostgres(step)).toEqual([
    'ALTER TABLE gateway_key ADD COLUMN IF NOT EXISTS team TEXT COLLATE "C"',
  ]);
  const { team } = makeColumns(fields);
  expect(team.read({ team: team.write("search") }, "team")).toBe("search");
  expect(team.read({ team: null }, "team")).toBeNull();
  const flag = [{ kind: "addField", table: "gateway_key", field: fields.keep_responses }] as const;
  expect(renderSqlite(flag)).toContain("keep_responses INTEGER NOT NULL DEFAULT 1");
});

test("the command line has its flag, with a line of help", () => {
  expect(describeFlags(fields)).toContain("\n  --team NAME               the team that uses it");
  const { values } = parseArguments(["--name", "app", "--team", "search"], listFlags(fields), 0);
  expect(readFlags(fields, { values })).toEqual({ name: "app", team: "search" });
});

test("a state file takes it, compares it and is exported with it", () => {
  const schema = makeStateSchema(fields);
  expect(readInput(schema, { name: "app", team: "search" })).toMatchObject({ team: "search" });
  expect(() => readInput(schema, { name: "app", teem: "search" })).toThrow("teem");
  expect(readState(fields, { name: "app", team: "ads" }, key, { nowMs: NOW })).toMatchObject({ team: "ads" });
  expect(readState(fields, { name: "app" }, key, { nowMs: NOW })).toMatchObject({ team: null });
  expect(viewChosen(fields, key)).toEqual({ name: "app", team: "search" });
  expect(viewChosen(fields, { ...key, team: null })).toEqual({ name: "app" });
});

test("the console's form has its control, filled in from what is edited", () => {
  expect(makeDraft(fields).team).toBe("");
  const draft = makeDraft(fields, viewFields(fields, key));
  expect(draft.team).toBe("search");
  const edited = viewFields(fields, key);
  expect(makeBody(fields, { ...draft, team: "ads" }, draft, edited)).toEqual({ team: "ads" });
  const form = { field: (name: string) => ({ value: draft[name] ?? "", onInput: () => {}, error: null }) };
  expect(JSON.stringify(renderControls(fields, form))).toContain('"placeholder":"search"');
});

/** A field's row, its step of the schema, and the steps from before both engines shared them. */
const PLACES =
  /^src\/(core\/fields\/\w+|store\/(schema\/steps|sqlite\/(first-schema|migrations)|postgres\/schema))\.ts$/;
/**
 * Tokens have a contact as well, and so does the gateway. Keys are found by theirs when a person leaves, and lose it and
 * their notes when one is anonymised.
 */
const OTHER_CONTACTS =
  /^src\/(admin\/(people\/(anonymising|named-tokens|token-makers)|audit\/audit-trail)|console\/people\/(tokens|stays)|store\/(people\/(people|erasing)|schema\/people-step|engine\/narrowing)|core\/(events\/events|people\/people|settings|store))\.tsx?: contact$/;
/** The list of keys shows why an import has paused one, which stands in its notes. */
const OTHER_NOTES = /^src\/(admin\/people\/anonymising\.ts|console\/keys\/keys\.tsx): notes$/;
const RENDERING = ["core", "admin", "cli", "store", "console", "http"];

test("a key's field that the code doesn't decide with is named in its row and its step of the schema", () => {
  const sources = readSources("src").filter(
    ({ path, room }) => RENDERING.includes(room) && !PLACES.test(path),
  );
  const plain = Object.entries(KEY_FIELDS).filter(([, { kind }]) => kind === "text");
  expect(plain).not.toEqual([]);
  expectNone(
    plain.flatMap(([name, { property }]) => {
      const names = new RegExp(`\\b(${name}|${property})\\b`);
      const isNaming = (line: string) => names.test(line) && !/^\s*(\*|\/\/|\/\*)/.test(line);
      return sources
        .filter(({ lines }) => lines.some(isNaming))
        .map(({ path }) => `${path}: ${name}`)
        .filter((named) => !OTHER_CONTACTS.test(named) && !OTHER_NOTES.test(named));
    }),
  );
});
