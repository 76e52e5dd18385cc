// Repeated imports, following, and taking one back: later spending, blocks and deletions are taken, nothing is ever resumed.
import { Database } from "bun:sqlite";
import { expect, setDefaultTimeout, test } from "bun:test";
import { existsSync, writeFileSync } from "node:fs";
import { actAs } from "../../src/admin/audit/audit-trail.ts";
import { updateKey } from "../../src/admin/keys/keys.ts";
import { TESTER } from "../harness/acting.ts";
import { until } from "../whole/world/until.ts";
import { type Place, prove, usePlaces } from "./places.ts";

setDefaultTimeout(60_000);
const makePlace = usePlaces();
const secret = (letter: string) => letter.repeat(48);

function write(place: Place, ...statements: readonly string[]): void {
  using database = new Database(place.path("one-api.db"), { create: true });
  for (const one of statements) database.run(one);
}

/** One API's database with two users, each with a token. */
function makeGateway(): Place {
  const place = makePlace({});
  write(
    place,
    "CREATE TABLE users (id INTEGER PRIMARY KEY, username TEXT, quota BIGINT, used_quota BIGINT, status INTEGER)",
    `CREATE TABLE tokens (id INTEGER PRIMARY KEY, user_id INTEGER, key TEXT, status INTEGER DEFAULT 1, name TEXT, expired_time BIGINT
      DEFAULT -1, remain_quota BIGINT, unlimited_quota NUMERIC DEFAULT 0, used_quota BIGINT, models TEXT, subnet TEXT)`,
    `CREATE TABLE channels (id INTEGER PRIMARY KEY, type INTEGER, key TEXT, status INTEGER DEFAULT 1, name TEXT, models TEXT, config TEXT)`,
    "CREATE TABLE options (key TEXT PRIMARY KEY, value TEXT)",
    "INSERT INTO users VALUES (1, 'amy', 5000000, 0, 1), (2, 'ben', 5000000, 0, 1)",
    `INSERT INTO tokens (id, user_id, key, name, remain_quota, used_quota) VALUES
      (1, 1, '${secret("a")}', 'app', 1000000, 0), (2, 2, '${secret("b")}', 'bot', 1000000, 0), (3, 2, '${secret("c")}', 'old', 1000000, 0)`,
    "INSERT INTO channels (id, type, key, name, models) VALUES (1, 1, 'k', 'one', 'gpt-5.4')",
  );
  return place;
}

const run = (place: Place, ...args: string[]) =>
  place.run("new-api", place.path("one-api.db"), "--json", ...args);

async function read({ open }: Place) {
  const { store } = await open();
  try {
    const keys = await store.keys({ limit: 100, after: null });
    const accounts = await store.accounts({ limit: 100, after: null });
    return { keys, accounts };
  } finally {
    await store.close();
  }
}

test("a repeat takes what was spent, blocked and deleted since, and resumes nobody", async () => {
  const place = makeGateway();
  await run(place);
  write(
    place,
    "UPDATE tokens SET remain_quota = 750000, used_quota = 250000 WHERE id = 1",
    "UPDATE users SET quota = 4500000, used_quota = 500000 WHERE id = 1",
    "UPDATE tokens SET status = 2 WHERE id = 2",
    "DELETE FROM tokens WHERE id = 3",
  );
  const { out } = await run(place);
  const rows: readonly { item: string; outcome: string; words: string }[] = JSON.parse(out).rows;
  const find = (item: string) => rows.find((row) => row.item === item);
  expect(find("key app")).toMatchObject({
    outcome: "narrowed",
    words: expect.stringContaining("0.5 USD more were spent there of its budget total"),
  });
  expect(find("account amy")?.words).toContain("1 USD of its balance were spent there");
  expect(find("key bot")?.words).toContain("paused, as it is blocked there");
  expect(find("key old")).toMatchObject({
    outcome: "narrowed",
    words: "it is gone there, so it is ended here",
  });
  const { keys, accounts } = await read(place);
  const key = (name: string) => keys.find((one) => one.name === name);
  expect(accounts.find(({ name }) => name === "amy")?.balanceNanoUsd).toBe(9e9);
  expect([key("bot")?.isPaused, key("old")?.revokedAtMs !== null, key("app")?.isPaused]).toEqual([
    true,
    true,
    false,
  ]);
  const { url, stop } = await place.start({ OPENAI_API_KEY: "k" });
  const mine = await fetch(`${url}/key`, { headers: { authorization: `Bearer sk-${secret("a")}` } });
  expect((await mine.json()).limits).toMatchObject([{ kind: "budget", limit: 2, used: 0.5 }]);
  await stop();
  // Once only.
  const again = JSON.parse((await run(place)).out).rows;
  expect(
    again.filter(({ words }: { words: string }) => /more were|were spent|paused, as/.test(words)),
  ).toEqual([]);
  write(place, "UPDATE tokens SET status = 1 WHERE id = 2");
  await run(place);
  expect((await read(place)).keys.find(({ name }) => name === "bot")?.isPaused).toBe(true);
});

test("following goes on until it is told to stop, and takes the last changes then", async () => {
  const place = makeGateway();
  const listeners = process.listenerCount("SIGINT");
  const running = run(place, "--follow");
  await until("it follows", () => Promise.resolve(process.listenerCount("SIGINT") > listeners));
  write(place, "UPDATE tokens SET status = 2 WHERE id = 1");
  process.emit("SIGINT");
  const { code, out } = await running;
  expect(code).toBe(0);
  expect(JSON.parse(out.trim().split("\n").at(-1) ?? "")).toMatchObject({
    item: "key app",
    words: expect.stringContaining("blocked there"),
  });
  expect((await read(place)).keys.find(({ name }) => name === "app")?.isPaused).toBe(true);
  expect((await run(place, "--follow", "--dry-run")).code).toBe(2);
});

test("an import is taken back by its report, but for what somebody has changed, and can be made again", async () => {
  const place = makeGateway();
  const { out } = await run(place);
  writeFileSync(place.path("report.json"), out);
  expect(existsSync(place.path("poundkey.yaml"))).toBe(true);
  const { store, world } = await place.open();
  const [bot] = (await store.keys({ limit: 100, after: null })).filter(({ name }) => name === "bot");
  await updateKey(actAs(world, TESTER), bot?.id ?? "", { name: "kept" });
  await store.close();
  const undone = await place.run("--undo", place.path("report.json"), "--json");
  const rows: readonly { item: string; outcome: string }[] = JSON.parse(undone.out).rows;
  expect([undone.code, rows.filter(({ outcome }) => outcome !== "taken").map(({ item }) => item)]).toEqual([
    3,
    ["key kept", "account ben"],
  ]);
  expect(existsSync(place.path("poundkey.yaml"))).toBe(false);
  expect(await prove(place, `sk-${secret("a")}`)).toBe("Incorrect");
  const { keys, accounts } = await read(place);
  expect(keys.filter(({ revokedAtMs }) => revokedAtMs === null).map(({ name }) => name)).toEqual(["kept"]);
  expect(accounts.find(({ name }) => name === "amy")).toMatchObject({ balanceNanoUsd: 0 });
  await run(place);
  expect(await prove(place, `sk-${secret("a")}`)).toBe("app");
  const after = await read(place);
  expect(
    after.accounts.filter(({ closingAtMs, name }) => name.startsWith("amy") && closingAtMs === null),
  ).toMatchObject([{ balanceNanoUsd: 10e9 }]);
  expect((await place.run("--undo", place.path("one-api.db"))).code).toBe(1);
});

test("a key that comes paused has the reason in its notes", async () => {
  const place = makeGateway();
  write(
    place,
    "ALTER TABLE tokens ADD COLUMN cost_ceiling INTEGER",
    "UPDATE tokens SET cost_ceiling = 5 WHERE id = 1",
  );
  await run(place);
  const { keys } = await read(place);
  expect(keys.find(({ name }) => name === "app")).toMatchObject({
    isPaused: true,
    notes: "Paused by the import: cost_ceiling: a column that isn't known here",
  });
});
