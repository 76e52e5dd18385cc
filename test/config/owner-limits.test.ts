// `key_defaults`, and whom refusals name: what a key has that says nothing itself.
import { expect, test } from "bun:test";
import { loadText, requireSettings } from "../harness/settings.ts";

const errorsOf = (text: string) => {
  const loaded = loadText(text, { known: [] });
  return loaded.ok ? [] : loaded.errors.map(({ field, message }) => `${field}: ${message}`);
};

const UNLIMITED = { requestsPerMinute: null, tokensPerMinute: null, parallel: null, budgets: [] };

test("an empty configuration limits nobody", () => {
  const { ownerLimits, quota } = requireSettings(loadText("", { known: [] }));
  expect(ownerLimits).toEqual({
    keyDefaults: UNLIMITED,
    keysExpireInMs: null,
    keyMaxima: { ...UNLIMITED, expireInMs: null },
    memberDefaults: { ...UNLIMITED, allowedModels: null, allowedTools: null, keys: null },
    toolRights: { accountDefault: [], keyDefault: null, keyMaximum: null },
    contact: null,
  });
  expect(quota.weekStarts).toBe("monday");
});

test("every field is read, and the patterns and shares of a budget are sorted", () => {
  const text = `
quota: { week_starts: sunday }
limits: { contact: "ask #llm-platform" }
key_defaults:
  requests_per_minute: 60
  tokens_per_minute: null
  parallel: 4
  budgets:
    - { usd: 50, per: month, warn: [1, 0.8, 1] }
    - { usd: 0.5, per: day, models: ["b*", "a*", "b*"], hard: false }
  expires_in: 90d
  allowed_tools: []
key_maxima: { tokens_per_minute: 1000, allowed_tools: ["github_*", "!github_delete_*"], budgets: [{ usd: 50, per: month }], expires_in: 30d }
member_defaults: { parallel: 4, budgets: [{ usd: 50, per: month, warn: [0.8, 1] }], allowed_models: ["OpenAI#*"], allowed_tools: ["*_read*"], keys: 3 }
`;
  const { ownerLimits, quota } = requireSettings(loadText(text, { known: [] }));
  const month = {
    nanoUsd: 50_000_000_000,
    per: "month" as const,
    models: null,
    warn: [0.8, 1],
    isHard: true,
  };
  const day = { nanoUsd: 500_000_000, per: "day" as const, models: ["a*", "b*"], warn: [], isHard: false };
  expect(ownerLimits).toEqual({
    keyDefaults: {
      requestsPerMinute: 60,
      tokensPerMinute: null,
      parallel: 4,
      budgets: [
        { ...month, extra: null },
        { ...day, extra: null },
      ],
    },
    keysExpireInMs: 90 * 24 * 3_600_000,
    keyMaxima: {
      requestsPerMinute: null,
      tokensPerMinute: 1000,
      parallel: null,
      budgets: [{ ...month, warn: [], extra: null }],
      expireInMs: 30 * 24 * 3_600_000,
    },
    memberDefaults: {
      ...UNLIMITED,
      parallel: 4,
      budgets: [{ ...month, extra: null }],
      allowedModels: ["OpenAI#*"],
      allowedTools: ["*_read*"],
      keys: 3,
    },
    toolRights: { accountDefault: [], keyDefault: [], keyMaximum: ["github_*", "!github_delete_*"] },
    contact: "ask #llm-platform",
  });
  expect(quota.weekStarts).toBe("sunday");
});

test("mistakes are named by their field", () => {
  expect(errorsOf("quota: { week_starts: fryday }")[0]).toStartWith("quota.week_starts: ");
  expect(errorsOf("key_defaults: { parallel: -1 }")[0]).toStartWith("key_defaults.parallel: ");
  expect(errorsOf("key_defaults: { budgets: [{ usd: 5 }] }")[0]).toStartWith("key_defaults.budgets[0]");
  expect(errorsOf("key_defaults: { budgets: [{ usd: 5, per: year }] }")[0]).toStartWith(
    "key_defaults.budgets[0].per: ",
  );
  const twice =
    'key_defaults: { budgets: [{ usd: 5, per: day, models: ["a", "b"] }, { usd: 9, per: day, models: ["b", "a"] }] }';
  expect(errorsOf(twice)).toEqual([
    "key_defaults.budgets[1]: is for the same `per` and `models` as another budget",
  ]);
});

test("limits name aliases of the file by their exact names, and an unknown name is warned of", () => {
  const loaded = loadText(
    `
aliases: { house: "Acme#cheap", "team-*": "Acme#cheap" }
key_maxima: { budgets: [{ usd: 1, per: day, models: [house, "Acme#*"] }], model_limits: [{ models: [house], requests_per_minute: 1 }] }
member_defaults: { allowed_models: [house, "Acme#*", gone, "team-*", team-a] }
providers: { Acme: { dialect: openai, base_url: "http://127.0.0.1:1/v1", models: [{ name: cheap }] } }
`,
    { known: [] },
  );
  const { ownerLimits } = requireSettings(loaded);
  expect(ownerLimits.keyMaxima.budgets.map(({ models }) => models)).toEqual([[",,house", "Acme#*"]]);
  expect(ownerLimits.keyMaxima.modelLimits?.map(({ models }) => models)).toEqual([[",,house"]]);
  expect(ownerLimits.memberDefaults.allowedModels).toEqual([
    ",0,house",
    "Acme#*",
    "gone",
    "team-*",
    "team-a",
  ]);
  const warned = loaded.ok ? loaded.warnings.filter(({ field }) => field.startsWith("member_defaults")) : [];
  expect(warned.map(({ field }) => field)).toEqual([
    "member_defaults.allowed_models[2]",
    "member_defaults.allowed_models[4]",
  ]);
  expect(warned[0]?.message).toContain("no alias");
});
