// Repeats of requests that make something, over HTTP: of twins one makes it, and all get its answer.
import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { join } from "node:path";
import { type OpenedStore, openStore } from "../../src/app/start/open-store.ts";
import { asArray, asObject, type JsonObject } from "../../src/core/json/json.ts";
import { createOperator } from "../whole/world/operator.ts";
import { type HttpWorld, startHttpWorld } from "../whole/world/world.ts";
import { PEOPLE } from "./samples.ts";
import { type Ask, signInAs } from "./signed-in.ts";

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

const manage = (id: string): Promise<Ask> =>
  signInAs({ url: world.url, opened }, id, [{ role: "manager", accountId: team }]);
const post = (path: string, body: JsonObject, repeat: string) =>
  createOperator(world).post(path, body, { "idempotency-key": repeat });

/** Sends a request often at the same moment, and once more. */
async function repeat(send: () => ReturnType<Ask>) {
  const twins = await Promise.all(Array.from({ length: 30 }, send));
  const all = [...twins, await send()];
  expect(new Set(all.map(({ status, body }) => JSON.stringify([status, body]))).size).toBe(1);
  const [{ status, body } = await send()] = all;
  return { status, body };
}

describe("thirty of the same request at once make one", () => {
  const names = async (list: string) =>
    asArray((await createOperator(world).get(`${list}?limit=200`)).body.data).map(
      (one) => asObject(one).name,
    );
  test("account", async () => {
    const { status } = await repeat(() => post("/accounts", { name: "Twin" }, "twin"));
    expect([status, (await names("/accounts")).filter((name) => name === "Twin")]).toEqual([201, ["Twin"]]);
  });

  test("key, whose secret each of them shows", async () => {
    const made = await repeat(() => post("/keys", { name: "twin", account_id: team }, "twin"));
    expect([made.status, typeof made.body.secret]).toEqual([201, "string"]);
    expect((await names("/keys")).filter((name) => name === "twin")).toHaveLength(1);
    const rotated = await repeat(() => post(`/keys/${made.body.id}/rotate`, {}, "twin"));
    expect(rotated.body.secret).not.toBe(made.body.secret);
    const use = await fetch(`${world.url}/v1/key`, {
      headers: { authorization: `Bearer ${rotated.body.secret}` },
    });
    expect(use.status).toBe(200);
  });

  test("token, and take it over once", async () => {
    const made = await repeat(() => post("/tokens", { name: "twin", role: "viewer" }, "twin"));
    expect((await names("/tokens")).filter((name) => name === "twin")).toHaveLength(1);
    const taken = await repeat(() => post(`/tokens/${made.body.id}/take`, {}, "twin"));
    expect(taken.body.secret).not.toBe(made.body.secret);
  });

  test("alias", async () => {
    const { status } = await repeat(() => post("/aliases", { name: "twin", target: "Router#best" }, "twin"));
    expect(status).toBe(201);
  });

  test("key by its name", async () => {
    const ann = await manage("mem_ann");
    const put = (body: JsonObject) => ann("PUT", "/keys/by-name/Team/bot", body, "twin");
    const { status } = await repeat(() => put({ parallel: 3 }));
    expect(status).toBe(201);
    expect((await put({ parallel: 4 })).error?.code).toBe("idempotency_mismatch");
  });

  test("request for more", async () => {
    const bob = await signInAs({ url: world.url, opened }, "mem_bob", [{ role: "member", accountId: team }]);
    await createOperator(world).patch(`/accounts/${team}`, { member_defaults: { requests_per_minute: 10 } });
    const until = new Date(Date.now() + 86_400_000).toISOString();
    const asked = { account_id: team, limit: "requests_per_minute", amount: 20, until, reason: "more" };
    const { status, body } = await repeat(() => bob("POST", "/limit-requests", asked, "twin"));
    expect([status, body.error]).toEqual([201, undefined]);
  });
});

describe("an Idempotency-Key", () => {
  test("is its sender's own, and its route's", async () => {
    const ann = await manage("mem_ann");
    const bea = await manage("mem_bea");
    const asked = { name: "own", account_id: team };
    const mine = await ann("POST", "/keys", asked, "own");
    const hers = await bea("POST", "/keys", asked, "own");
    expect([mine.status, hers.status]).toEqual([201, 201]);
    expect(hers.body.id).not.toBe(mine.body.id);
    const put = await ann("PUT", "/keys/by-name/Team/other", {}, "own");
    expect([put.status, put.body.name]).toEqual([201, "other"]);
  });

  test("with another body is a conflict, and isn't taken by what was refused", async () => {
    const refused = await post("/keys", { name: "one", account_id: "acct_none" }, "again");
    expect(refused.status).toBe(400);
    expect((await post("/keys", { name: "one", account_id: team }, "again")).status).toBe(201);
    const other = await post("/keys", { name: "two", account_id: team }, "again");
    expect([other.status, other.error?.code, other.error?.param]).toEqual([
      409,
      "idempotency_mismatch",
      "Idempotency-Key",
    ]);
    const odd = await post("/keys", { name: "one", account_id: team }, "x".repeat(256));
    expect([odd.status, odd.error?.param]).toEqual([400, "Idempotency-Key"]);
  });

  test("leaves no secret in the store's rows", async () => {
    const { body } = await post("/keys", { name: "sealed", account_id: team }, "sealed");
    expect(body.secret).toBeString();
    const bytes = await Bun.file(join(world.directory, "poundkey.db")).text();
    const log = await Bun.file(join(world.directory, "poundkey.db-wal")).text();
    expect(`${bytes}${log}`.includes(String(body.secret))).toBe(false);
  });
});
