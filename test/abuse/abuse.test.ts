// A short form of the abuse table: whatever a key's client does, the provider sees no more calls than the key's places
// and give-backs.
import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { listProblems } from "../../src/admin/money/verify.ts";
import { openStore } from "../../src/app/start/open-store.ts";
import { IS_LONG, sampleRows } from "../harness/long.ts";
import { type HttpWorld, startHttpWorld } from "../whole/world/world.ts";
import { attack, callsMax, type Damage, WORST_CLIENTS, type WorstClient } from "./attack.ts";
import { ATTACKED_ROUTES, type AttackedRoute, routesWithoutRow } from "./routes.ts";

const ALLOWANCE = 5;
/** Above the calls that are allowed, so that one call per attempt would show. `bun test/abuse/run.ts` is the long form. */
const TRIES_PER_CALL = IS_LONG ? 4 : 1.5;
const EXTENT = { seconds: 60, allowance: ALLOWANCE };
const countTries = (client: WorstClient) => Math.ceil(TRIES_PER_CALL * callsMax(ALLOWANCE, client));
const PATIENT_MS = 60_000;

const worlds = await Promise.all([startHttpWorld(), startHttpWorld()]);
const [world] = worlds;
afterAll(() => Promise.all(worlds.map((one) => one.stop())));

test("every route for key holders is covered by the table", () => {
  expect(routesWithoutRow()).toEqual([]);
});

const calling = ATTACKED_ROUTES.filter(({ calls }) => calls);

type Damages = ReadonlyMap<WorstClient, Damage>;

/** Each way of attacking a route: whole at one route, streamed at the next. The long form has both at each. */
const clientsOf = (route: AttackedRoute) => sampleRows(WORST_CLIENTS, 2, calling.indexOf(route));

async function attackRoute(at: HttpWorld, route: AttackedRoute): Promise<Damages> {
  at.simulator.calls.reset();
  const damages = new Map<WorstClient, Damage>();
  // In parallel: an attack mostly waits for slow answers, and its calls are recognized by their model.
  await Promise.all(
    clientsOf(route).map(async (client) => {
      const extent = { ...EXTENT, tries: countTries(client) };
      damages.set(client, await attack(at, route, client, extent));
    }),
  );
  return damages;
}

/** Attacks the routes of a world in turn, before their tests ask for the damages. */
function attackAll(at: HttpWorld, routes: readonly AttackedRoute[]) {
  let last: Promise<unknown> = Promise.resolve();
  return routes.map((route) => {
    const own = last.then(() => attackRoute(at, route));
    last = own.catch(() => {});
    return { route, attacked: own };
  });
}

const attacks = worlds.flatMap((at, number) =>
  attackAll(
    at,
    calling.filter((_, place) => place % worlds.length === number),
  ),
);
for (const { route, attacked } of attacks) {
  describe(`${route.path}: a client that`, () => {
    let damages: Damages;
    beforeAll(async () => {
      damages = await attacked;
    }, PATIENT_MS);

    test("takes what it gets reaches the provider", () => {
      const [, damage] = [...damages].find(([{ name }]) => name.startsWith("takes what it gets")) ?? [];
      expect(damage?.calls).toBeGreaterThan(0);
    });

    test.each(clientsOf(route).map((client) => [client.name, client] as const))("%s", (_name, client) => {
      const damage = damages.get(client);
      expect(damage?.tries).toBe(countTries(client));
      expect(damage?.calls).toBeLessThanOrEqual(callsMax(ALLOWANCE, client));
      expect(damage?.used).toBeLessThanOrEqual((client.way.keys ?? 1) * ALLOWANCE);
    });
  });
}

test("every call of an attack is counted", async () => {
  const [route] = calling;
  const client = WORST_CLIENTS.find(({ name }) => name === "takes what it gets");
  if (!route || !client) throw new Error("the table has no such row");
  expect((await attack(world, route, client, { ...EXTENT, tries: 40 })).calls).toBe(ALLOWANCE);
});

const looking = ATTACKED_ROUTES.filter(({ calls }) => !calls);
test.each(looking.map((route) => [route.path, route] as const))(
  "%s calls no provider and takes no place",
  async (_path, route) => {
    // All calls count here, because some of these routes name no model.
    world.simulator.calls.reset();
    const clients = WORST_CLIENTS.slice(0, 2);
    const damages = await Promise.all(
      clients.map((client) => attack(world, route, client, { ...EXTENT, tries: 20 })),
    );
    expect(damages.map(({ used }) => used)).toEqual(clients.map(() => 0));
    expect(world.simulator.calls.total).toBe(0);
  },
);

test("the books still balance after all attacks", async () => {
  for (const { directory } of worlds) {
    const { store } = await openStore(`sqlite:${directory}/poundkey.db`, undefined);
    try {
      expect(listProblems(await store.audit())).toEqual([]);
    } finally {
      await store.close();
    }
  }
});
