// The most changes that a member makes in a minute, alone and beside others.
import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { join } from "node:path";
import { type OpenedStore, openStore } from "../../src/app/start/open-store.ts";
import { CHANGES_A_MINUTE, ChangeRate } from "../../src/people/change-rate.ts";
import { NOON } from "../harness/samples.ts";
import { type HttpWorld, startHttpWorld } from "../whole/world/world.ts";
import { PEOPLE } from "./samples.ts";
import { type Ask, signInAs } from "./signed-in.ts";

const MINUTE_MS = 60_000;

describe("the rate of changes", () => {
  test("has a place again a minute after the oldest one, or when one failed", () => {
    const rate = new ChangeRate();
    const take = (nowMs: number) => rate.take("person mem_a", nowMs);
    const taken = Array.from({ length: CHANGES_A_MINUTE }, (_, at) => take(NOON + at));
    expect(taken.every((refused) => refused === null)).toBe(true);
    expect(take(NOON + 500)).toBe(NOON + MINUTE_MS);
    expect(rate.take("person mem_b", NOON + 500)).toBeNull();
    rate.giveBack("person mem_a", NOON + 7);
    expect([take(NOON + 500), take(NOON + 500)]).toEqual([null, NOON + MINUTE_MS]);
    expect(take(NOON + MINUTE_MS)).toBeNull();
    expect(take(NOON + MINUTE_MS)).toBe(NOON + 1 + MINUTE_MS);
  });
});

describe("a member", () => {
  let world: HttpWorld;
  let opened: OpenedStore;
  let team: string;
  beforeAll(async () => {
    world = await startHttpWorld(PEOPLE);
    opened = await openStore(`sqlite:${join(world.directory, "poundkey.db")}`, undefined);
    team = await world.newAccount("Team");
  });
  afterAll(async () => {
    await opened.store.close();
    await world.stop();
  });
  const signIn = (id: string, role: "member" | "manager"): Promise<Ask> =>
    signInAs({ url: world.url, opened }, id, [{ role, accountId: team }]);
  const rename = async (ask: Ask, id: unknown, times: number) => {
    const all = await Promise.all(
      Array.from({ length: times }, (_, at) => ask("PATCH", `/keys/${id}`, { name: `name ${at}` })),
    );
    return Map.groupBy(all, ({ status, error }) => (error ? `${status} ${error.code}` : `${status}`));
  };

  test("makes at most 120 changes in a minute, of which failed ones don't count; others and reads go on", async () => {
    const ann = await signIn("mem_ann", "member");
    const { body } = await ann("POST", "/keys", { name: "one", account_id: team });
    for (let at = 0; at < 5; at++)
      expect((await ann("PATCH", "/keys/key_none", { name: "none" })).status).toBe(404);
    const changed = await rename(ann, body.id, 130);
    expect([changed.get("200")?.length, changed.get("429 too_many_changes")?.length]).toEqual([119, 11]);
    const [refused] = changed.get("429 too_many_changes") ?? [];
    expect(Number(refused?.headers.get("retry-after"))).toBeGreaterThan(0);
    expect((await ann("GET", `/keys/${body.id}`)).status).toBe(200);
    const mia = await signIn("mem_mia", "manager");
    expect((await rename(mia, body.id, 130)).get("200")?.length).toBe(130);
  });
});
