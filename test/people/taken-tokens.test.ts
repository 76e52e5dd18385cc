// A named token that somebody takes over: it stands on them, with another secret, and ends no later than they do.
import { afterAll, beforeAll, expect, test } from "bun:test";
import { join } from "node:path";
import { type OpenedStore, openStore } from "../../src/app/start/open-store.ts";
import type { Grant } from "../../src/core/people/people.ts";
import type { Seen } from "../whole/world/observe.ts";
import { createOperator, type Operator } from "../whole/world/operator.ts";
import { type HttpWorld, startHttpWorld } from "../whole/world/world.ts";
import { PEOPLE } from "./samples.ts";
import { signInAs } from "./signed-in.ts";

const ADMIN: readonly Grant[] = [{ role: "admin", accountId: null }];
const HOUR_MS = 3_600_000;

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

const enter = (id: string, grants = ADMIN) => signInAs({ url: world.url, opened }, id, grants);
const told = ({ status, error }: Seen) => [status, error?.code ?? []].flat().join(" ");
const works = async (secret: unknown) =>
  (await createOperator({ url: world.url, adminToken: String(secret) }).get("/session")).status;

test("it outlives the person who made it, as do tokens that it made, and the old secret ends", async () => {
  const ada = await enter("mem_ada");
  const bob = await enter("mem_bob");
  const { body: made } = await ada("POST", "/tokens", { name: "ci", role: "admin", contact: "x" });
  const first = createOperator({ url: world.url, adminToken: String(made.secret) });
  const { body: child } = await first.post("/tokens", { name: "child", role: "viewer" });
  await admin.patch("/members/mem_ada", { disabled: true });
  expect([await works(made.secret), await works(child.secret)]).toEqual([401, 401]);
  const wrong = await bob("POST", `/tokens/${made.id}/take`, { to: "mem_bob" });
  expect(JSON.stringify(wrong.body)).toContain("Unknown parameter: 'to'. None is supported here.");
  const taken = await bob("POST", `/tokens/${made.id}/take`, {});
  expect([told(taken), taken.body.member_id, taken.body.state]).toEqual(["201", "mem_bob", "active"]);
  expect(taken.body.secret).not.toBe(made.secret);
  expect([await works(made.secret), await works(taken.body.secret), await works(child.secret)]).toEqual([
    401, 200, 200,
  ]);
  await admin.patch("/members/mem_bob", { disabled: true });
  expect([await works(taken.body.secret), await works(child.secret)]).toEqual([401, 401]);
  const nobodys = await admin.post(`/tokens/${made.id}/take`, {});
  expect([nobodys.body.member_id, await works(nobodys.body.secret), await works(child.secret)]).toEqual([
    null,
    200,
    200,
  ]);
  while ((await opened.store.auditLog.chain(100)) !== null);
  const { body: log } = await admin.get(`/audit?target=${made.id}&limit=2`);
  expect(log.data).toMatchObject([{ action: "token.taken" }, { action: "token.taken" }]);
});

test("whoever couldn't make it can't take it, nor a token that is over, nor one that it stands on", async () => {
  const { body: token } = await admin.post("/tokens", { name: "all", role: "admin" });
  const { body: small } = await admin.post("/tokens", { name: "small", role: "viewer" });
  const viewer = await enter("mem_vic", [{ role: "viewer", accountId: null }]);
  expect(told(await viewer("POST", `/tokens/${small.id}/take`, {}))).toBe("403 not_permitted");
  const account = await world.newAccount("Alone");
  const local = await enter("mem_loc", [{ role: "admin", accountId: account }]);
  expect(told(await local("POST", `/tokens/${token.id}/take`, {}))).toBe("404 not_found");
  const own = createOperator({ url: world.url, adminToken: String(token.secret) });
  const { body: child } = await own.post("/tokens", { name: "child", role: "admin" });
  const next = createOperator({ url: world.url, adminToken: String(child.secret) });
  expect(told(await own.post(`/tokens/${token.id}/take`, {}))).toBe("403 not_permitted");
  expect(told(await next.post(`/tokens/${token.id}/take`, {}))).toBe("403 not_permitted");
  await admin.delete(`/tokens/${small.id}`);
  expect(told(await admin.post(`/tokens/${small.id}/take`, {}))).toBe("403 not_permitted");
  expect(told(await admin.post("/tokens/tok_none/take", {}))).toBe("404 not_found");
});

test("taken by a role with an end, it ends with that role", async () => {
  const until = new Date(Date.now() + HOUR_MS).toISOString();
  const mia = await enter("mem_mia", [{ role: "viewer", accountId: null }]);
  await admin.patch("/members/mem_mia", { role: "admin", until });
  const { body: token } = await admin.post("/tokens", { name: "t", role: "admin" });
  expect((await mia("POST", `/tokens/${token.id}/take`, {})).body.expires_at).toBe(until);
});
