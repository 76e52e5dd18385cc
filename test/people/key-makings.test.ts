// The number of a person's keys, and of their makings in an hour, whatever is asked at the same moment.
import { afterAll, beforeAll, expect, test } from "bun:test";
import { join } from "node:path";
import { type OpenedStore, openStore } from "../../src/app/start/open-store.ts";
import { createOperator } from "../whole/world/operator.ts";
import { type HttpWorld, startHttpWorld } from "../whole/world/world.ts";
import { PEOPLE } from "./samples.ts";
import { type Ask, signInAs } from "./signed-in.ts";

let world: HttpWorld;
let opened: OpenedStore;
let team: string;
let narrow: string;
beforeAll(async () => {
  const more = PEOPLE.more.replace("oidc:", "oidc:\n    members: { keys: 5, keys_per_hour: 8 }");
  world = await startHttpWorld({ ...PEOPLE, more });
  opened = await openStore(`sqlite:${join(world.directory, "poundkey.db")}`, undefined);
  team = await world.newAccount("Team");
  narrow = await world.newAccount("Narrow");
  await createOperator(world).patch(`/accounts/${narrow}`, { member_defaults: { keys: 2 } });
});
afterAll(async () => {
  await opened.store.close();
  await world.stop();
});

function signIn(id: string): Promise<Ask> {
  const grants = [team, narrow].map((accountId) => ({ role: "member" as const, accountId }));
  return signInAs({ url: world.url, opened }, id, grants);
}

async function countAtOnce(ask: (at: number) => ReturnType<Ask>, times = 40) {
  const counts = new Map<string, number>();
  for (const { status, error } of await Promise.all(Array.from({ length: times }, (_, at) => ask(at)))) {
    const told = error ? `${status} ${error.code}` : `${status}`;
    counts.set(told, (counts.get(told) ?? 0) + 1);
  }
  return Object.fromEntries(counts);
}

test("keys made at the same moment are as many as a person may have", async () => {
  const ann = await signIn("mem_ann");
  const made = await countAtOnce((at) =>
    at % 2 === 0
      ? ann("POST", "/keys", { name: `key ${at}`, account_id: team })
      : ann("PUT", `/keys/by-name/Team/key ${at}`, {}),
  );
  expect(made).toEqual({ "201": 5, "400 invalid_value": 35 });
  expect((await ann("GET", "/keys?limit=100")).body.data).toHaveLength(5);
});

test("so are those of an account, made there or moved there", async () => {
  const bob = await signIn("mem_bob");
  const elsewhere: unknown[] = [];
  for (let at = 0; at < 3; at++) {
    elsewhere.push((await bob("POST", "/keys", { name: `key ${at}`, account_id: team })).body.id);
  }
  const made = await countAtOnce((at) => bob("PATCH", `/keys/${elsewhere[at]}`, { account_id: narrow }), 3);
  expect(made).toEqual({ "200": 2, "400 invalid_value": 1 });
  expect((await bob("POST", "/keys", { name: "more", account_id: narrow })).error?.param).toBe("account_id");
});

test("makings and rotations of an hour are bounded, whatever is revoked meanwhile", async () => {
  const cat = await signIn("mem_cat");
  for (let at = 0; at < 4; at++) {
    const { body } = await cat("POST", "/keys", { name: `key ${at}`, account_id: team });
    await cat("DELETE", `/keys/${body.id}`);
  }
  const { body: kept } = await cat("POST", "/keys", { name: "kept", account_id: team });
  const rotated = await countAtOnce(() => cat("POST", `/keys/${kept.id}/rotate`, {}), 10);
  expect(rotated).toEqual({ "201": 3, "429 too_many_changes": 7 });
  const refused = await cat("POST", "/keys", { name: "more", account_id: team });
  expect([refused.status, refused.error?.code]).toEqual([429, "too_many_changes"]);
  expect(refused.error?.message).toContain("at most 8 personal keys an hour");
  expect(Number(refused.headers.get("retry-after"))).toBeGreaterThan(3000);
  const dan = await signIn("mem_dan");
  expect((await dan("POST", "/keys", { name: "first", account_id: team })).status).toBe(201);
});
