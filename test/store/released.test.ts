// The last release and today's program on one store: each starts beside the other under load, takes its place, and back.
import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { openStore } from "../../src/app/start/open-store.ts";
import { PEOPLE } from "../people/samples.ts";
import { signInAs } from "../people/signed-in.ts";
import { formatLine, type Seen } from "../whole/world/observe.ts";
import { createOperator } from "../whole/world/operator.ts";
import { audit, makePayer } from "./nodes/cluster.ts";
import { ADMIN_TOKEN, MASTER_KEY } from "./nodes/gateway.ts";
import { MISSING, RELEASE, type Released, unpackReleased } from "./nodes/released.ts";
import { type Node, type Place, Walk } from "./nodes/walk.ts";
import { useDatabases } from "./postgres/databases.ts";

const TEST_MS = 60_000;
const TOPUP_NANO_USD = 100_000_000_000n;
const CONFIG = `server: { ${PEOPLE.server} }\n${PEOPLE.more}\naliases: { smart: "Acme#paced~latency=250" }`;

const PLACES: Readonly<Record<string, () => Promise<Place>>> = {
  async sqlite() {
    const folder = mkdtempSync(join(tmpdir(), "poundkey-beside-"));
    return {
      store: `sqlite:${join(folder, "poundkey.db")}`,
      remove: () => rmSync(folder, { recursive: true }),
    };
  },
  async postgres() {
    const server = await useDatabases();
    return { store: await server.newDatabase(), remove: () => server.remove() };
  },
};

/** Fields of a key that the release wouldn't keep. */
const NEWER = [
  { model_limits: [{ models: ["Acme#*"], requests_per_minute: 3 }] },
  { budgets: [{ usd: 5, per: "day", models: ["smart"] }] },
];

/** Sends these fields, as an operator without leave, and as those who can't have it. */
async function sendNewer(url: string, store: string): Promise<readonly Seen[]> {
  const opened = await openStore(store, MASTER_KEY);
  try {
    const admin = createOperator({ url, adminToken: ADMIN_TOKEN });
    const { secret } = (await admin.post("/tokens", { name: "manager", role: "manager" })).body;
    const manager = createOperator({ url, adminToken: String(secret) });
    const member = await signInAs({ url, opened }, "mem_ann", [{ role: "member", accountId: "default" }]);
    const service = (await admin.post("/keys", { name: "service" })).body.id;
    const own = (await member("POST", "/keys", { name: "own" })).body.id;
    const sent = NEWER.flatMap((fields) => [
      admin.patch(`/keys/${service}`, fields),
      manager.patch(`/keys/${service}?stop_older=true`, fields),
      member("PATCH", `/keys/${own}`, fields),
      member("PATCH", `/keys/${own}?stop_older=true`, fields),
    ]);
    return await Promise.all(sent);
  } finally {
    await opened.store.close();
  }
}

describe.skipIf(MISSING !== null).each(Object.entries(PLACES))("%s", (_, makePlace) => {
  let place: Place;
  let released: Released;
  let walk: Walk;
  let older: Node;
  let newer: Node;
  beforeAll(async () => {
    released = unpackReleased();
    place = await makePlace();
    walk = await Walk.on(place, CONFIG);
    older = await walk.start(released.program);
    walk.secret = await makePayer(older.url);
  }, TEST_MS);
  afterAll(async () => {
    await walk.remove();
    released.remove();
  });

  test(
    `this version starts while ${RELEASE} serves, and both go on`,
    async () => {
      newer = await walk.startBeside(older);
      await walk.ask([older, newer]);
      expect(walk.takeTroubles()).toEqual([]);
    },
    TEST_MS,
  );

  test(
    `a change that ${RELEASE} wouldn't keep is refused, and both go on`,
    async () => {
      const [answers] = await Promise.all([sendNewer(newer.url, place.store), walk.ask([older, newer])]);
      expect(answers.map(formatLine)).toEqual(answers.map(() => "409 invalid_request_error older_nodes"));
      expect(walk.takeTroubles()).toEqual([]);
    },
    TEST_MS,
  );

  test(
    `this version takes the place of ${RELEASE}`,
    async () => {
      await walk.stopBeside(older, newer);
      expect(walk.takeTroubles()).toEqual([]);
    },
    TEST_MS,
  );

  test(
    `${RELEASE} starts on the store of this version, while that one serves, and both go on`,
    async () => {
      older = await walk.startBeside(newer, released.program);
      await walk.ask([newer, older]);
      expect(walk.takeTroubles()).toEqual([]);
    },
    TEST_MS,
  );

  test(
    `${RELEASE} takes the place of this version`,
    async () => {
      await walk.stopBeside(newer, older);
      expect(walk.takeTroubles()).toEqual([]);
    },
    TEST_MS,
  );

  test(
    "each answer is a row that was paid for once, and nothing is held",
    async () => {
      await older.stop();
      const { problems, late, lost, rows, chargedNanoUsd, balancesNanoUsd } = await audit(place.store, walk);
      expect({ problems, late, lost, rows }).toEqual({
        problems: [],
        late: 0,
        lost: 0,
        rows: walk.asked,
      });
      expect(chargedNanoUsd).toBeGreaterThan(0);
      expect(TOPUP_NANO_USD - balancesNanoUsd).toBe(BigInt(chargedNanoUsd));
    },
    TEST_MS,
  );
});
