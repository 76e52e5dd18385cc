// A database that One API itself wrote, moved in: each user's tokens reach only the channels that they reached there.
import { Database } from "bun:sqlite";
import { afterAll, beforeAll, describe, expect, setDefaultTimeout, test } from "bun:test";
import { copyFileSync } from "node:fs";
import { join } from "node:path";
import { COLUMNS } from "../../src/moving/new-api/schema.ts";
import { NODES_MS } from "./nodes.ts";
import { usePlaces } from "./places.ts";
import newApi from "./rows/new-api-schema.data.json" with { type: "json" };
import { startAnswering } from "./rows/providers.ts";

setDefaultTimeout(NODES_MS);

const FOLDER = join(import.meta.dir, "rows/one-api-8df4a267");
const makePlace = usePlaces();
const providers = startAnswering({ alpha: 7701, beta: 7702 });
afterAll(providers.stop);
const place = makePlace({});
const file = place.path("one-api.db");

interface Token {
  readonly key: string;
  readonly name: string;
  readonly status: number;
  readonly models: string | null;
  readonly subnet: string;
  readonly group: string;
  readonly expired_time: number;
  readonly user_status: number;
}

function readTokens(): readonly Token[] {
  using database = new Database(join(FOLDER, "one-api.db"), { readonly: true });
  return database
    .query<Token, []>(
      'SELECT t.key, t.name, t.status, t.models, t.subnet, t.expired_time, u."group", u.status AS user_status FROM tokens t JOIN users u ON u.id = t.user_id',
    )
    .all();
}

/** The models that One API's own table of abilities gives a group. */
function listAbilities(group: string): readonly string[] {
  using database = new Database(join(FOLDER, "one-api.db"), { readonly: true });
  const rows = database
    .query<{ model: string }, [string]>(
      'SELECT DISTINCT model FROM abilities WHERE "group" = ? AND enabled = 1',
    )
    .all(group);
  return rows.map(({ model }) => model);
}

const NAMES = ["gpt-4o", "gpt-4o-mini", "claude-3-5-sonnet-20241022", "house", "shaky", "off-model"];

describe("One API's own database", () => {
  let rows: readonly { readonly item: string; readonly outcome: string; readonly words: string }[] = [];
  beforeAll(async () => {
    copyFileSync(join(FOLDER, "one-api.db"), file);
    using database = new Database(file);
    const channels = database
      .query<{ id: number; base_url: string }, []>("SELECT id, base_url FROM channels")
      .all();
    for (const { id, base_url } of channels)
      database.run("UPDATE channels SET base_url = ? WHERE id = ?", [providers.place(base_url), id]);
    const { code, out } = await place.run("new-api", file, "--json");
    expect(code).toBe(3);
    rows = JSON.parse(out).rows;
  });

  test("no token reaches a model that it didn't reach there", async () => {
    const { variables } = JSON.parse((await place.run("new-api", file, "--json")).out);
    const env = Object.fromEntries(variables.map(({ name }: { name: string }) => [name, "k"]));
    const { url, stop } = await place.start(env);
    try {
      const wider: string[] = [];
      let served = 0;
      for (const token of readTokens()) {
        for (const model of NAMES) {
          const response = await fetch(`${url}/chat/completions`, {
            method: "POST",
            headers: { authorization: `Bearer sk-${token.key}`, "content-type": "application/json" },
            body: JSON.stringify({ model, messages: [{ role: "user", content: "hi" }] }),
          });
          await response.body?.cancel();
          if (response.status !== 200) continue;
          served++;
          if (!mayCall(token, model)) wider.push(`${token.name} ${model}`);
        }
      }
      expect(wider).toEqual([]);
      expect(served).toBeGreaterThan(10);
    } finally {
      await stop();
    }
  });

  test("each filled table and column has a row", () => {
    const find = (item: string) => rows.find((row) => row.item === item);
    expect(find("records of the database (1 tables)")?.words).toContain("logs");
    expect(find("password, role of users")?.outcome).toBe("not_taken");
    expect(find("access_token of users")?.outcome).toBe("not_taken");
    expect(find("option GroupRatio")?.outcome).toBe("not_taken");
    for (const disabled of ["key amy-off", "account dan"])
      expect(find(disabled)?.words).toEndWith(", paused as it is there");
  });
});

/** One API's own rules: the token's list, its user's group, both enabled, its subnet, its end. */
function mayCall(token: Token, model: string): boolean {
  const own = (token.models ?? "").split(",").filter((name) => name !== "");
  const isLive = token.status === 1 && token.user_status === 1;
  const isHere = token.subnet === "" || token.subnet.includes("127.0.0.1");
  return (
    isLive &&
    isHere &&
    (own.length === 0 || own.includes(model)) &&
    listAbilities(token.group).includes(model)
  );
}

test("every column of One API's and new-api's tables has a rule", () => {
  using database = new Database(join(FOLDER, "one-api.db"), { readonly: true });
  for (const [table, rules] of Object.entries(COLUMNS)) {
    const columns = database
      .query<{ name: string }, []>(`SELECT name FROM pragma_table_info('${table}')`)
      .all();
    const all = [...columns.map(({ name }) => name), ...(NEW_API[table] ?? [])];
    expect([table, all.filter((name) => !Object.hasOwn(rules, name))]).toEqual([table, []]);
  }
});

const NEW_API: Readonly<Record<string, readonly string[]>> = newApi.tables;
