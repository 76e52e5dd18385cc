// The section `hooks` of the configuration.
import { expect, test } from "bun:test";
import { loadText } from "../harness/settings.ts";

function load(...rows: readonly string[]) {
  const text = [
    "providers: { OpenAI: { keys: [sk-1] } }",
    "hooks:",
    ...rows.map((row) => `  - { ${row} }`),
  ].join("\n");
  return loadText(text);
}

const findErrors = (...rows: readonly string[]) => {
  const loaded = load(...rows);
  return loaded.ok ? [] : loaded.errors.map(({ field, message }) => `${field}: ${message}`);
};

test("a hook has its defaults, and its version changes with any of its fields", () => {
  const loaded = load("name: one, url: http://guard/", "name: two, model: OpenAI#omni-moderation-latest");
  const [one, two] = loaded.ok ? loaded.settings.hooks : [];
  expect(one).toMatchObject({
    target: { kind: "server", url: "http://guard", secret: null },
    at: ["request"],
    keys: ["*"],
    accounts: ["*"],
    models: ["*"],
    timeoutMs: 2000,
    passesOnFailure: false,
    masks: true,
    refusesAttachments: false,
    sendsMessages: false,
  });
  expect(two).toMatchObject({ masks: false, target: { kind: "moderation", threshold: null } });
  const changed = load("name: one, url: http://guard/, secret: s");
  expect(changed.ok && changed.settings.hooks[0]?.version).not.toBe(one?.version);
});

test("a hook may ask models that the file makes, names, changes or lets pass", () => {
  const moderating = "operations: [moderation]";
  const found = loadText(`
providers:
  OpenAI: { keys: [sk-1], unlisted_models: true }
  Local: { base_url: "http://127.0.0.1:1", dialect: openai, models: [{ name: own, ${moderating} }, { name: other }] }
models: { "Local#other": { ${moderating} } }
aliases: { "House#judge": "OpenAI#omni-moderation-latest" }
hooks:
  - { name: own, model: Local#own }
  - { name: changed, model: local#other }
  - { name: alias, model: House#judge }
  - { name: unlisted, model: OpenAI#newer-than-the-catalogue }
`);
  expect(found.ok ? found.settings.hooks.length : found.errors).toBe(4);
});

test.each([
  ["name: one", "hooks[0]: needs a url of a server, or a moderation model"],
  [
    "name: one, url: http://guard, model: OpenAI#m",
    "hooks[0].model: asks a model, but url asks a server: set one of them",
  ],
  ["name: one, url: http://guard, threshold: 0.5", "hooks[0].threshold: is for a hook with a model"],
  [
    "name: one, model: OpenAI#m, secret: s",
    "hooks[0].secret: is for a hook with a url; a model has its provider's",
  ],
  ["name: one, model: OpenAI#m, send: messages", "hooks[0].send: must be texts for a hook with a model"],
  [
    "name: one, model: OpenAI#m, masks: true",
    "hooks[0].masks: must be false for a hook with a model, which changes nothing",
  ],
  ["name: a b, url: http://guard", "hooks[0].name: "],
  ["name: one, url: http://guard, timeout: 6s", "hooks[0].timeout: "],
  ["name: one, url: http://user:pass@guard", "hooks[0].url: "],
  ["name: one, url: http://guard, at: [requests]", "hooks[0].at[0]: "],
])("%s is refused", (row, message) => {
  expect(findErrors(row).join("\n")).toContain(message);
});

test("names of keys are no secrets", () => {
  const loaded = load("name: one, url: http://guard, keys: [a-rather-long-name-of-a-key]");
  expect(loaded.ok && loaded.warnings.filter(({ field }) => field.startsWith("hooks"))).toEqual([]);
});

test("two hooks can't have one name", () => {
  expect(findErrors("name: one, url: http://a", "name: one, url: http://b")).toEqual([
    "hooks[1].name: another hook has this name",
  ]);
});
