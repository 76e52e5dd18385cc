// Moving in from One API: its own columns of a token's limits, and its own numbers of channel types.
import { Database } from "bun:sqlite";
import { beforeAll, describe, expect, test } from "bun:test";
import { existsSync } from "node:fs";
import { load, nameAlone, type Place, usePlaces } from "./places.ts";

const makePlace = usePlaces();
const secret = (letter: string) => letter.repeat(48);
const USERS =
  "CREATE TABLE users (id INTEGER PRIMARY KEY, username TEXT, quota BIGINT, used_quota BIGINT, status INTEGER)";
const CHANNELS = `CREATE TABLE channels (id INTEGER PRIMARY KEY, type INTEGER, key TEXT, status INTEGER DEFAULT 1, name TEXT,
  weight INTEGER DEFAULT 0, base_url TEXT DEFAULT '', other TEXT, models TEXT, "group" TEXT DEFAULT 'default',
  model_mapping TEXT DEFAULT '', priority BIGINT DEFAULT 0, config TEXT, system_prompt TEXT)`;
const TOKENS = `CREATE TABLE tokens (id INTEGER PRIMARY KEY, user_id INTEGER, key CHAR(48), status INTEGER DEFAULT 1, name TEXT,
  created_time BIGINT, accessed_time BIGINT, expired_time BIGINT DEFAULT -1, remain_quota BIGINT DEFAULT 0,
  unlimited_quota NUMERIC DEFAULT 1, used_quota BIGINT DEFAULT 0, models TEXT, subnet TEXT DEFAULT ''`;

/** The tables as One API's models declare them. `columns` are more columns of tokens. */
function makeDatabase(path: string, columns: string, rows: readonly string[]): void {
  using database = new Database(path);
  for (const table of [USERS, CHANNELS, `${TOKENS}${columns})`]) database.run(table);
  database.run("CREATE TABLE options (key TEXT PRIMARY KEY, value TEXT)");
  database.run(
    "INSERT INTO users VALUES (1, 'root', 500000, 0, 1), (2, 'off', 5, 0, 2), (3, 'deleted_x', 5, 0, 3)",
  );
  for (const row of rows) database.run(`INSERT INTO ${row}`);
}

async function readKeys({ open }: Place) {
  const { store } = await open();
  const keys = await store.keys({ limit: 10, after: null });
  await store.close();
  return new Map(keys.map((key) => [key.name, key]));
}

describe("One API's database", () => {
  const place = makePlace({});
  beforeAll(() =>
    makeDatabase(place.path("one-api.db"), "", [
      `tokens (id, user_id, key, name, models, subnet) VALUES
        (1, 1, '${secret("a")}', 'limited', 'deepseek-chat,gpt-4o', '192.168.1.0/24, 10.0.0.0/8'),
        (2, 1, '${secret("b")}', 'of an unknown model', 'gone', 'not an address'),
        (3, 1, '${secret("c")}', 'free', NULL, ''),
        (4, 3, '${secret("d")}', 'of a deleted user', NULL, '')`,
      `channels (id, type, key, name, models, base_url, system_prompt, config) VALUES
        (1, 36, 'k-36', 'deepseek', 'deepseek-chat', '', 'Be brief.', '{}'),
        (2, 35, 'k-35', 'cohere', 'command-a-03-2025', '', NULL, NULL),
        (3, 28, 'k-28', 'mistral', 'mistral-large-latest', '', NULL, NULL),
        (4, 29, 'k-29', 'groq', 'openai/gpt-oss-20b', '', NULL, NULL),
        (5, 30, '', 'ollama', 'llama3', 'http://10.0.0.5:11434', NULL, NULL),
        (6, 45, 'k-45', 'xai', 'grok-4', '', NULL, NULL),
        (7, 50, 'k-50', 'compatible', 'own', 'https://llm.example/api', NULL, NULL),
        (8, 3, 'k-3', 'azure', 'prod', 'https://r.openai.azure.com', NULL, '{"api_version":"2024-10-21"}'),
        (9, 4, 'k-4', 'four', 'gpt-4o', '', NULL, NULL),
        (10, 34, 'k-34', 'coze', 'bot', '', NULL, NULL),
        (11, 38, 'k-38', 'deepl', 'deepl-zh', '', NULL, NULL)`,
    ]),
  );

  test("has its channels at the vendors that its own numbers mean", async () => {
    const { code, out } = await place.run("new-api", place.path("one-api.db"), "--json");
    expect(code).toBe(3);
    const rows: readonly { item: string; outcome: string; words: string }[] = JSON.parse(out).rows;
    const find = (item: string) => rows.find((row) => row.item === item)?.words;
    expect(["channel four", "channel coze", "channel deepl"].map(find)).toEqual([
      "CloseAI has no provider here",
      "Coze has no provider here",
      "DeepL has no provider here",
    ]);
    expect(find("channel deepseek: system_prompt")).toBe("clients set it");
    const { aliases, providers } = load(place.readConfig());
    expect(nameAlone(aliases)).toMatchObject({
      "deepseek-chat": "DeepSeek#deepseek-chat",
      "command-a-03-2025": "Cohere#command-a-03-2025",
      "mistral-large-latest": "Mistral#mistral-large-latest",
      "openai/gpt-oss-20b": "Groq#openai/gpt-oss-20b",
      llama3: "Ollama#llama3",
      "grok-4": "xAI#grok-4",
      own: "OpenAI-llm-example-api#own",
    });
    const of = (name: string) => providers.find((one) => one.name === name);
    expect(of("OpenAI-llm-example-api")?.baseUrl).toBe("https://llm.example/api");
    expect(of("Azure")?.apiVersion).toBe("2024-10-21");
  });

  test("has tokens that stay limited to their models and addresses", async () => {
    const keys = await readKeys(place);
    expect(keys.get("limited")).toMatchObject({
      allowedModels: ["DeepSeek#deepseek-chat"],
      allowedAddresses: ["192.168.1.0/24", "10.0.0.0/8"],
    });
    const unknown = keys.get("of an unknown model");
    expect(unknown).toMatchObject({ allowedModels: ["None#*"], allowedAddresses: ["0.0.0.0"] });
    expect(keys.get("free")).toMatchObject({ allowedModels: null, allowedAddresses: null });
  });

  test("has no keys of users who were deleted", async () => {
    expect((await readKeys(place)).has("of a deleted user")).toBe(false);
  });
});

test("One API's tokens stay limited from a CSV too", async () => {
  const header =
    "id,user_id,key,status,name,expired_time,remain_quota,unlimited_quota,used_quota,models,subnet";
  const place = makePlace({
    "tokens.csv": `${header}\n1,7,${secret("a")},1,limited,-1,0,1,0,"gpt-4o",10.0.0.0/8\n`,
  });
  expect((await place.run("new-api", place.path("tokens.csv"))).code).toBe(3);
  const key = (await readKeys(place)).get("limited");
  expect([key?.allowedAddresses, key?.allowedModels?.length]).toEqual([["10.0.0.0/8"], 1]);
});

test("in a database that moved from One API to new-api, only new-api's columns count", async () => {
  const place = makePlace({});
  makeDatabase(
    place.path("one-api.db"),
    ", model_limits_enabled NUMERIC, model_limits TEXT, allow_ips TEXT, deleted_at TEXT",
    [
      `tokens (id, user_id, key, name, models, subnet, model_limits_enabled, model_limits, allow_ips) VALUES
        (1, 1, '${secret("a")}', 'moved', 'grok-4', '10.0.0.0/8', 1, 'deepseek-chat', '203.0.113.7')`,
      "channels (id, type, key, name, models) VALUES (1, 43, 'k-43', 'deepseek', 'deepseek-chat')",
    ],
  );
  expect((await place.run("new-api", place.path("one-api.db"))).code).toBe(3);
  expect((await readKeys(place)).get("moved")).toMatchObject({
    allowedModels: ["DeepSeek#deepseek-chat"],
    allowedAddresses: ["203.0.113.7"],
  });
});

describe("One API's first user, whose quota is a thousand million dollars,", () => {
  const place = makePlace({});
  const file = place.path("one-api.db");
  beforeAll(() => {
    makeDatabase(file, "", [
      "users VALUES (4, 'rich', 5000000001, 0, 1)",
      `tokens (id, user_id, key, name, status) VALUES
        (1, 4, '${secret("a")}', 'of the rich', 1), (2, 4, '${secret("b")}', 'used up there', 4)`,
    ]);
    using database = new Database(file);
    database.run("UPDATE users SET quota = 500000000000000 WHERE username = 'root'");
  });
  const readBalances = async () => {
    const { store } = await place.open();
    const accounts = await store.accounts({ limit: 10, after: null });
    await store.close();
    return Object.fromEntries(accounts.map(({ name, balanceNanoUsd }) => [name, balanceNanoUsd / 1e9]));
  };
  const find = (out: string, item: string) =>
    JSON.parse(out).rows.find((row: { item: string }) => row.item === item);

  test("stops no dry run, which makes nothing", async () => {
    const { code, out, err } = await place.run("new-api", file, "--dry-run", "--json");
    expect([code, err]).toEqual([0, ""]);
    expect(find(out, "key of the rich").words).toMatch(/^would be added as key_/);
    expect(existsSync(place.path("poundkey.db"))).toBe(false);
  });

  test("stops no import: large figures are confirmed, and larger ones than fit are cut", async () => {
    const { code, out, err } = await place.run("new-api", file, "--json");
    expect([code, err]).toEqual([0, expect.not.stringContaining("confirm")]);
    expect(find(out, "balance of root")).toMatchObject({
      outcome: "narrowed",
      words: "1,000,000,000 USD there: an amount is up to 9,000,000 USD here",
    });
    expect(await readBalances()).toMatchObject({ root: 9_000_000, rich: 10_000.000002 });
    const keys = await readKeys(place);
    expect([keys.get("of the rich")?.isPaused, keys.get("used up there")?.isPaused]).toEqual([false, true]);
  });

  test("is topped up once, and a dry run beside the store adds nothing", async () => {
    using database = new Database(file);
    database.run("UPDATE users SET quota = 7500000000 WHERE username = 'off'");
    const { out } = await place.run("new-api", file, "--dry-run", "--json");
    expect(find(out, "account rich").words).toMatch(/^already here as acct_/);
    await place.run("new-api", file);
    expect(await readBalances()).toMatchObject({ root: 9_000_000, rich: 10_000.000002, off: 0.00001 });
  });
});

describe("tokens of one name", () => {
  const place = makePlace({});
  beforeAll(() =>
    makeDatabase(place.path("shared.db"), "", [
      "users VALUES (4, 'ann', 0, 0, 1)",
      `tokens (id, user_id, key, name) VALUES (1, 1, '${secret("a")}', 'default'), (2, 4, '${secret("b")}', 'default'),
        (3, 4, '${secret("c")}', 'shop'), (4, 4, '${secret("d").slice(1)}e', 'default')`,
    ]),
  );

  test("are told apart by their users, and those of one user by their last characters", async () => {
    await place.run("new-api", place.path("shared.db"), "--json");
    const keys = await readKeys(place);
    expect([...keys.keys()].toSorted()).toEqual([
      "default (ann) (…bbbb)",
      "default (ann) (…ddde)",
      "default (root)",
      "shop",
    ]);
  });
});
