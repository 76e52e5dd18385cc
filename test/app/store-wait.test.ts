// A start waits for a PostgreSQL that is away. One that no repetition heals ends at once, with an exit code of its own.
import { afterAll, beforeAll, expect, test } from "bun:test";
import { chmodSync, existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { openStore } from "../../src/app/start/open-store.ts";
import { EXIT } from "../../src/app/terminal.ts";
import { LONG_MS, newPlace, startServe } from "../harness/serve-process.ts";
import { addRole } from "../store/postgres/role.ts";
import { type PostgresServer, startPostgres } from "../store/postgres/server.ts";
import { until } from "../whole/world/until.ts";

const KEY = Buffer.alloc(32, 1).toString("base64");
const OTHER_KEY = Buffer.alloc(32, 2).toString("base64");
const ROLE = "gateway";

let server: PostgresServer;
beforeAll(async () => {
  server = await startPostgres();
  await addRole(server.url, ROLE, "right");
  await (await openStore(server.url, KEY)).store.close();
}, LONG_MS);
afterAll(() => server.remove(), LONG_MS);

interface Given {
  readonly yaml?: string;
  readonly store?: string;
  readonly masterKey?: string;
}

/** Makes a folder with a configuration, and a `systemd-notify` that keeps its arguments in a file. */
function makePlace({ yaml = "", store = server.url, masterKey = KEY }: Given = {}) {
  const place = newPlace(yaml);
  const bin = join(place.directory, "bin");
  const told = join(place.directory, "told");
  mkdirSync(bin);
  writeFileSync(join(bin, "systemd-notify"), `#!/bin/sh\necho "$*" >> "${told}"\n`);
  chmodSync(join(bin, "systemd-notify"), 0o755);
  const env = {
    PATH: `${bin}:${process.env.PATH}`,
    NOTIFY_SOCKET: "/run/notify",
    POUNDKEY_STORE: store,
    POUNDKEY_MASTER_KEY: masterKey,
  };
  return { ...place, env, readTold: () => (existsSync(told) ? readFileSync(told, "utf8") : "") };
}

async function findPort(): Promise<string> {
  const claimed = Bun.serve({ port: 0, hostname: "127.0.0.1", fetch: () => new Response() });
  const { port } = claimed;
  await claimed.stop(true);
  return String(port);
}

/** Starts a gateway while the database is stopped, and starts that again at the end. */
async function startWithout(
  yaml: string,
  task: (serving: ReturnType<typeof startServe>, port: string, readTold: () => string) => Promise<void>,
): Promise<void> {
  const place = makePlace({ yaml });
  const port = await findPort();
  await server.stop();
  const serving = startServe(place, "--simulate", "--port", port);
  try {
    await task(serving, port, place.readTold);
  } finally {
    serving.end();
    place.remove();
    await server.start();
  }
}

const waits = ({ err }: { readonly err: string }) => err.includes("for it (server.store_wait)");

test(
  "a start waits for a database that starts later, tells probes and systemd, and then serves",
  async () => {
    await startWithout("", async (serving, port, readTold) => {
      const ask = (path: string) => fetch(`http://127.0.0.1:${port}${path}`).catch(() => null);
      const alive = await until(
        "it says that it waits",
        async () => {
          const body = await (await ask("/healthz"))?.json();
          return body?.status === "waiting" ? body : undefined;
        },
        LONG_MS,
      );
      expect(alive.work).toStartWith("waiting for the store: ");
      const ready = await ask("/readyz");
      expect([ready?.status, await ready?.json()]).toMatchObject([503, { status: "not ready" }]);
      await until("systemd is told", () => readTold().includes("STATUS=waiting for the store"), LONG_MS);
      expect(serving.err).toContain(": Failed to connect. Waiting up to 2m for it (server.store_wait)");
      await server.start();
      await serving.listens();
      expect((await ask("/readyz"))?.status).toBe(200);
    });
  },
  LONG_MS,
);

test(
  "it gives up after server.store_wait, with the exit code of a start that another may heal",
  async () => {
    await startWithout("server: { store_wait: 1s }", async (serving) => {
      expect(await serving.exited).toBe(EXIT.failed);
      expect(waits(serving)).toBe(true);
    });
    await startWithout("server: { store_wait: 0s }", async (serving) => {
      expect(await serving.exited).toBe(EXIT.failed);
      expect(waits(serving)).toBe(false);
    });
  },
  LONG_MS,
);

test(
  "a signal ends the wait",
  async () => {
    await startWithout("", async (serving) => {
      await until("it waits", () => waits(serving), LONG_MS);
      serving.signal("SIGTERM");
      expect(await serving.exited).toBe(EXIT.done);
    });
  },
  LONG_MS,
);

function addressOf(user: string, password: string): string {
  const url = new URL(server.url);
  return Object.assign(url, { username: user, password }).href;
}

test.each<readonly [string, () => Given, string]>([
  ["a wrong password", () => ({ store: addressOf(ROLE, "wrong") }), "password authentication failed"],
  ["an unknown user", () => ({ store: addressOf("nobody", "any") }), 'role "nobody" does not exist'],
  ["a malformed address", () => ({ store: "postgres://host:port/database" }), "expected an address like"],
  ["another store's master key", () => ({ masterKey: OTHER_KEY }), "a different master key"],
  ["a malformed master key", () => ({ masterKey: "short" }), "must be 32 bytes in base64"],
  ["no master key", () => ({ masterKey: "" }), "needs POUNDKEY_MASTER_KEY"],
  ["a mistake in the configuration", () => ({ yaml: "nonsense: true" }), "nonsense"],
])(
  "%s ends a start, alone and among workers, with the exit code that keeps a unit from another",
  async (_, given, words) => {
    for (const more of [[], ["--workers", "2"]]) {
      const place = makePlace(given());
      const serving = startServe(place, "--simulate", "--port", "0", ...more);
      try {
        expect(await serving.exited).toBe(EXIT.lasting);
        await until("the error is read", () => serving.err.includes(words), LONG_MS);
        expect(waits(serving)).toBe(false);
      } finally {
        serving.end();
        place.remove();
      }
    }
  },
  LONG_MS,
);
