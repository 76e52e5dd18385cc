// The configuration: valid files become settings, and mistakes are reported by line and field.
import { describe, expect, test } from "bun:test";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { parse } from "yaml";
import { type ConfigError, ERRORS_MAX, formatError } from "../../src/config/errors.ts";
import type { LoadResult } from "../../src/config/load.ts";
import { configJsonSchema } from "../../src/config/published-schema.ts";
import type { KnownProvider } from "../../src/core/settings.ts";
import { loadText, requireSettings, type Surroundings } from "../harness/settings.ts";

const KNOWN: readonly KnownProvider[] = [
  { name: "OpenAI", keyVariables: ["OPENAI_API_KEY"], baseUrl: "https://api.openai.com/v1" },
  {
    name: "Google",
    keyVariables: ["GEMINI_API_KEY", "GOOGLE_API_KEY"],
    baseUrl: "https://google.example/v1beta",
  },
  { name: "Mistral", keyVariables: ["MISTRAL_API_KEY"], baseUrl: "https://api.mistral.ai/v1" },
];

const TOKEN = "token-of-sixteen";

function load(text: string | null, given: Surroundings = {}): LoadResult {
  return loadText(text, { known: KNOWN, ...given });
}

function errorsOf(loaded: LoadResult): readonly ConfigError[] {
  return loaded.ok ? [] : loaded.errors;
}

describe("valid configurations", () => {
  test("an empty one has the documented defaults, and the providers with keys in the environment", () => {
    const env = { OPENAI_API_KEY: "sk-a\n", GOOGLE_API_KEY: "g", GEMINI_API_KEY: " ", MISTRAL_API_KEY: "" };
    for (const text of [null, "", "# nothing yet\n"]) {
      const settings = requireSettings(load(text, { env }));
      expect(settings.providers.map((one) => [one.name, one.credentials, one.baseUrl])).toEqual([
        ["OpenAI", [{ secret: "sk-a", weight: 1 }], "https://api.openai.com/v1"],
        ["Google", [{ secret: "g", weight: 1 }], "https://google.example/v1beta"],
      ]);
      expect(settings.server).toEqual({
        host: "127.0.0.1",
        port: 8080,
        adminToken: null,
        adminTokenSetBy: null,
        adminTokenFrom: [],
        bodyBytesMax: 32_000_000,
        bodyMemoryBytes: 256_000_000,
        drainMs: 25_000,
        storeWaitMs: 120_000,
        keepAliveMs: 15_000,
        idleSeconds: 75,
        basePath: "",
        trustedProxies: [],
        hosts: [],
        cors: [],
        publicUrl: null,
      });
      expect(settings.store).toBe("sqlite:./.poundkey/poundkey.db");
      expect(settings.quota).toEqual({
        requestsPerDay: 200,
        throttleMs: 600_000,
        scope: "key",
        dayStartsMinutes: 0,
        timeZone: "UTC",
        weekStarts: "monday",
        free: { models: ["*"], budgetNanoUsd: 20_000_000_000 },
      });
      expect(settings.billing).toEqual({ charge: "beyond_allowance", markup: 1 });
      expect(settings.limits).toEqual({
        choicesMax: 16,
        messagesMax: 10_000,
        mendsNamed: "surely_refused",
      });
      expect(settings.log).toEqual({ level: null, content: false, keepMs: 2_592_000_000, address: "full" });
      expect(settings.metrics).toEqual({ token: null, balances: [], budgets: [] });
      expect(settings.router).toEqual({ fairQuality: 0.98, deny: [], pin: {}, rules: [], explore: 0 });
    }
  });

  test("the documented example", () => {
    const text = readFileSync(join(import.meta.dir, "example.yaml"), "utf8");
    const env = { OPENAI_API_KEY: "sk-a", OPENAI_API_KEY_2: "sk-b", POUNDKEY_ADMIN_TOKEN: TOKEN };
    const settings = requireSettings(load(text, { env }));
    const [openAi, local] = settings.providers;
    expect(openAi?.credentials).toEqual([
      { secret: "sk-a", weight: 1 },
      { secret: "sk-b", weight: 2 },
    ]);
    expect(openAi?.timeouts).toEqual({
      connectMs: 5000,
      firstByteMs: 60_000,
      idleMs: 60_000,
      totalMs: 600_000,
    });
    expect(local).toMatchObject({
      name: "Local",
      dialect: "openai",
      credentials: [{ secret: null, weight: 1 }],
    });
    expect(settings.operatorModels.map((card) => card.id)).toEqual(["Local#llama3.2"]);
    expect(settings.overlay[0]).toMatchObject({
      id: "OpenAI#gpt-5.4",
      fallbacks: ["OpenRouter#openai/gpt-5.4"],
      hedge: { after: { percentile: 95 }, shareMax: 0.02 },
    });
    expect(settings.overlay[1]?.skills?.math).toBe(0.55);
    expect(settings.aliases).toEqual({ "gpt-5": "OpenAI#gpt-5.4" });
    expect(settings.server.adminToken).toBe(TOKEN);
    expect(errorsOf(load(text)).map((error) => error.field)).toEqual([
      "server.admin_token",
      "providers.OpenAI.keys[0]",
      "providers.OpenAI.keys[1].key",
    ]);
  });

  test("a providers section enables exactly its entries, with keys from known variables if it has none", () => {
    const env = { OPENAI_API_KEY: "sk-a", MISTRAL_API_KEY: "m" };
    const { providers } = requireSettings(
      load("providers:\n  mistral:\n  Own: { base_url: http://x:1/v1/ }\n", { env }),
    );
    expect(providers.map((one) => [one.name, one.credentials[0]?.secret, one.baseUrl, one.dialect])).toEqual([
      ["Mistral", "m", "https://api.mistral.ai/v1", null],
      ["Own", null, "http://x:1/v1", "openai"],
    ]);
    expect(requireSettings(load("providers: {}\n", { env })).providers).toEqual([]);
  });

  test("values from the environment and files are converted by the schema", () => {
    const text = readFileSync(join(import.meta.dir, "outside.yaml"), "utf8");
    const env = { PORT: "9000", HOST: "0.0.0.0", YES: "true", KEY: "42" };
    const settings = requireSettings(load(text, { env, files: { "/run/token": `${TOKEN}\n` } }));
    expect(settings.server).toMatchObject({ port: 9000, host: "0.0.0.0", adminToken: TOKEN });
    expect(settings.log.content).toBe(true);
    expect(settings.providers[0]?.credentials[0]?.secret).toBe("42-x");
    expect(settings.providers[0]?.headers["x-note"]).toBe(["a $", "{B}"].join(""));
  });

  test("the command line overrides the file, which overrides the environment", () => {
    const env = { POUNDKEY_STORE: "postgres://db/env", POUNDKEY_ADMIN_TOKEN: TOKEN };
    const text = "store: sqlite:file.db\nserver: { port: 1, admin_token: the-token-of-the-file }\n";
    const chosen = (given: Surroundings, file: string | null) => {
      const { store, server } = requireSettings(load(file, given));
      return [store, server.port, server.adminToken];
    };
    expect(chosen({ env }, null)).toEqual(["postgres://db/env", 8080, TOKEN]);
    expect(chosen({ env }, text)).toEqual(["sqlite:file.db", 1, "the-token-of-the-file"]);
    const overrides = { store: "sqlite:line.db", port: 2 };
    expect(chosen({ env, overrides }, text)).toEqual(["sqlite:line.db", 2, "the-token-of-the-file"]);
  });

  test("equivalent notations", () => {
    const text = `
server: { body_limit: 1GiB, drain: 1.5s, trusted_proxies: ["::1", 10.0.0.0/8], cors: ["*"] }
quota: { requests_per_day: null, throttle: 0s, day_starts: 06:30, time_zone: Europe/Berlin }
router: { fair: { quality: 95% }, deny: [openai/gpt-5.5], pin: { coding: openai#gpt-5.4 }, rules: [{ category: math, models: [openai/gpt-5.4] }, { category: tools, at_least: 0.2, deny: [OpenAI#gpt-5.5] }], explore: 0.01 }
aliases: { smart: Router#best, team: [{ model: openai/gpt-5.4, weight: 2 }, { model: "Sim#sim-mini~trouble=429" }] }
`;
    const { server, quota, router, aliases } = requireSettings(load(text));
    expect(server).toMatchObject({ bodyBytesMax: 2 ** 30, drainMs: 1500 });
    expect(quota).toMatchObject({ requestsPerDay: null, throttleMs: 0, dayStartsMinutes: 390 });
    expect(router).toEqual({
      fairQuality: 0.95,
      deny: ["OpenAI#gpt-5.5"],
      pin: { coding: "OpenAI#gpt-5.4" },
      rules: [
        { category: "math", shareMin: 0.5, models: ["OpenAI#gpt-5.4"], deny: [] },
        { category: "tools", shareMin: 0.2, models: null, deny: ["OpenAI#gpt-5.5"] },
      ],
      explore: 0.01,
    });
    expect(aliases).toEqual({
      smart: "Router#best",
      team: [
        { model: "OpenAI#gpt-5.4", weight: 2 },
        { model: "Sim#sim-mini~trouble=429", weight: 1 },
      ],
    });
  });
});

interface Mistake {
  readonly name: string;
  readonly field: string;
  readonly line: number;
  readonly says: string;
  readonly text: string;
}

describe("mistakes are reported with line and field", () => {
  const mistakes: readonly Mistake[] = parse(readFileSync(join(import.meta.dir, "mistakes.yaml"), "utf8"));
  const env = { OPENAI_API_KEY: "sk-a", EMPTY: " ", WORD: "eighty" };
  for (const { name, field, line, says, text } of mistakes) {
    test(name, () => {
      const errors = errorsOf(load(text, { env }));
      expect(errors.map((error) => [error.file, error.field, error.line])).toEqual([
        ["poundkey.yaml", field, line],
      ]);
      expect(errors[0]?.message).toContain(says);
    });
  }

  test("a complete error line as the operator sees it", () => {
    const text = 'log: {}\nproviders:\n  OpenAI:\n    keys: [a]\n    timeouts: { connect: "5" }\n';
    expect(errorsOf(load(text)).map(formatError)).toEqual([
      'poundkey.yaml:5:26: providers.OpenAI.timeouts.connect: expected a duration like 5s (ms, s, m, h or d), from 1ms to 5m, got "5"',
    ]);
  });

  test("a field that is like no other names some of those that there are, and how many it leaves out", () => {
    expect(errorsOf(load("simulate: true\n"))[0]?.message).toMatch(
      /^unknown field; expected one of server, store, .*, log or \d+ others$/,
    );
  });

  test("all mistakes are reported in order, up to 20", () => {
    const text = Array.from({ length: ERRORS_MAX + 5 }, (_, at) => `field${at}: 1\n`).join("");
    const errors = errorsOf(load(`server: { port: x, host: 5 }\n${text}`));
    expect(errors.length).toBe(ERRORS_MAX);
    expect(errors.slice(0, 3).map((error) => error.field)).toEqual(["server.port", "server.host", "field0"]);
  });

  test("mistakes in the environment name the variable", () => {
    const env = { POUNDKEY_STORE: "mysql://x", POUNDKEY_ADMIN_TOKEN: "a b", OPENAI_API_KEY: "s k" };
    expect(errorsOf(load(null, { env })).map((error) => [error.file, error.field])).toEqual([
      ["environment", "POUNDKEY_STORE"],
      ["environment", "OPENAI_API_KEY"],
      ["environment", "POUNDKEY_ADMIN_TOKEN"],
    ]);
  });

  test("models of the simulator may be named if it is enabled", () => {
    const text = "aliases: { small: Sim#sim-mini, any: [{ model: Sim#sim-mini }] }";
    expect(errorsOf(load(text))).toEqual([]);
    const errors = errorsOf(load(text, { isSimulated: false }));
    expect(errors.map(({ field }) => field)).toEqual(["aliases.small", "aliases.any[0].model"]);
    expect(errors[0]?.message).toContain("only available with the simulator");
  });

  test("YAML aliases that expand without end are refused", () => {
    const rows = Array.from(
      { length: 12 },
      (_, at) => `a${at}: &a${at} [${Array(10).fill(at === 0 ? "x" : `*a${at - 1}`)}]\n`,
    );
    expect(errorsOf(load(rows.join(""))).length).toBe(1);
  });
});

test("the published schema is JSON Schema and knows every section", () => {
  const schema = JSON.stringify(configJsonSchema());
  const sections = [
    "server",
    "store",
    "providers",
    "models",
    "catalogue",
    "profiles",
    "aliases",
    "quota",
    "billing",
    "limits",
    "key_defaults",
    "key_maxima",
    "member_defaults",
    "log",
    "cache",
    "responses",
    "files",
    "batches",
    "audit",
    "native",
    "metrics",
    "hooks",
    "guard",
    "mcp",
    "topups",
    "webhooks",
    "telemetry",
    "tags_from",
    "router",
    "sign_in",
    "scim",
  ];
  expect(Object.keys(JSON.parse(schema).properties)).toEqual(sections);
  expect(schema).not.toContain('"expected');
  expect(JSON.parse(schema).properties.quota.properties.throttle).toEqual({
    description: expect.any(String),
    default: "10m",
    anyOf: [expect.objectContaining({ type: "string" }), { type: "string", pattern: "\\$\\{" }],
  });
});
