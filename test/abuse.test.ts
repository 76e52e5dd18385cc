// The abuse table in small: whatever a key's client does, the provider sees no more calls than the key has places and give-backs.
import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { listProblems } from "../src/admin/verify.ts";
import { openStore } from "../src/app/open-store.ts";
import { attack, callsMax, WORST_CLIENTS } from "./abuse/attack.ts";
import { ATTACKED_ROUTES, routesWithoutRow } from "./abuse/routes.ts";
import { type HttpWorld, startHttpWorld } from "./http/world.ts";

const ALLOWANCE = 5;
/** Far more than the places, so that a call for each try would show. */
const TRIES = 80;
const EXTENT = { tries: TRIES, seconds: 60, allowance: ALLOWANCE };
const PATIENT_MS = 60_000;

let world: HttpWorld;
beforeAll(async () => {
  world = await startHttpWorld();
});
afterAll(() => world.stop());

test("every key holder's route is in the table", () => {
  expect(routesWithoutRow()).toEqual([]);
});

const calling = ATTACKED_ROUTES.filter(({ calls }) => calls);
for (const route of calling) {
  describe(`${route.path}: a client that`, () => {
    test.each(WORST_CLIENTS.map((client) => [client.name, client] as const))(
      "%s",
      async (_name, client) => {
        const damage = await attack(world, route, client, EXTENT);
        expect(damage.tries).toBe(TRIES);
        expect(damage.calls).toBeLessThanOrEqual(callsMax(ALLOWANCE, client.answers));
        expect(damage.used).toBeLessThanOrEqual(ALLOWANCE);
      },
      PATIENT_MS,
    );
  });
}

const looking = ATTACKED_ROUTES.filter(({ calls }) => !calls);
test.each(looking.map((route) => [route.path, route] as const))(
  "%s calls no provider and takes no place",
  async (_path, route) => {
    for (const client of WORST_CLIENTS.slice(0, 2)) {
      const { calls, used } = await attack(world, route, client, { ...EXTENT, tries: 20 });
      expect([calls, used]).toEqual([0, 0]);
    }
  },
);

test("the books are exact after all of it", async () => {
  const { store } = await openStore(`sqlite:${world.directory}/poundkey.db`, undefined);
  try {
    expect(listProblems(await store.audit())).toEqual([]);
  } finally {
    await store.close();
  }
});
