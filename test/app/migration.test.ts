// A migration that takes its time: it tells systemd, answers probes, and goes on where it was after a kill.
import { Database } from "bun:sqlite";
import { afterEach, beforeEach, expect, setDefaultTimeout, test } from "bun:test";
import { chmodSync, existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { version } from "../../package.json" with { type: "json" };
import { openStore } from "../../src/app/start/open-store.ts";
import { showProgress } from "../../src/app/workers/progress.ts";
import { WorkProbes } from "../../src/app/workers/work-probes.ts";
import { runCommandLine } from "../../src/cli/commands.ts";
import { makeSqliteSchema, migrate } from "../../src/store/sqlite/migrate.ts";
import { runPrinting } from "../harness/poundkey.ts";
import { until } from "../whole/world/until.ts";

setDefaultTimeout(30_000);
const schema = makeSqliteSchema();
const { version: known, steps } = schema;
const EARLIER = known - 3;

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "poundkey-migration-"));
});
afterEach(() => rmSync(folder, { recursive: true }));

const at = (name: string) => join(folder, name);
const store = () => `sqlite:${at("poundkey.db")}`;

function makeEarlier(): Database {
  const database = new Database(at("poundkey.db"));
  database.run("PRAGMA journal_mode = WAL");
  for (const step of steps.slice(0, EARLIER)) database.run(step);
  database.run(`PRAGMA user_version = ${EARLIER}`);
  return database;
}

function readVersion(name: string): number | undefined {
  using database = new Database(at(name), { readonly: true });
  return database.query<{ user_version: number }, []>("PRAGMA user_version").get()?.user_version;
}

test("one that ends in the middle goes on with the next step, and keeps the copy from before the first", async () => {
  const database = makeEarlier();
  database.run(`VACUUM INTO '${at(`poundkey.db.before-${version}`)}'`);
  let taken = 0;
  const stop = () => {
    taken++;
    if (taken === 2) throw new Error("killed");
  };
  expect(() => migrate(database, schema, { onStep: stop })).toThrow("killed");
  database.close();
  expect(readVersion("poundkey.db")).toBe(EARLIER + 2);
  const { code, out } = await runPrinting((io) =>
    runCommandLine(["migrate", "--json", "--store", store()], io),
  );
  expect([code, JSON.parse(out)]).toEqual([0, { before: EARLIER + 2, after: known }]);
  expect(readVersion(`poundkey.db.before-${version}`)).toBe(EARLIER);
  const again = await runPrinting((io) => runCommandLine(["migrate", "--store", store()], io));
  expect(again.out).toBe(`The store has schema ${known} already.`);
});

test("a store on which the first step was taken refuses programs that are too old for the last", () => {
  const database = makeEarlier();
  const stop = () => {
    throw new Error("killed");
  };
  expect(() => migrate(database, { ...schema, oldestSupported: known }, { onStep: stop })).toThrow("killed");
  const found = database
    .query<{ value: string }, []>("SELECT value FROM setting WHERE name = 'oldest_supported'")
    .get();
  expect(found?.value).toBe(String(known));
  database.close();
});

test("while it goes on, probes find it alive and not ready, with the share, and systemd gives it more time", async () => {
  mkdirSync(at("bin"));
  const told = at("told");
  writeFileSync(join(at("bin"), "systemd-notify"), `#!/bin/sh\necho "$*" >> "${told}"\n`);
  chmodSync(join(at("bin"), "systemd-notify"), 0o755);
  const claimed = Bun.serve({ port: 0, hostname: "127.0.0.1", fetch: () => new Response() });
  const port = claimed.port ?? 0;
  await claimed.stop(true);
  const before = { PATH: process.env.PATH, NOTIFY_SOCKET: process.env.NOTIFY_SOCKET };
  process.env.PATH = `${at("bin")}:${before.PATH}`;
  process.env.NOTIFY_SOCKET = "/run/notify";
  try {
    const probes = { hostname: "127.0.0.1", port, reusePort: false };
    await showProgress({ what: "migrating", all: 4, probes }, async (progress) => {
      progress.add();
      const ask = (path: string) => fetch(`http://127.0.0.1:${port}${path}`).catch(() => null);
      const alive = await until("it says how far it is", async () => {
        const body = await (await ask("/healthz"))?.json();
        return body?.share === 0.25 ? body : undefined;
      });
      expect(alive).toMatchObject({ status: "migrating", work: "migrating: 1 of 4 (25 %)" });
      const ready = await ask("/readyz");
      expect([ready?.status, await ready?.json()]).toMatchObject([503, { status: "not ready" }]);
      await until("systemd is told", () =>
        // The shell makes the file before it writes to it.
        Promise.resolve(existsSync(told) && readFileSync(told, "utf8") !== ""),
      );
    });
    expect(readFileSync(told, "utf8")).toStartWith(
      "EXTEND_TIMEOUT_USEC=60000000 STATUS=migrating: 1 of 4 (25 %)",
    );
    // The gateway can listen there at once.
    const next = Bun.serve({ port, hostname: "127.0.0.1", reusePort: false, fetch: () => new Response() });
    await next.stop(true);
  } finally {
    process.env.PATH = before.PATH;
    if (before.NOTIFY_SOCKET === undefined) delete process.env.NOTIFY_SOCKET;
    else process.env.NOTIFY_SOCKET = before.NOTIFY_SOCKET;
  }
});

test("a start whose address is taken migrates all the same", async () => {
  makeEarlier().close();
  const other = Bun.serve({ port: 0, hostname: "127.0.0.1", fetch: () => new Response() });
  const probes = { hostname: "127.0.0.1", port: other.port ?? 0, reusePort: false };
  new WorkProbes(probes).stop();
  await (await openStore(store(), undefined, "make", { probes })).store.close();
  expect(readVersion("poundkey.db")).toBe(known);
  await other.stop(true);
});
