// The playground with a personal key: for its holder alone, within the limits that hold for its secret.
import { afterAll, beforeAll, expect, test } from "bun:test";
import { join } from "node:path";
import { type OpenedStore, openStore } from "../../../src/app/start/open-store.ts";
import { asArray, asObject } from "../../../src/core/json/json.ts";
import { PEOPLE } from "../../people/samples.ts";
import { type Ask, signInAs } from "../../people/signed-in.ts";
import { formatLine } from "../world/observe.ts";
import { createOperator } from "../world/operator.ts";
import { until } from "../world/until.ts";
import { asking, type HttpWorld, startHttpWorld } from "../world/world.ts";

let world: HttpWorld;
let opened: OpenedStore;
let team: string;
let ann: Ask;
beforeAll(async () => {
  world = await startHttpWorld(PEOPLE);
  opened = await openStore(`sqlite:${join(world.directory, "poundkey.db")}`, undefined);
  team = await world.newAccount("Team");
  ann = await signInAs({ url: world.url, opened }, "mem_ann", [{ role: "member", accountId: team }]);
});
afterAll(async () => {
  await opened.store.close();
  await world.stop();
});

async function makeKey(fields: object = {}): Promise<string> {
  const { body } = await ann("POST", "/keys", { name: "mine", ...fields });
  return String(body.id);
}
const play = (ask: Ask, key: unknown, body: unknown = asking("Acme#cheap"), path = "") =>
  ask("POST", `/playground${path}?key=${key}`, body);

test("a member asks with a key of their own, and sees what it was", async () => {
  const id = await makeKey();
  const answer = await play(ann, id);
  expect(formatLine(answer)).toStartWith("200");
  expect(formatLine(await play(ann, id, asking("Router#light"), "/v1/route"))).toStartWith("200");
  const row = await until("it is logged", async () => {
    const { data } = (await ann("GET", "/requests")).body;
    return asArray(data).length === 1 ? asObject(asArray(data)[0]) : null;
  });
  expect(row).toMatchObject({ key_id: id, account_id: team, member_id: "mem_ann", status: 200 });
  expect(row.address).toBeString();
});

test("the key's models, budgets, addresses and pause hold", async () => {
  const line = async (fields: object) => formatLine(await play(ann, await makeKey(fields)));
  expect(await line({ allowed_models: ["OpenAI#*"] })).toBe("403 permission_error model_not_allowed");
  expect(await line({ budgets: [{ usd: 0, per: "day" }] })).toStartWith("429");
  expect(await line({ allowed_addresses: ["192.0.2.7"] })).toBe("403 permission_error address_not_allowed");
  const paused = await makeKey();
  await ann("PATCH", `/keys/${paused}`, { paused: true });
  expect(formatLine(await play(ann, paused))).toBe("403 permission_error key_paused");
});

test("a key that has ended is refused without ending the session", async () => {
  const revoked = await makeKey();
  await ann("DELETE", `/keys/${revoked}`);
  expect(formatLine(await play(ann, revoked))).toBe("409 invalid_request_error key_revoked");
  expect((await ann("GET", "/session")).status).toBe(200);
});

test("an admin asks in any account, whose budgets hold and whose usage it is", async () => {
  const admin = createOperator(world);
  const account = await world.newAccount("Other team");
  const ask = (query: string) => admin.post(`/playground?${query}`, asking("Acme#cheap"));
  expect(formatLine(await ask(`account=${account}`))).toStartWith("200");
  expect(formatLine(await ask("account=Other%20team"))).toStartWith("200");
  const row = await until("both are logged", async () => {
    const { data } = (await admin.get(`/requests?account=${account}`)).body;
    return asArray(data).length === 2 ? asObject(asArray(data)[0]) : null;
  });
  expect(row).toMatchObject({ key_id: `console_${account}`, account_id: account, status: 200 });
  expect(asArray((await admin.get(`/keys?account_id=${account}`)).body.data)).toEqual([]);
  expect((await admin.get(`/keys/console_${account}`)).status).toBe(404);
  await admin.patch(`/accounts/${account}`, { budgets: [{ usd: 0, per: "day" }] });
  expect(formatLine(await ask(`account=${account}`))).toStartWith("429");
  for (const query of ["account=nobody", "account=acct_none", `account=${account}&key=${await makeKey()}`])
    expect(await ask(query)).toMatchObject({ status: 400, error: { param: "account" } });
  const member = await ann("POST", `/playground?account=${team}`, asking("Acme#cheap"));
  expect(formatLine(member)).toBe("403 permission_error not_permitted");
});

test("nobody asks with somebody else's key, nor with one that isn't personal", async () => {
  const id = await makeKey();
  const bob = await signInAs({ url: world.url, opened }, "mem_bob", [{ role: "member", accountId: team }]);
  expect(formatLine(await play(bob, id))).toBe("404 invalid_request_error not_found");
  const lead = await signInAs({ url: world.url, opened }, "mem_lead", [{ role: "manager", accountId: team }]);
  expect(formatLine(await play(lead, id))).toBe("403 permission_error not_permitted");
  const service = await world.newKey({ name: "service", account_id: team });
  expect(formatLine(await play(lead, service.id))).toBe("403 permission_error not_permitted");
  const admin = createOperator(world);
  const answer = await admin.post(`/playground?key=${id}`, asking("Acme#cheap"));
  expect(formatLine(answer)).toBe("403 permission_error not_permitted");
  expect(formatLine(await ann("POST", "/playground", asking("Acme#cheap")))).toBe(
    "403 permission_error not_permitted",
  );
  expect(formatLine(await play(ann, "console"))).toBe("404 invalid_request_error not_found");
});
