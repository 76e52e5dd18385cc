// Nobody changes their own role or its end, and nobody passes on what outlasts their own role.
import { afterAll, beforeAll, expect, test } from "bun:test";
import { join } from "node:path";
import { type OpenedStore, openStore } from "../../src/app/start/open-store.ts";
import type { JsonObject } from "../../src/core/json/json.ts";
import type { Grant } from "../../src/core/people/people.ts";
import type { Seen } from "../whole/world/observe.ts";
import { createOperator, type Operator } from "../whole/world/operator.ts";
import { type HttpWorld, startHttpWorld } from "../whole/world/world.ts";
import { PEOPLE } from "./samples.ts";
import { signInAs } from "./signed-in.ts";

const DAY_MS = 86_400_000;
const ADMIN: readonly Grant[] = [{ role: "admin", accountId: null }];
const VIEWER: readonly Grant[] = [{ role: "viewer", accountId: null }];

let world: HttpWorld;
let opened: OpenedStore;
let admin: Operator;
beforeAll(async () => {
  world = await startHttpWorld(PEOPLE);
  opened = await openStore(`sqlite:${join(world.directory, "poundkey.db")}`, undefined);
  admin = createOperator(world);
});
afterAll(async () => {
  await opened.store.close();
  await world.stop();
});

const enter = (id: string, grants: readonly Grant[]) => signInAs({ url: world.url, opened }, id, grants);
const told = ({ status, error }: Seen) =>
  [status, error?.code, error?.param].filter((one) => one !== undefined && one !== null).join(" ");
const inDays = (days: number) => new Date(Date.now() + days * DAY_MS).toISOString();

test("an admin changes nothing of their own access, nor does a token of theirs, nor a token of that one", async () => {
  const ada = await enter("mem_ada", ADMIN);
  await enter("mem_bob", VIEWER);
  const token = await ada("POST", "/tokens", { name: "t", role: "admin", contact: "ops" });
  const own = createOperator({ url: world.url, adminToken: String(token.body.secret) });
  const next = await own.post("/tokens", { name: "t", role: "admin" });
  const chained = createOperator({ url: world.url, adminToken: String(next.body.secret) });
  const changes: readonly JsonObject[] = [
    { role: "admin" },
    { role: null },
    { role: "admin", until: inDays(1) },
    { accounts: ["default"] },
    { until: null },
    { disabled: true },
    { disabled: false },
  ];
  for (const change of changes) {
    const refused = [
      await ada("PATCH", "/members/mem_ada", change),
      await own.patch("/members/mem_ada", change),
      await chained.patch("/members/mem_ada", change),
    ];
    expect(refused.map(told)).toEqual(Array.from(refused, () => "403 own_grants id"));
  }
  expect(told(await ada("POST", "/members/mem_ada/anonymise"))).toBe("403 own_grants id");
  expect((await chained.patch("/members/mem_bob", { role: "manager" })).status).toBe(200);
  expect((await admin.patch("/members/mem_ada", { role: "admin" })).status).toBe(200);
});

test("an admin until a time gives no role and makes no token that lasts longer", async () => {
  const mia = await enter("mem_mia", VIEWER);
  await enter("mem_cleo", VIEWER);
  const sooner = inDays(1);
  const end = inDays(2);
  const later = inDays(3);
  expect((await admin.patch("/members/mem_mia", { role: "admin", until: end })).status).toBe(200);
  const give = async (change: JsonObject) => told(await mia("PATCH", "/members/mem_cleo", change));
  expect(await give({ role: "admin" })).toBe("400 beyond_own_end until");
  expect(await give({ role: "admin", until: later })).toBe("400 beyond_own_end until");
  expect(await give({ role: "admin", until: sooner })).toBe("200");
  expect(await give({ until: later })).toBe("400 beyond_own_end until");
  expect(await give({ until: end })).toBe("200");
  expect(await give({ disabled: true })).toBe("200");
  expect(await give({ disabled: false })).toBe("200");
  const make = (fields: JsonObject) => mia("POST", "/tokens", { name: "t", role: "viewer", ...fields });
  expect(told(await make({ expires_at: later }))).toBe("400 beyond_own_end expires_at");
  const made = await make({});
  expect([made.status, made.body.expires_at, made.body.member_id]).toEqual([201, end, "mem_mia"]);
  const { body } = await make({ role: "admin", expires_at: sooner });
  const own = createOperator({ url: world.url, adminToken: String(body.secret) });
  expect(told(await own.patch("/members/mem_cleo", { role: "admin", until: later }))).toBe(
    "400 beyond_own_end until",
  );
  expect(told(await own.post("/tokens", { name: "t", role: "viewer", expires_at: later }))).toBe(
    "400 beyond_own_end expires_at",
  );
  expect((await admin.patch("/members/mem_cleo", { role: "admin", until: later })).status).toBe(200);
});

test("whoever is an admin by the rules too gives without an end", async () => {
  const zoe = await enter("mem_zoe", ADMIN);
  await enter("mem_kim", VIEWER);
  expect((await admin.patch("/members/mem_zoe", { role: "admin", until: inDays(1) })).status).toBe(200);
  expect((await zoe("PATCH", "/members/mem_kim", { role: "manager" })).status).toBe(200);
});
