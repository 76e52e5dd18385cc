// The manual's configuration fields against the schema: each is described, and its default is the effect of omission.

import { expect, test } from "bun:test";
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { FIELDS, findNote, visitFields } from "../../src/config/fields.ts";
import { configJsonSchema } from "../../src/config/published-schema.ts";
import { ConfigSchema } from "../../src/config/schema.ts";
import { asObject } from "../../src/core/json/json.ts";
import type { Settings } from "../../src/core/settings.ts";
import { CHAPTER_NAMES } from "../../src/docs/site/contents.ts";
import { readSettings } from "../harness/settings.ts";
import { configurationTables } from "./configuration-table.ts";

const FOLDER = join(import.meta.dir, "..", "..", "src", "docs");
const TABLES = configurationTables();
/** The chapters of the file's sections: each names its own, in its order. */
const CHAPTERS = CHAPTER_NAMES.filter((name) => name.startsWith("configuration-"));
const SECTIONS = /(<!-- fields of ([\w., ]+): .* -->\n)[\s\S]*(<!-- end of fields -->)/;

test.each(CHAPTERS)("the fields of %s match the schema (UPDATE_DOCS=1 updates them)", (name) => {
  const file = join(FOLDER, `${name}.md`);
  const text = readFileSync(file, "utf8");
  const wanted = text.replace(SECTIONS, (_, start, names: string, end) => {
    const tables = names.split(", ").map((section) => TABLES.get(section));
    return `${start}\n${tables.join("\n\n")}\n\n${end}`;
  });
  if (process.env.UPDATE_DOCS) writeFileSync(file, wanted);
  else expect(text).toBe(wanted);
});

test("each section of the file is in one chapter, and the configuration's first chapter links it", () => {
  const chapters = CHAPTERS.map((name) => readFileSync(join(FOLDER, `${name}.md`), "utf8"));
  const sections = chapters.flatMap((text) => SECTIONS.exec(text)?.[2]?.split(", ") ?? []);
  expect(sections.toSorted()).toEqual([...TABLES.keys()].toSorted());
  const first = readFileSync(join(FOLDER, "configuration.md"), "utf8");
  const linked = [...first.matchAll(/\[`([\w.]+)`\]\((configuration-[\w-]+)\.md#\w+\)/g)];
  expect(linked.map(([, section]) => section)).toEqual(sections);
});

test("schema fields and notes match", () => {
  const paths = new Set<string>();
  visitFields(ConfigSchema, (path) => paths.add(path));
  expect([...paths].filter((path) => findNote(path) === undefined)).toEqual([]);
  expect(Object.keys(FIELDS).filter((path) => !paths.has(path))).toEqual([]);
});

test("a note is at least one sentence, optionally with a default", () => {
  const malformed = Object.entries(FIELDS).filter(
    ([, { meaning, default: _default, ...rest }]) =>
      typeof meaning !== "string" || !/[.)]$/.test(meaning) || Object.keys(rest).length > 0,
  );
  expect(malformed).toEqual([]);
});

/** The settings of a file with these sections, written as JSON, which is YAML. */
/** Leaves out where they are written. */
function settingsOf(config: object): Settings {
  const { origin: _, ...settings } = readSettings(JSON.stringify(config));
  return settings;
}

/** Sections that may be missing and have fields that may not: lists, names, the provider that people sign in with, and cards. */
const OPTIONAL = /\[\]|<|^(sign_in|topups|unlisted_models|reports_cost|catalogue\.watch)\./;

/** Writes the default of each noted field below `from` into an object, in its place. */
function defaultsBelow(from: string): object {
  const root: Record<string, unknown> = {};
  for (const [path, { default: given }] of Object.entries(FIELDS)) {
    if (given === undefined || !path.startsWith(from) || OPTIONAL.test(path.slice(from.length))) continue;
    const names = path.slice(from.length).split(".");
    const last = names.pop() ?? "";
    let at = root;
    for (const name of names) {
      const inner: Record<string, unknown> = { ...asObject(at[name]) };
      at[name] = inner;
      at = inner;
    }
    at[last] = given;
  }
  return root;
}

test("a file with every default spelled out means the same as an empty one", () => {
  expect(settingsOf(defaultsBelow(""))).toEqual(settingsOf({}));
});

test("as does a provider", () => {
  const key = { keys: ["k"] };
  const spelled = { ...defaultsBelow("providers.<name>."), ...key };
  expect(settingsOf({ providers: { OpenAI: spelled } })).toEqual(settingsOf({ providers: { OpenAI: key } }));
});

test("as does signing in", () => {
  const server = { public_url: "https://gateway.example.com" };
  const needed = { issuer: "https://login.example.com", client_id: "id", client_secret: "a-secret" };
  const file = (oidc: object, rule: object) =>
    settingsOf({
      server,
      sign_in: { oidc: { ...oidc, ...needed, rules: [{ group: "a", role: "admin", ...rule }] } },
    });
  const spelled = file(defaultsBelow("sign_in.oidc."), defaultsBelow("sign_in.oidc.rules[]."));
  expect(spelled).toEqual(file({}, {}));
  expect(spelled.signIn?.members).toEqual({
    createsAccount: false,
    keysMax: 10,
    keysPerHour: 60,
    recheckMs: 3_600_000,
    keysExpireMs: 30 * 86_400_000,
    doubtMs: 86_400_000,
  });
});

test("as do cards", () => {
  const needed = { secret_key: "sk_test_a", webhook_secret: "whsec_abcd" };
  const file = (stripe: object) =>
    settingsOf({
      server: { public_url: "https://gateway.example.com" },
      topups: { stripe: { ...stripe, ...needed } },
    });
  const spelled = file(defaultsBelow("topups.stripe."));
  expect(spelled).toEqual(file({}));
  expect(spelled.stripe?.amountsUsd).toEqual([10, 25, 100]);
});

test("and a weight, a rule and an enabled model", () => {
  const file = (key: object, rule: object, model: object) =>
    settingsOf({
      providers: { OpenAI: { keys: [{ key: "k", ...key }] } },
      router: { rules: [{ category: "coding", models: ["OpenAI#gpt-5.4"], ...rule }] },
      models: { "OpenAI#gpt-5.4": { context: 1000, output: 100, ...model } },
    });
  const spelled = ["providers.<name>.keys[].", "router.rules[].", "models.<name>."].map(defaultsBelow);
  const [key = {}, rule = {}, model = {}] = spelled;
  expect(Object.keys(key).concat(Object.keys(rule), Object.keys(model))).toEqual([
    "weight",
    "price_factor",
    "at_least",
    "disabled",
  ]);
  expect(file(key, rule, model)).toEqual(file({}, {}, {}));
});

test("the published schema contains the notes, for editors", () => {
  const { properties } = asObject(configJsonSchema());
  const { throttle } = asObject(asObject(asObject(properties).quota).properties);
  expect(throttle).toMatchObject({ default: "10m", description: FIELDS["quota.throttle"]?.meaning });
});
