// A gateway whose PostgreSQL is stopped, killed, silent, full, or cut off during a commit: correct errors, automatic
// recovery, and no cent lost.
import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { SQL } from "bun";
import { mintSecret } from "../../../src/keys/secret.ts";
import { CONNECTIONS_MAX } from "../../../src/store/postgres/failures.ts";
import { until } from "../../whole/world/until.ts";
import {
  type Answered,
  type PaidGateway,
  type Payer,
  SLOW,
  startPaidGateway,
} from "../nodes/paid-gateway.ts";
import { openWay, type Way } from "../nodes/proxy.ts";
import { addRole } from "./role.ts";
import { startPostgres } from "./server.ts";

const LONG_MS = 60_000;
/** Three times what the product promises, because the machine may be busy. */
const HEALED_MS = 15_000;
const SILENT_MS = 10_000;
const REFUSED = "503 store_unavailable, again after 1";
const UNKNOWN = "401 invalid_api_key, again after null";

const server = await startPostgres();
afterAll(() => server.remove());

function inLine({ status, code, retryAfter }: Answered): string {
  return `${status} ${code}, again after ${retryAfter}`;
}

/**
 * Nothing is served, no provider is called, and every client gets an error that says so, even a `stranger` whose key
 * can't be looked up.
 */
async function expectTrouble(gateway: PaidGateway, payer: Payer, stranger = REFUSED): Promise<void> {
  const called = gateway.simulator.calls.total;
  const secret = mintSecret({ bytes: (count) => crypto.getRandomValues(new Uint8Array(count)) });
  const answers = await Promise.all([
    gateway.chat(payer),
    gateway.chat(payer),
    gateway.chat({ ...payer, secret }),
  ]);
  expect(answers.map(inLine)).toEqual([REFUSED, REFUSED, stranger]);
  expect(await gateway.status("/readyz")).toBe(503);
  expect(await gateway.status("/healthz")).toBe(200);
  expect(gateway.simulator.calls.total).toBe(called);
}

/** Waits until requests are served again, and returns the first answer. */
async function healed(gateway: PaidGateway, payer: Payer): Promise<Answered> {
  const answer = await until("it serves again", () => served(gateway, payer), HEALED_MS);
  await until("it is ready again", async () => (await gateway.status("/readyz")) === 200, HEALED_MS);
  return answer;
}

async function served(gateway: PaidGateway, payer: Payer): Promise<Answered | null> {
  const answer = await gateway.chat(payer);
  expect([200, 503]).toContain(answer.status);
  return answer.status === 200 ? answer : null;
}

/** Requests a slow answer and waits until it is being produced. */
async function slow(gateway: PaidGateway, payer: Payer): Promise<{ readonly answer: Promise<Answered> }> {
  const called = gateway.simulator.calls.total;
  const answer = gateway.chat(payer, SLOW);
  await until("it is called upstream", () => gateway.simulator.calls.total > called);
  return { answer };
}

async function administer(...statements: readonly string[]): Promise<void> {
  await using database = new SQL(server.url, { max: 1 });
  for (const statement of statements) await database.unsafe(statement);
}

const USER = "gateway";
/** The gateway has to reconnect before it finds the change. */
const DISCONNECT = `SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE usename = '${USER}'`;

/** Starts a separate server that doesn't answer for 10 s. Returns the problems found afterwards. */
async function keepSilent(): Promise<readonly string[]> {
  const quiet = await startPostgres();
  const store = await startPaidGateway(quiet.url, quiet.url);
  const buyer = await store.payer();
  const { answer } = await slow(store, buyer);
  quiet.pause();
  const resumes = Bun.sleep(SILENT_MS).then(() => quiet.resume());
  await expectTrouble(store, buyer);
  await expectTrouble(store, buyer);
  await resumes;
  const paid = [await healed(store, buyer), await answer];
  const wrong = await store.wrong(buyer, paid);
  await using database = new SQL(quiet.url, { max: 1 });
  const open = () => database`SELECT 1 FROM pg_stat_activity WHERE application_name = 'poundkey'`;
  await until("the pool is as small as before", async () => (await open()).length <= CONNECTIONS_MAX);
  await store.stop();
  await quiet.remove();
  return wrong;
}

let silent: Promise<readonly string[]>;
beforeAll(() => {
  // It is slow, and shares nothing with the other tests.
  silent = keepSilent();
  silent.catch(() => {});
});

describe("a server", () => {
  let gateway: PaidGateway;
  let payer: Payer;
  const answers: Answered[] = [];
  const folder = mkdtempSync(join(tmpdir(), "poundkey-rotation-"));
  const secret = join(folder, "url");
  let direct = "";

  /** Writes the store's address with this password to the file that the configuration names. */
  function writeAddress(password: string): void {
    const url = new URL(direct);
    url.username = USER;
    url.password = password;
    writeFileSync(secret, `${url.href}\n`);
  }

  beforeAll(async () => {
    direct = await server.newDatabase();
    await addRole(server.url, USER, "first");
    await administer(`ALTER DATABASE ${new URL(direct).pathname.slice(1)} OWNER TO ${USER}`);
    writeAddress("first");
    gateway = await startPaidGateway(`\${file:${secret}}`, direct);
    payer = await gateway.payer();
  }, LONG_MS);
  afterAll(async () => {
    await gateway.stop();
    rmSync(folder, { recursive: true });
  }, LONG_MS);

  test.each([
    ["stopped", () => server.stop()],
    ["killed", () => server.kill()],
  ])(
    "%s: what is under way waits for its post, nothing else is served, and all is well afterwards",
    async (_, end) => {
      answers.push(await gateway.chat(payer));
      const { answer } = await slow(gateway, payer);
      await end();
      await expectTrouble(gateway, payer);
      await until("its answer is made", () => gateway.simulator.calls.open === 0);
      await server.start();
      answers.push(await healed(gateway, payer), await answer);
      expect(await gateway.wrong(payer, answers)).toEqual([]);
    },
    LONG_MS,
  );

  test(
    "with few connections left uses those, and with none serves nobody",
    async () => {
      await administer(`ALTER ROLE ${USER} CONNECTION LIMIT 2`, DISCONNECT);
      answers.push(...(await Promise.all(Array.from({ length: 20 }, () => gateway.chat(payer)))));
      await administer(`ALTER ROLE ${USER} CONNECTION LIMIT 0`, DISCONNECT);
      await expectTrouble(gateway, payer);
      await administer(`ALTER ROLE ${USER} CONNECTION LIMIT -1`);
      answers.push(await healed(gateway, payer));
      expect(await gateway.wrong(payer, answers)).toEqual([]);
    },
    LONG_MS,
  );

  test(
    "that is read-only counts as down",
    async () => {
      const { answer } = await slow(gateway, payer);
      await administer(`ALTER ROLE ${USER} SET default_transaction_read_only = on`, DISCONNECT);
      // The store can still be read, so unknown keys are recognised.
      await expectTrouble(gateway, payer, UNKNOWN);
      await administer(`ALTER ROLE ${USER} SET default_transaction_read_only = off`, DISCONNECT);
      answers.push(await healed(gateway, payer), await answer);
      expect(await gateway.wrong(payer, answers)).toEqual([]);
    },
    LONG_MS,
  );

  test(
    "whose open connections are read-only since a failover, while new ones aren't: all are opened again",
    async () => {
      answers.push(await gateway.chat(payer));
      // A role's own setting counts for its later connections alone, the server's for those that are open, too.
      await administer(
        `ALTER ROLE ${USER} SET default_transaction_read_only = off`,
        "ALTER SYSTEM SET default_transaction_read_only = on",
        "SELECT pg_reload_conf()",
      );
      await until("it is ready", async () => (await gateway.status("/readyz")) === 200, HEALED_MS);
      answers.push(await gateway.chat(payer));
      expect(answers.at(-1)?.status).toBe(200);
      await using database = new SQL(direct, {
        max: 1,
        connection: { default_transaction_read_only: "off" },
      });
      await database.unsafe("ALTER SYSTEM RESET default_transaction_read_only");
      await database.unsafe("SELECT pg_reload_conf()");
      expect(await gateway.wrong(payer, answers)).toEqual([]);
    },
    LONG_MS,
  );

  test(
    "whose password was rotated: the file with the address is read again, and open connections go on until then",
    async () => {
      await administer(`ALTER ROLE ${USER} PASSWORD 'second'`);
      answers.push(await gateway.chat(payer));
      expect(answers.at(-1)?.status).toBe(200);
      await administer(DISCONNECT);
      await expectTrouble(gateway, payer);
      writeAddress("second");
      answers.push(await healed(gateway, payer));
      expect(await gateway.wrong(payer, answers)).toEqual([]);
    },
    LONG_MS,
  );
});

/** Another commit of the gateway's, such as its heartbeat's, may be the next one. */
const ONCE_MORE = { retry: 8, timeout: LONG_MS };

describe("a commit with an unknown outcome", () => {
  let way: Way;
  let gateway: PaidGateway;
  beforeAll(async () => {
    const url = await server.newDatabase();
    way = await openWay(url);
    gateway = await startPaidGateway(way.url, url);
  }, LONG_MS);
  afterAll(async () => {
    await gateway.stop();
    await way.stop();
  }, LONG_MS);

  test.each([
    ["an admission's, unsent", "unsent", "topup hold post"],
    ["an admission's, unanswered", "unanswered", "topup hold void hold post"],
  ] as const)(
    "%s: is looked up, and the request is served",
    async (_, trick, kinds) => {
      const payer = await gateway.payer();
      way.play(trick);
      const answer = await gateway.chat(payer);
      expect([answer.status, way.played]).toEqual([200, true]);
      expect(await gateway.kinds(payer)).toBe(kinds);
      expect(await gateway.wrong(payer, [answer])).toEqual([]);
    },
    ONCE_MORE,
  );

  test.each(["unsent", "unanswered"] as const)(
    "of a settlement, %s: is looked up, and charged once",
    async (trick) => {
      const payer = await gateway.payer();
      const { answer } = await slow(gateway, payer);
      way.play(trick);
      expect([(await answer).status, way.played]).toEqual([200, true]);
      expect(await gateway.kinds(payer)).toBe("topup hold post");
      expect(await gateway.wrong(payer, [await answer])).toEqual([]);
    },
    ONCE_MORE,
  );

  test(
    "of an admission that can't be looked up in time: refused, voided later, and nothing stays held",
    async () => {
      const payer = await gateway.payer();
      const other = await gateway.payer();
      const { answer } = await slow(gateway, other);
      const called = gateway.simulator.calls.total;
      way.play("frozen");
      expect(inLine(await gateway.chat(payer))).toBe(REFUSED);
      expect(way.played).toBe(true);
      way.thaw();
      expect(await gateway.wrong(payer, [])).toEqual([]);
      expect(await gateway.kinds(payer)).toBe("topup hold void");
      expect(await gateway.wrong(other, [await answer])).toEqual([]);
      expect(gateway.simulator.calls.total).toBe(called);
    },
    ONCE_MORE,
  );
});

test(
  "a server that is silent for 10 s: requests are refused, nothing is lost, and the pool is no larger than before",
  async () => {
    expect(await silent).toEqual([]);
  },
  LONG_MS,
);
