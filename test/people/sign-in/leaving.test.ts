// People who leave: their sessions and personal keys end, by the provider's refresh token, its silence, or an admin.
import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { join } from "node:path";
import { type OpenedStore, openStore } from "../../../src/app/start/open-store.ts";
import { asArray, asObject, type JsonObject } from "../../../src/core/json/json.ts";
import { KEY_DEFAULTS } from "../../../src/core/keys/key.ts";
import { digestSecret, mintSecret, mintTokenSecret } from "../../../src/keys/secret.ts";
import { unrecorded } from "../../harness/unrecorded.ts";
import { until } from "../../whole/world/until.ts";
import type { Browser } from "./browser.ts";
import { type Forger, startForger } from "./forger.ts";
import { askAs, RULES, type SignInWorld, signInAs, startSignInWorld } from "./world.ts";

const SOON = "members: { recheck: 1s, key_expires: 2s }";

let world: SignInWorld;
let opened: OpenedStore;
beforeAll(async () => {
  world = await startSignInWorld({ oidc: `${RULES}, ${SOON}` });
  opened = await openSame(world);
});
afterAll(async () => {
  await opened.store.close();
  await world.stop();
});

/** Opens the gateway's store a second time, as another node would. */
function openSame({ gateway }: SignInWorld): Promise<OpenedStore> {
  return openStore(`sqlite:${join(gateway.directory, "poundkey.db")}`, undefined);
}

async function askAdmin({ gateway }: SignInWorld, method: string, path: string, body?: unknown) {
  const headers = { authorization: `Bearer ${gateway.adminToken}`, "content-type": "application/json" };
  const init = { method, headers, ...(body === undefined ? {} : { body: JSON.stringify(body) }) };
  const response = await fetch(`${gateway.url}/admin/v1${path}`, init);
  return { status: response.status, body: asObject(await response.json()) };
}

async function findMember(at: SignInWorld, name: string): Promise<JsonObject> {
  const { body } = await askAdmin(at, "GET", "/members");
  const found = asArray(body.data)
    .map(asObject)
    .find((one) => one.name === name);
  if (found === undefined) throw new Error(`nobody is called ${name}`);
  return found;
}

/** Gives the person a key of their own. Returns its id. */
async function addPersonalKey(
  { store }: OpenedStore,
  memberId: unknown,
  digest = `digest of key_of_${memberId}`,
): Promise<string> {
  const id = `key_of_${memberId}`;
  const key = {
    ...KEY_DEFAULTS,
    id,
    name: "own",
    accountId: "default",
    last4: "abcd",
    createdAtMs: Date.now(),
  };
  await unrecorded(store).addKey({ ...key, memberId: String(memberId) }, digest);
  return id;
}

const isIn = async (browser: Browser, at = world) => (await askAs(browser, at.url, "/keys")).status === 200;

/** Signs in somebody who has a key, too. */
async function enter(login: string, groups: readonly string[]) {
  world.provider.people.set(login, { name: login, groups });
  const { browser } = await signInAs(world, login);
  expect(await isIn(browser)).toBe(true);
  const { id } = await findMember(world, login);
  return { browser, id, keyId: await addPersonalKey(opened, id) };
}

/** Gives the person a named token. Returns a function that says if it still works. */
async function addToken(memberId: unknown, contact: string | null = null) {
  const secret = mintTokenSecret(opened.world.random);
  const fields = { name: "theirs", last4: "abcd", readsContent: false, createdAtMs: 1, expiresAtMs: null };
  const made = { makerKind: "person", makerId: String(memberId), contact, revokedAtMs: null } as const;
  const grants = [{ role: "viewer", accountId: null }] as const;
  const token = { id: `tok_${crypto.randomUUID()}`, ...fields, ...made, grants };
  await unrecorded(opened.store).addToken(token, digestSecret(secret, opened.world.pepper));
  const headers = { authorization: `Bearer ${secret}` };
  return async () => (await fetch(`${world.gateway.url}/admin/v1/keys`, { headers })).status === 200;
}

const isRevoked = async (id: string) => (await opened.store.key(id))?.revokedAtMs !== null;

describe("with a provider that gives refresh tokens", () => {
  // Three that wait for the next recheck, each with people of its own.
  test.concurrent("whoever is gone there is out, with their keys, and nobody else is", async () => {
    const ada = await enter("ada", ["platform"]);
    const eve = await enter("eve", ["platform"]);
    const ned = await enter("ned", ["watchers", "search"]);
    world.provider.people.delete("eve");
    world.provider.people.set("ned", { name: "ned", groups: ["others"] });
    await until("eve is out", async () => !(await isIn(eve.browser)));
    await until("ned is out", async () => !(await isIn(ned.browser)));
    await until("eve's key has ended", () => isRevoked(eve.keyId));
    await until("ned's key has ended", () => isRevoked(ned.keyId));
    expect([await isIn(ada.browser), await isRevoked(ada.keyId)]).toEqual([true, false]);
    expect((await findMember(world, "eve")).role).toBeNull();
    const here = [ada.id, eve.id, ned.id];
    const listLeft = () =>
      world.gateway.events.filter((one) => one.event === "member.left" && here.includes(one.member_id));
    await until("both are told of", () => listLeft().length === 2);
    expect(
      listLeft()
        .map(({ reason }) => String(reason))
        .toSorted(),
    ).toEqual(["gone", "no_rule"]);
    expect((await signInAs(world, "ned")).page.status).toBe(403);
  });

  test.concurrent("named tokens end with the person who made them, also without a session, and whatever their contact is", async () => {
    world.provider.people.set("liv", {
      name: "liv",
      groups: ["platform"],
      email: "liv@example.com",
      email_verified: true,
    });
    const { browser } = await signInAs(world, "liv");
    const { id } = await findMember(world, "liv");
    const isWorking = await addToken(id);
    const isOthers = await addToken(id, "the platform team");
    const headers = { cookie: browser.cookies(world.url), origin: world.url };
    await fetch(`${world.url}/auth/oidc/logout`, { method: "POST", headers, redirect: "manual" });
    expect([await isIn(browser), await isWorking(), await isOthers()]).toEqual([false, true, true]);
    const service = {
      ...KEY_DEFAULTS,
      id: "key_service",
      name: "service",
      accountId: "default",
      last4: "abcd",
    };
    await unrecorded(opened.store).addKey(
      { ...service, createdAtMs: 1, contact: "Liv@Example.com" },
      "digest of a service key",
    );
    world.provider.people.delete("liv");
    await until("the token has ended", async () => !(await isWorking()));
    await until("the key's contact is reported", () =>
      world.gateway.events.some((one) => one.event === "key.contact_gone" && one.key_id === "key_service"),
    );
    expect([await isOthers(), await isRevoked("key_service")]).toEqual([false, false]);
  });

  test.concurrent("other groups give another role, within the same session", async () => {
    const { browser } = await enter("ida", ["platform"]);
    world.provider.people.set("ida", { name: "ida", groups: ["watchers"] });
    await until("the role is lower", async () => (await findMember(world, "ida")).role === "viewer");
    expect(await isIn(browser)).toBe(true);
    expect(await findMember(world, "ida")).toMatchObject({
      accounts: ["default"],
      grants: [{ role: "viewer", account: "default" }],
    });
  });

  test("one that doesn't answer ends nobody, and is asked again", async () => {
    const { browser, keyId } = await enter("una", ["platform"]);
    world.provider.rest(true);
    await until("it was asked", () => world.gateway.events.some(({ event }) => event === "issuer_silent"));
    const before = (await findMember(world, "una")).seen_at;
    expect([await isIn(browser), await isRevoked(keyId)]).toEqual([true, false]);
    world.provider.rest(false);
    await until("it has answered again", async () => (await findMember(world, "una")).seen_at !== before);
    world.provider.people.delete("una");
    await until("una is out", async () => !(await isIn(browser)));
  });
});

describe("an admin", () => {
  test("shuts somebody out at once, on all nodes, and lets them in again", async () => {
    const { browser, id, keyId } = await enter("max", ["platform"]);
    const second = await world.gateway.another();
    const { status, body } = await askAdmin(world, "PATCH", `/members/${id}`, { disabled: true });
    expect([status, body.disabled, body.role]).toEqual([200, true, null]);
    expect(await isIn(browser)).toBe(false);
    const headers = { cookie: browser.cookies(world.url) };
    expect((await fetch(`${second.url}/admin/v1/keys`, { headers })).status).toBe(401);
    expect(await opened.store.key(keyId)).toMatchObject({ isPaused: true, pausedBy: ["disabled"] });
    const again = await signInAs(world, "max");
    expect([again.page.status, again.page.text]).toEqual([
      403,
      expect.stringContaining("by an administrator"),
    ]);
    await askAdmin(world, "PATCH", `/members/${id}`, { disabled: false });
    expect((await signInAs(world, "max")).page.status).toBe(200);
    expect(await opened.store.key(keyId)).toMatchObject({ isPaused: false });
    await second.stop();
  });

  test("gives a role besides the rules, until it ends", async () => {
    const { id } = await enter("tom", ["watchers"]);
    const untilTime = new Date(Date.now() + 60_000).toISOString();
    const given = { role: "manager", accounts: ["default"], until: untilTime };
    const { body } = await askAdmin(world, "PATCH", `/members/${id}`, given);
    expect(body).toMatchObject({ role: "manager", until: untilTime, accounts: ["default"] });
    expect(body.grants).toEqual([{ role: "manager", account: "default" }]);
    for (const [wrong, param] of [
      [{ role: "king" }, "role"],
      [{ accounts: ["none"], role: "viewer" }, "accounts"],
      [{ until: "2020-01-01T00:00:00Z" }, "until"],
      [{ name: "x" }, "name"],
    ] as const) {
      const refused = await askAdmin(world, "PATCH", `/members/${id}`, wrong);
      expect([refused.status, asObject(refused.body.error).param]).toEqual([400, param]);
    }
    expect((await askAdmin(world, "PATCH", `/members/${id}`, { role: null })).body.role).toBe("viewer");
    expect((await askAdmin(world, "GET", "/members/none")).status).toBe(404);
  });

  test("gives a role that has its own end, or none: that of an earlier one doesn't outlast it", async () => {
    const { id } = await enter("kim", ["watchers"]);
    const give = async (given: JsonObject) => {
      const { status, body } = await askAdmin(world, "PATCH", `/members/${id}`, given);
      if (status !== 200) return `${status} ${asObject(body.error).param}`;
      return [body.role, asArray(body.own_grants).length, body.until].join(" ");
    };
    const inHours = (count: number) => new Date(Date.now() + count * 3_600_000).toISOString();
    const soon = inHours(1);
    const later = inHours(2);
    expect(await give({ until: soon })).toBe("400 until");
    expect(await give({ role: "manager", until: soon })).toBe(`manager 1 ${soon}`);
    expect(await give({ until: later })).toBe(`manager 1 ${later}`);
    expect(await give({ accounts: ["default"] })).toBe(`manager 1 ${later}`);
    expect(await give({ role: null, until: later })).toBe("400 until");
    expect(await give({ role: null })).toBe("viewer 0 ");
    await give({ role: "manager", until: soon });
    await unrecorded(opened.store).changeMember(
      String(id),
      (one) => one && { ...one, ownUntilMs: Date.now() - 1 },
    );
    expect(await give({ role: "operator" })).toBe("operator 1 ");
  });

  test("anonymises somebody, who never comes back", async () => {
    const { id, browser, keyId } = await enter("zoe", ["platform"]);
    const { status, body } = await askAdmin(world, "POST", `/members/${id}/anonymise`);
    expect([status, body.name, body.email, body.role]).toEqual([201, "", null, null]);
    expect([await isIn(browser), await isRevoked(keyId)]).toEqual([false, true]);
    expect((await signInAs(world, "zoe")).page.status).toBe(403);
    expect((await askAdmin(world, "PATCH", `/members/${id}`, { disabled: false })).status).toBe(400);
    expect(JSON.stringify((await askAdmin(world, "GET", "/members")).body)).not.toContain("zoe");
  });
});

// Two that wait for a recheck of their own gateways.
test.concurrent("with a provider that gives none, sessions end at the recheck, and keys some time after the last sign-in", async () => {
  const forger: Forger = await startForger();
  const silent = await startSignInWorld({ issuer: forger.issuer, oidc: `${RULES}, ${SOON}` });
  const same = await openSame(silent);
  const { browser } = await signInAs(silent, "ada");
  const { id, keys_expire_at } = await findMember(silent, "Ada");
  expect(Date.parse(String(keys_expire_at))).toBeGreaterThan(Date.now());
  const secret = mintSecret(same.world.random);
  const keyId = await addPersonalKey(same, id, digestSecret(secret, same.world.pepper));
  await until("the session has ended", async () => !(await isIn(browser, silent)));
  await until("the key has ended", async () => (await same.store.key(keyId))?.revokedAtMs !== null);
  const headers = { authorization: `Bearer ${secret}` };
  const refused = await fetch(`${silent.gateway.url}/v1/key`, { headers });
  const { error } = asObject(await refused.json());
  expect([refused.status, asObject(error).code]).toEqual([401, "sign_in_required"]);
  expect(asObject(error).message).toContain(`Sign in again at ${silent.url}`);
  const told = () =>
    silent.gateway.events.flatMap((one) =>
      ["key.expiring", "member.keys_expired"].includes(one.event)
        ? [[one.event, one.key_id ?? one.member_id]]
        : [],
    );
  await until("both are told of", () => told().length === 2);
  expect(told()).toEqual([
    ["key.expiring", keyId],
    ["member.keys_expired", id],
  ]);
  await same.store.close();
  await silent.stop();
  await forger.stop();
});

test.concurrent("somebody removed while the provider was away is out within `recheck`, and their key works again once they sign in", async () => {
  const oidc = `${RULES}, members: { recheck: 1s, doubt: 0s, key_expires: 1h }`;
  const away = await startSignInWorld({ oidc });
  const same = await openSame(away);
  away.provider.people.set("rob", { name: "rob", groups: ["platform"] });
  const { browser } = await signInAs(away, "rob");
  const { id } = await findMember(away, "rob");
  const secret = mintSecret(same.world.random);
  const key = { ...KEY_DEFAULTS, id: "key_rob", name: "own", accountId: "default", last4: "abcd" };
  await unrecorded(same.store).addKey(
    { ...key, createdAtMs: 1, memberId: String(id) },
    digestSecret(secret, same.world.pepper),
  );
  const use = async () => {
    const response = await fetch(`${away.gateway.url}/v1/key`, {
      headers: { authorization: `Bearer ${secret}` },
    });
    const body = asObject(await response.json());
    return response.status === 200 ? "200" : `${response.status} ${asObject(body.error).code}`;
  };
  expect(await use()).toBe("200");
  away.provider.rest(true);
  await until("it was asked", () => away.gateway.events.some(({ event }) => event === "issuer_silent"));
  away.provider.people.delete("rob");
  away.provider.rest(false);
  await until("the session has ended", async () => !(await isIn(browser, away)));
  await until("the key is refused", async () => (await use()) === "401 sign_in_required");
  away.provider.people.set("rob", { name: "rob", groups: ["platform"] });
  expect((await signInAs(away, "rob")).page.status).toBe(200);
  await until("the key works again", async () => (await use()) === "200");
  await same.store.close();
  await away.stop();
});
