// Moving in from files: new-api's database and CSV, Portkey's configs, names of OpenRouter's, and LiteLLM's CSV.
import { Database } from "bun:sqlite";
import { beforeAll, describe, expect, test } from "bun:test";
import { writeFileSync } from "node:fs";
import { digestForeign } from "./litellm-rows.ts";
import { load, nameAlone, prove, usePlaces } from "./places.ts";

const makePlace = usePlaces();

describe("new-api", () => {
  const place = makePlace({});
  const secret = (letter: string) => letter.repeat(48);
  beforeAll(() => {
    const database = new Database(place.path("one-api.db"));
    database.run(`
      CREATE TABLE users (id INTEGER PRIMARY KEY, username TEXT, quota BIGINT, used_quota BIGINT, status INTEGER, deleted_at TEXT);
      CREATE TABLE tokens (id INTEGER PRIMARY KEY, user_id INTEGER, key TEXT, status INTEGER, name TEXT, created_time BIGINT,
        expired_time BIGINT, remain_quota BIGINT, unlimited_quota NUMERIC, used_quota BIGINT, model_limits_enabled NUMERIC,
        model_limits TEXT, allow_ips TEXT, "group" TEXT, deleted_at TEXT);
      CREATE TABLE channels (id INTEGER PRIMARY KEY, type INTEGER, key TEXT, status INTEGER, name TEXT, weight INTEGER,
        base_url TEXT, other TEXT, models TEXT, "group" TEXT, model_mapping TEXT, priority BIGINT, setting TEXT);
      CREATE TABLE options (key TEXT PRIMARY KEY, value TEXT);
      INSERT INTO users VALUES (1, 'root', 2500000, 0, 1, NULL), (2, 'gone', 5, 0, 1, '2025-01-01'), (3, 'off', 0, 0, 2, NULL);
      INSERT INTO tokens VALUES
        (1, 1, '${secret("a")}', 1, 'counted', 1700000000, -1, 500000, 0, 250000, 1, 'gpt-5.4,none', '10.0.0.0/8' || char(10) || 'host', '', NULL),
        (2, 1, '${secret("b")}', 2, 'off', 1700000000, -1, 0, 1, 900, 0, '', NULL, 'vip', NULL),
        (3, 1, '${secret("c")}', 1, 'past', 1700000000, 1700000001, 0, 1, 0, 0, '', NULL, '', NULL),
        (4, 1, '1234', 1, 'known', 1700000000, -1, 0, 1, 0, 0, '', NULL, '', NULL),
        (5, 3, '${secret("e")}', 1, 'of off', 1700000000, -1, 0, 1, 0, 0, '', NULL, '', NULL);
      INSERT INTO channels VALUES
        (1, 1, 'sk-one' || char(10) || 'sk-two', 1, 'main', 2, '', '', 'gpt-5.4,gpt-4o', 'default', '{"gpt-4o":"gpt-5.4"}', 10, ''),
        (2, 14, 'sk-ant', 1, 'claude', 0, '', '', 'gpt-5.4,claude-sonnet-5', 'default', '{"gpt-5.4":"claude-sonnet-5"}', 0, ''),
        (3, 1, 'sk-own', 1, 'own', 0, 'http://10.0.0.5:9000', '', 'llama', 'default', '', 0, '{"proxy":"x"}'),
        (4, 33, 'a|b|c', 1, 'aws', 0, '', '', 'x', 'default', '', 0, ''),
        (5, 1, 'sk-off', 2, 'disabled', 0, '', '', 'x', 'default', '', 0, '');
      INSERT INTO options VALUES ('QuotaPerUnit', '500000'), ('ModelRatio', '{}');`);
    database.close();
  });

  test("its channels are providers, and its tokens keys with their balance, budget and bounds", async () => {
    const { code, out } = await place.run("new-api", place.path("one-api.db"), "--json");
    expect(code).toBe(3);
    const left = JSON.parse(out).rows.filter(({ outcome }: { outcome: string }) => outcome !== "taken");
    expect(left.map(({ item }: { item: string }) => item)).toEqual([
      "channel own: setting",
      "channel aws: model x",
      "channel aws",
      "channel disabled",
      "key counted: model none",
      "key counted: address host",
      "key off: group vip",
      "key past",
      "key known",
      "option ModelRatio",
      "models that cost nothing (1)",
    ]);
    expect(out).not.toMatch(/sk-(one|two|ant|own)|aaaaaaaa/);
    const { aliases, providers, billing, overlay } = load(place.readConfig());
    expect(nameAlone(aliases)).toEqual({
      "gpt-5.4": "OpenAI#gpt-5.4",
      "gpt-4o": "OpenAI-gpt-4o#gpt-5.4",
      "claude-sonnet-5": "Anthropic#claude-sonnet-5",
      llama: "OpenAI-llama#llama",
    });
    expect(providers.map(({ name, credentials }) => [name, credentials.length])).toEqual([
      ["OpenAI", 2],
      ["OpenAI-gpt-4o", 2],
      ["Anthropic", 1],
      ["OpenAI-llama", 1],
    ] as never);
    expect(billing.charge).toBe("always");
    expect(overlay[0]).toMatchObject({ id: "OpenAI#gpt-5.4", fallbacks: ["Anthropic#claude-sonnet-5"] });
    const { store } = await place.open();
    const keys = await store.keys({ limit: 10, after: null });
    const accounts = await store.accounts({ limit: 10, after: null });
    await store.close();
    expect(
      accounts.map(({ name, balanceNanoUsd, isPaused }) => [name, balanceNanoUsd, isPaused]).toSorted(),
    ).toEqual([
      ["default", 0, false],
      ["off", 0, true],
      ["root", 5e9, false],
    ]);
    expect(keys.find(({ name }) => name === "counted")).toMatchObject({
      budgets: [{ nanoUsd: 1.5e9, per: "total" }],
      allowedModels: ["OpenAI#gpt-5.4"],
      allowedAddresses: ["10.0.0.0/8"],
      requestsPerDay: null,
      last4: "aaaa",
    });
    expect(await prove(place, `sk-${secret("a")}`)).toBe("counted");
    expect(await prove(place, `sk-${secret("c")}`)).toBe("Incorrect");
    expect(await prove(place, "sk-1234")).toBe("Incorrect");
  });

  test("a second import tops up nobody again, and says so of an allowance", async () => {
    expect(await place.run("new-api", place.path("one-api.db"))).toMatchObject({ code: 3 });
    const { store } = await place.open();
    expect((await store.accountsNamed("root"))[0]?.balanceNanoUsd).toBe(5e9);
    await store.close();
    writeFileSync(place.path("poundkey.yaml"), "quota: { requests_per_day: 5 }\n");
    const refused = await place.run("new-api", place.path("one-api.db"));
    expect([refused.code, refused.err]).toEqual([1, expect.stringContaining("add --free")]);
    expect((await place.run("new-api", place.path("one-api.db"), "--free")).code).toBe(3);
  });

  test("its tokens come from a CSV too", async () => {
    const csv = `id,user_id,key,status,name,expired_time,remain_quota,unlimited_quota,used_quota\r\n1,7,${secret("f")},1,"a ""b"", c",-1,0,t,0\r\n`;
    const other = makePlace({ "tokens.csv": csv });
    expect((await other.run("new-api", other.path("tokens.csv"))).code).toBe(3);
    expect(await prove(other, `sk-${secret("f")}`)).toBe('a "b", c');
  });

  test("its channels come from a CSV too, which is never read as one of tokens", async () => {
    const tokens = `id,user_id,key,status,name,model_limits_enabled,model_limits,deleted_at\n1,7,${secret("g")},1,limited,1,fast,NULL\n`;
    const channels = `id,type,key,status,name,base_url,models,model_mapping,other\n1,1,sk-proj-of-the-provider,1,main,NULL,fast,"{""fast"":""gpt-5.4-mini""}",\\N\n`;
    const other = makePlace({
      "channels.csv": channels,
      "tokens.csv": tokens,
      "options.csv": "key,value\na,b",
    });
    const paths = [other.path("channels.csv"), "--keys", other.path("tokens.csv")];
    expect((await other.run("new-api", ...paths)).code).toBe(3);
    expect(await prove(other, "sk-proj-of-the-provider")).toBe("Incorrect");
    expect(await prove(other, `sk-${secret("g")}`)).toBe("limited");
    expect(nameAlone(load(other.readConfig()).aliases)).toEqual({ fast: "OpenAI#gpt-5.4-mini" });
    const { store } = await other.open();
    const keys = await store.keys({ limit: 10, after: null });
    await store.close();
    expect(keys.map(({ allowedModels }) => allowedModels)).toEqual([["OpenAI#gpt-5.4-mini"]]);
    const { code, err } = await other.run("new-api", other.path("options.csv"), "--free");
    expect([code, err]).toEqual([1, expect.stringContaining("names neither the columns of tokens")]);
  });
});

test("LiteLLM's keys come from a CSV, with an account for each team", async () => {
  const config =
    "model_list: [{ model_name: a, litellm_params: { model: gpt-5.4, api_key: sk-plain-secret } }]\n";
  const header = "token,key_alias,team_id,models,max_budget,budget_duration,spend,blocked,expires";
  const keys = `${header}\n${digestForeign("sk-csv-key")},mine,team-x,"{a}",3,1d,1,f,2099-01-01 00:00:00\n`;
  const place = makePlace({ "config.yaml": config, "keys.csv": keys });
  const { code, out } = await place.run(
    "litellm",
    place.path("config.yaml"),
    "--keys",
    place.path("keys.csv"),
  );
  expect(code).toBe(3);
  expect(out).toContain("OPENAI_API_KEY  the key of a, which stands in the file");
  expect(`${out}${place.readConfig()}`).not.toContain("sk-plain-secret");
  expect(await prove(place, "sk-csv-key")).toBe("mine");
  const { store } = await place.open();
  const [key] = await store.keys({ limit: 1, after: null });
  expect(key?.allowedModels).toEqual(["OpenAI#gpt-5.4"]);
  expect(key?.budgets).toMatchObject([{ per: "day" }]);
  expect((await store.account(key?.accountId ?? ""))?.name).toBe("team-x");
  await store.close();
});

test("names that can't be aliases are reported, and a configuration that needs a correction is said", async () => {
  const models = [
    '  - { model_name: my model, litellm_params: { model: gpt-5.4, api_key: "" } }',
    "  - { model_name: openai/gpt-5.4, litellm_params: { model: anthropic/claude-sonnet-5, weight: 0 } }",
    "  - { model_name: gone, litellm_params: { model: sagemaker/x } }",
    "  - { model_name: bare, litellm_params: { model: whatever } }",
    ...Array.from(
      { length: 101 },
      (_, at) => `  - { model_name: many, litellm_params: { model: gpt-5.4, api_key: k${at} } }`,
    ),
  ];
  const place = makePlace({ "config.yaml": `model_list:\n${models.join("\n")}\n` });
  const { code, out, err } = await place.run("litellm", place.path("config.yaml"));
  expect(code).toBe(3);
  expect(out).toMatch(/^alias my model +not_taken +- +a name has 1 to 200 characters/m);
  expect(out).toMatch(/^alias openai\/gpt-5\.4 +not_taken +- +clients get OpenAI#gpt-5\.4, whose id it is$/m);
  expect(out).toMatch(/^model gone +not_taken +4 +LiteLLM's provider 'sagemaker' has none here$/m);
  expect(out).toMatch(/^model bare +not_taken +5 +no vendor is known/m);
  expect(err).toContain("the configuration needs a correction before it is used:\n");
  expect(err).toContain("providers.OpenAI-many.keys");
});

test("Portkey's configs are aliases with groups and fallbacks", async () => {
  const target = (provider: string, model: string, more = {}) => ({
    provider,
    override_params: { model },
    ...more,
  });
  const config = {
    retry: { attempts: 3 },
    cache: { mode: "simple" },
    strategy: { mode: "fallback", on_status_codes: [429] },
    targets: [
      {
        strategy: { mode: "loadbalance" },
        targets: [target("openai", "gpt-5.4", { weight: 0.7 }), target("@groq-eu", "x", { weight: 0.3 })],
      },
      target("anthropic", "claude-sonnet-5", { api_key: "sk-ant-plain" }),
      { virtual_key: "main", override_params: { model: "y" } },
      target("openai", "", {}),
    ],
  };
  const place = makePlace({ "config.json": JSON.stringify({ chat: config }, null, 1) });
  const { code, out } = await place.run("portkey", place.path("config.json"));
  expect([code, out]).toEqual([3, expect.stringMatching(/^cache +not_taken +6 +set cache\.ttl/m)]);
  expect(out).toMatch(/^target main +not_taken +\d+ +its provider isn't known/m);
  expect(out).not.toContain("sk-ant-plain");
  const { aliases, overlay } = load(place.readConfig());
  expect(aliases.chat).toEqual([
    { model: "OpenAI#gpt-5.4", weight: 0.7 },
    { model: "Groq#x", weight: 0.3 },
  ]);
  expect(overlay.find(({ id }) => id === "OpenAI#gpt-5.4")?.fallbacks).toEqual(["Anthropic#claude-sonnet-5"]);
});

test("OpenRouter's names go on working, with the vendor first and OpenRouter behind", async () => {
  const text =
    'MODEL: "anthropic/claude-sonnet-5"\nOTHER: [meta-llama/llama-4-maverick:free, openrouter/auto]\nPATH: src/index\n';
  const place = makePlace({ "app.yaml": text });
  expect((await place.run("openrouter", place.path("app.yaml"))).code).toBe(0);
  const { aliases, overlay } = load(place.readConfig());
  expect(aliases).toEqual({
    "meta-llama/llama-4-maverick:free": "OpenRouter#meta-llama/llama-4-maverick:free",
    "openrouter/auto": "Router#best",
  });
  expect(overlay).toMatchObject([
    { id: "Anthropic#claude-sonnet-5", fallbacks: ["OpenRouter#anthropic/claude-sonnet-5"] },
  ]);
});

test("what only OpenRouter has stays there: free hosts, searches, thinking, and names of latest models", async () => {
  const only = [
    "google/gemini-3.5-flash:free",
    "openai/gpt-5.4:online",
    "anthropic/claude-sonnet-5:thinking",
  ];
  const latest = "~anthropic/claude-sonnet-latest";
  const hosts = ["openai/gpt-5.4:nitro", "openai/gpt-5.4:floor", "openai/gpt-5.4:exacto"];
  const place = makePlace({ "app.txt": [...only, latest, ...hosts].join("\n") });
  expect((await place.run("openrouter", place.path("app.txt"))).code).toBe(0);
  expect(load(place.readConfig()).aliases).toEqual({
    ...Object.fromEntries([...only, latest].map((name) => [name, `OpenRouter#${name}`])),
    ...Object.fromEntries(hosts.map((name) => [name, "OpenAI#gpt-5.4"])),
  });
});

const TEXTS: Readonly<Record<string, readonly [text: string, names: readonly string[]]>> = {
  "app.env": [
    "KEY=sk-or-v1-0\nMODEL=openai/gpt-5.4\nNEXT='google/gemini-3.5-flash:nitro'\nURL=https://openrouter.ai/api/v1\n",
    ["openai/gpt-5.4", "google/gemini-3.5-flash:nitro"],
  ],
  "app.py": [
    `# See openai/gpt-5.4. Not https://github.com/openai/openai-python, src/openai/x, openai/client.py or image/png
import "@google/genai"
ask(model="meta-llama/llama-3.3-70b-instruct", models=["openrouter/anthropic/claude-sonnet-5"])`,
    ["openai/gpt-5.4", "meta-llama/llama-3.3-70b-instruct", "anthropic/claude-sonnet-5"],
  ],
  "notes.md": ["Nothing here: a/b, and/or.\n\t: {", []],
};

test.each(Object.entries(TEXTS))("OpenRouter's names are found in %s", async (name, [text, names]) => {
  const place = makePlace({ [name]: text });
  const { code, out } = await place.run("openrouter", place.path(name), "--json");
  expect(code).toBe(names.length === 0 ? 3 : 0);
  const rows: readonly { item: string; outcome: string; words: string }[] = JSON.parse(out).rows;
  expect(rows.filter(({ outcome }) => outcome === "taken").map(({ item }) => item)).toEqual([...names]);
  if (names.length === 0) expect(rows[0]?.words).toBe("the file has no name like openai/gpt-5.4");
});

test("wrong arguments are said before anything is opened", async () => {
  const place = makePlace({ "a.yaml": "model_list: [\n" });
  expect((await place.run("litelm", "x")).err).toContain(
    "unknown gateway 'litelm'; expected one of: litellm, new-api, portkey, openrouter",
  );
  expect((await place.run("litellm", "x", "--database", "localhost")).code).toBe(2);
  expect((await place.run("litellm")).code).toBe(2);
  expect((await place.run("portkey", "x", "--keys", "y")).code).toBe(2);
  expect((await place.run("litellm", "x", "--free")).err).toContain("--free belongs to new-api");
  expect((await place.run("litellm", place.path("a.yaml"))).err).toMatch(/a\.yaml:\d+: the indentation/);
});

test("a file of another kind is said to be one, and nothing is made of it", async () => {
  const place = makePlace({ "any.yaml": "hello: world\n", "empty.csv": "", "open.csv": 'key\n"a\n' });
  const run = async (gateway: string, name: string, ...more: string[]) => {
    const { code, out, err } = await place.run(gateway, place.path(name), ...more);
    return [code, code === 3 ? out : err];
  };
  expect(await run("litellm", "any.yaml")).toEqual([
    3,
    expect.stringMatching(/^model_list +not_taken .*no models$/m),
  ]);
  expect(await run("portkey", "any.yaml")).toEqual([
    3,
    expect.stringMatching(/^configs +not_taken .* has none:/m),
  ]);
  for (const name of ["any.yaml", "empty.csv"])
    expect(await run("new-api", name)).toEqual([1, expect.stringMatching(/: the first line names neither/)]);
  expect(await run("new-api", "open.csv")).toEqual([1, expect.stringMatching(/open\.csv: line 2 /)]);
  expect(await run("new-api", ".")).toEqual([1, expect.stringContaining(": the file is a directory")]);
  expect(await run("litellm", "any.yaml", "--keys", place.path("any.yaml"))).toEqual([
    1,
    expect.stringContaining("any.yaml: the first line has no column 'token'"),
  ]);
  expect(place.readConfig).toThrow();
});

test("an entry of LiteLLM's without a name or a model is said to have none", async () => {
  const entries = "[{ model_name: a, litellm_params: gpt-5.4 }, { litellm_params: { model: gpt-5.4 } }]";
  const place = makePlace({ "a.yaml": `model_list: ${entries}\n` });
  const { out } = await place.run("litellm", place.path("a.yaml"));
  expect(out).toMatch(/^model a +not_taken +1 +it names no litellm_params\.model$/m);
  expect(out).not.toMatch(/^alias/m);
});
