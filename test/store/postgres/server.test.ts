// The tests' PostgreSQL server: it keeps its data across a stop and a kill, and a pause holds its answers back.
import { afterAll, expect, test } from "bun:test";
import { SQL } from "bun";
import { startPostgres } from "./server.ts";

const server = await startPostgres();
afterAll(() => server.remove());

async function countRows(): Promise<number> {
  await using sql = new SQL(server.url, { max: 1 });
  const [row] = await sql`SELECT count(*)::int AS count FROM kept`;
  return row.count;
}

test("each caller gets its own database", async () => {
  await using sql = new SQL(server.url, { max: 1 });
  await sql`CREATE TABLE kept (id bigint PRIMARY KEY)`;
  await sql`INSERT INTO kept VALUES (1)`;
  await using other = new SQL(await server.newDatabase(), { max: 1 });
  expect(await other`SELECT to_regclass('kept') AS found`).toEqual([{ found: null }]);
});

test("a stopped server refuses connections, and has its data when restarted", async () => {
  await server.stop();
  expect(await countRows().catch((error) => error.code)).toBe("ERR_POSTGRES_CONNECTION_REFUSED");
  await server.start();
  expect(await countRows()).toBe(1);
});

test("a killed server has its data when restarted", async () => {
  await server.kill();
  expect(await countRows().catch((error) => error.code)).toBe("ERR_POSTGRES_CONNECTION_REFUSED");
  await server.start();
  expect(await countRows()).toBe(1);
});

test("a paused server answers no connection until it is resumed", async () => {
  await using sql = new SQL(server.url, { max: 1 });
  await sql`SELECT 1`;
  server.pause();
  const answers: string[] = [];
  const open = sql`SELECT 1`.then(() => answers.push("open"));
  const fresh = countRows().then(() => answers.push("fresh"));
  await Bun.sleep(300);
  expect(answers).toEqual([]);
  server.resume();
  await Promise.all([open, fresh]);
  expect(answers.toSorted()).toEqual(["fresh", "open"]);
});

test("a paused server can be stopped", async () => {
  server.pause();
  await server.stop();
  await server.start();
  expect(await countRows()).toBe(1);
});
