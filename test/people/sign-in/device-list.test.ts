// A person's agents: their list and end, and what is on record of both.
import { afterAll, beforeAll, expect, test } from "bun:test";
import { asArray, asObject } from "../../../src/core/json/json.ts";
import { until } from "../../whole/world/until.ts";
import { refresh, sendDecision, signInAgent, startDevice } from "./agent.ts";
import type { Browser } from "./browser.ts";
import { askAs, type SignInWorld, signInAs, startSignInWorld } from "./world.ts";

const RULES = `rules: [
  { group: platform, role: admin }, { group: audit, role: viewer }, { group: search, role: member, accounts: [default] } ]`;

let world: SignInWorld;
let mia: Browser;
let ida: Browser;
beforeAll(async () => {
  world = await startSignInWorld({ oidc: RULES });
  const { people } = world.provider;
  for (const name of ["Mia", "Lia"]) people.set(name, { name, groups: ["search"] });
  people.set("Ida", { name: "Ida", groups: ["platform"] });
  people.set("Vera", { name: "Vera", groups: ["audit"] });
  mia = (await signInAs(world, "Mia")).browser;
  ida = (await signInAs(world, "Ida")).browser;
});
afterAll(() => world.stop());

async function showKey(secret: unknown) {
  const response = await fetch(`${world.url}/v1/key`, { headers: { authorization: `Bearer ${secret}` } });
  return { status: response.status, body: asObject(await response.json()) };
}

async function listOf(browser: Browser, memberId: unknown) {
  const { status, body } = await askAs(browser, world.url, `/members/${memberId}/devices`);
  return { status, data: status === 200 ? asArray(asObject(body).data).map(asObject) : [] };
}

/** Returns the first entry of an action, once it is chained. */
async function findEntry(action: string) {
  let found: unknown;
  await until(`${action} is on record`, async () => {
    const { body } = await askAs(ida, world.url, `/audit?action=${action}&outcome=success`);
    [found] = asArray(asObject(body).data);
    return found !== undefined;
  });
  return asObject(found);
}

test("the list shows people their own, and those who see members the others'", async () => {
  const { browser: own } = await signInAs(world, "Lia");
  const { refresh_token: token, access_token: secret } = await signInAgent(own, world.url, {
    agent: "codex",
  });
  const session = asObject((await askAs(own, world.url, "/session")).body);
  const { id } = asObject(session.actor);
  const { data } = await listOf(own, id);
  expect(data).toEqual([
    {
      id: expect.stringMatching(/^dev_/),
      agent: "codex",
      account_id: "default",
      key_id: (await showKey(secret)).body.id,
      address: "127.0.0.1",
      created_at: expect.any(String),
      used_at: expect.any(String),
      expires_at: expect.any(String),
    },
  ]);
  expect((await listOf(ida, id)).data).toEqual(data);
  expect(await listOf(mia, id)).toEqual({ status: 404, data: [] });
  const path = `/members/${id}/devices/${data[0]?.id}`;
  expect((await askAs(mia, world.url, path, { method: "DELETE" })).status).toBe(404);
  const { browser: vera } = await signInAs(world, "Vera");
  expect((await listOf(vera, id)).data).toEqual(data);
  expect((await askAs(vera, world.url, path, { method: "DELETE" })).status).toBe(403);
  expect((await showKey(secret)).status).toBe(200);
  expect((await askAs(ida, world.url, path, { method: "DELETE" })).status).toBe(200);
  await until("the secret has ended", async () => (await showKey(secret)).status === 401);
  expect((await refresh(world.url, token)).status).toBe(401);
  expect(await listOf(own, id)).toEqual({ status: 200, data: [] });
  expect((await askAs(own, world.url, path, { method: "DELETE" })).status).toBe(404);
});

test("decisions and ends are on record", async () => {
  const { userCode } = await startDevice(world.url, "my-agent");
  await sendDecision(mia, world.url, { user_code: userCode, action: "deny" });
  await signInAgent(mia, world.url, { agent: "my-agent" });
  const target = { type: "device", id: "", name: "my-agent" };
  const actor = expect.objectContaining({ kind: "person", name: "Mia" });
  expect(await findEntry("device.denied")).toMatchObject({ outcome: "success", actor, target });
  const of = {
    outcome: "success",
    account_id: "default",
    actor: { kind: "person" },
    target: { type: "device" },
  };
  expect(await findEntry("device.approved")).toMatchObject(of);
  const ended = { actor: { name: "Ida" }, target: { type: "device", id: expect.stringMatching(/^dev_/) } };
  expect(await findEntry("device.ended")).toMatchObject(ended);
});
