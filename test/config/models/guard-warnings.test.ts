// Patterns of the guard's rules that match nothing: the check warns of each, and names what is near.
import { expect, test } from "bun:test";
import { warnOfGuardOwners } from "../../../src/cli/start/guard-owners.ts";
import { loadText } from "../../harness/settings.ts";

test("models and providers that nobody serves are named, with what is near", () => {
  const loaded = loadText(`
providers: { OpenAI: { keys: [k] } }
guard:
  rules:
    - { name: a, detect: [email], models: ["OpenAI#gpt-5.4", "OpenAI#gtp-5.4", "Router#*", "mcp:git_*"] }
    - { name: b, detect: [email], providers: ["OpenIA", "!OpenAI", "*"] }
`);
  const warnings = loaded.ok ? loaded.warnings.filter(({ field }) => field.startsWith("guard")) : [];
  expect(warnings.map(({ field, line, message }) => [field, line, message])).toEqual([
    ["guard.rules[0].models[1]", 5, "matches no model here; did you mean OpenAI#gpt-5.4?"],
    ["guard.rules[1].providers[0]", 6, "matches no enabled provider; did you mean OpenAI?"],
  ]);
});

test("a rule that refuses what assigned_secret finds is warned of, and no other", () => {
  const loaded = loadText(`
providers: { OpenAI: { keys: [k] } }
guard:
  rules:
    - { name: a, detect: [assigned_secret], action: mask }
    - { name: b, detect: [secrets], action: refuse }
    - { name: c, detect: [secrets, assigned_secret], action: refuse, models: ["OpenAI#*"] }
`);
  const warnings = loaded.ok ? loaded.warnings.filter(({ field }) => field.startsWith("guard")) : [];
  expect(warnings.map(({ field, line, message }) => [field, line, message])).toEqual([
    ["guard.rules[2].detect", 7, expect.stringContaining("assigned_secret is often wrong in code")],
  ]);
});

test("accounts that the store lacks are named, and none where it isn't asked", async () => {
  const loaded = loadText(
    `guard: { rules: [{ name: a, detect: [email], accounts: [suport, "fin-*", default] }] }`,
  );
  if (!loaded.ok) throw new Error("It doesn't load.");
  const names = new Map([
    ["support", 1],
    ["default", 1],
    ["fin-1", 1],
  ]);
  const warn = (known: typeof names | null) =>
    warnOfGuardOwners(loaded.settings, { accountNames: async () => known }, false);
  expect((await warn(names)).map(({ field, message }) => `${field}: ${message}`)).toEqual([
    "guard.rules[0].accounts[0]: no account in the store matches 'suport'; did you mean support?",
  ]);
  expect(await warn(null)).toEqual([]);
});
