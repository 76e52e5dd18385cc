// A named token is never more than the person is who made it, along tokens that made tokens.
import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { join } from "node:path";
import { isUpheld } from "../../src/admin/people/token-makers.ts";
import { type OpenedStore, openStore } from "../../src/app/start/open-store.ts";
import type { JsonObject } from "../../src/core/json/json.ts";
import type { Grant, Member, NamedToken } from "../../src/core/people/people.ts";
import { unrecorded } from "../harness/unrecorded.ts";
import { createOperator, type Operator } from "../whole/world/operator.ts";
import { type HttpWorld, startHttpWorld } from "../whole/world/world.ts";
import { makeMember, PEOPLE } from "./samples.ts";
import { signInAs } from "./signed-in.ts";

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

const as = (token: JsonObject) => createOperator({ url: world.url, adminToken: String(token.secret) });
const EVERYWHERE: readonly Grant[] = [{ role: "admin", accountId: null }];
const VIEWER: readonly Grant[] = [{ role: "viewer", accountId: null }];

async function changeMaker(id: string, fields: Partial<Member>): Promise<void> {
  await unrecorded(opened.store).changeMember(id, (before) => ({ ...(before ?? makeMember(id)), ...fields }));
}

test("an admin for a time isn't one for longer by their own token, nor by those that it made", async () => {
  const path = "/members/mem_temp";
  await changeMaker("mem_temp", { email: "Temp@example.com" });
  const temp = await signInAs({ url: world.url, opened }, "mem_temp", VIEWER);
  await admin.patch(path, { role: "admin" });
  const make = async (fields: JsonObject) => {
    const { status, body } = await temp("POST", "/tokens", { name: "t", role: "admin", ...fields });
    expect(status).toBe(201);
    return body;
  };
  const plain = await make({});
  const own = await make({ contact: "temp@example.com" });
  const handed = await make({ contact: "the platform team" });
  const { body: chained } = await as(plain).post("/tokens", { name: "t", role: "admin" });
  const { body: reader } = await as(plain).post("/tokens", { name: "t", role: "viewer" });
  const all = [plain, own, handed, chained, reader];
  const works = () => Promise.all(all.map(async (one) => (await as(one).get("/keys")).status));
  expect(await works()).toEqual([200, 200, 200, 200, 200]);
  await admin.patch(path, { role: null });
  expect(await works()).toEqual([401, 401, 401, 401, 401]);
  expect((await as(plain).patch(path, { role: "admin" })).status).toBe(401);
  const list = (await admin.get("/tokens")).body.data as readonly JsonObject[];
  expect(list.find(({ id }) => id === plain.id)).toMatchObject({ state: "ended", revoked_at: null });
  expect(list.filter(({ member_id }) => member_id === "mem_temp")).toHaveLength(all.length);
  await admin.patch(path, { role: "admin" });
  expect(await works()).toEqual([200, 200, 200, 200, 200]);
});

const NOW = 1000;

function makeToken(id: string, fields: Partial<NamedToken>): NamedToken {
  return {
    id,
    name: id,
    last4: "abcd",
    grants: EVERYWHERE,
    readsContent: false,
    contact: null,
    makerKind: "person",
    makerId: "mem_maker",
    createdAtMs: 1,
    expiresAtMs: null,
    revokedAtMs: null,
    ...fields,
  };
}

/** A token from before contacts were words alone. */
const makeOld = (contactUntilMs: number) => makeToken("t", { contact: "ops", contactUntilMs });

describe("a token of somebody", () => {
  const inA = [{ role: "admin" as const, accountId: "a" }];
  const cases: readonly (readonly [words: string, isKept: boolean, maker: Partial<Member>, NamedToken])[] = [
    ["who is still an admin", true, { ruleGrants: EVERYWHERE }, makeToken("t", {})],
    ["who is an admin of one account now", false, { ruleGrants: inA }, makeToken("t", {})],
    ["who is an admin of its account still", true, { ruleGrants: inA }, makeToken("t", { grants: inA })],
    [
      "who was an admin until now",
      false,
      { ruleGrants: VIEWER, ownGrants: EVERYWHERE, ownUntilMs: NOW },
      makeToken("t", {}),
    ],
    [
      "who is an admin for another moment",
      true,
      { ruleGrants: VIEWER, ownGrants: EVERYWHERE, ownUntilMs: NOW + 1 },
      makeToken("t", {}),
    ],
    ["who views all still", true, { ruleGrants: VIEWER }, makeToken("t", { grants: VIEWER })],
    [
      "who sees no contents any more",
      false,
      { ruleGrants: VIEWER },
      makeToken("t", { grants: VIEWER, readsContent: true }),
    ],
    [
      "who sees contents of one account alone",
      false,
      { ruleGrants: [...VIEWER, { role: "viewer", accountId: "a", readsContent: true }], readsContent: true },
      makeToken("t", { grants: VIEWER, readsContent: true }),
    ],
    [
      "who sees all contents",
      true,
      { ruleGrants: [{ role: "viewer", accountId: null, readsContent: true }], readsContent: true },
      makeToken("t", { grants: VIEWER, readsContent: true }),
    ],
    ["who was shut out", false, { ruleGrants: EVERYWHERE, isDisabled: true }, makeToken("t", {})],
    ["with an own contact", false, { ruleGrants: VIEWER }, makeToken("t", { contact: "mem_maker" })],
    ["with another contact", false, { ruleGrants: VIEWER }, makeToken("t", { contact: "ops" })],
    ["with another contact from before", true, { ruleGrants: VIEWER }, makeOld(NOW + 1)],
    ["with another contact whose week is over", false, { ruleGrants: VIEWER }, makeOld(NOW)],
    ["with another contact from before, and shut out", false, { isDisabled: true }, makeOld(NOW + 1)],
    ["with another contact from before, and anonymous", false, { anonymisedAtMs: 1 }, makeOld(NOW + 1)],
    [
      "with their own contact from before",
      false,
      { ruleGrants: VIEWER },
      { ...makeOld(NOW + 1), contact: " MEM_maker" },
    ],
  ];
  test.each(cases)("%s is upheld: %p", async (_, expected, maker, token) => {
    await changeMaker("mem_maker", {
      ruleGrants: [],
      ownGrants: [],
      ownUntilMs: null,
      readsContent: false,
      isDisabled: false,
      anonymisedAtMs: null,
      ...maker,
    });
    expect(await isUpheld(opened.store, token, NOW)).toBe(expected);
  });

  test("who is unknown is not upheld", async () => {
    expect(await isUpheld(opened.store, makeToken("t", { makerId: "mem_none" }), NOW)).toBe(false);
  });
});

test("a chain stands on the person at its root, and a contact is words alone", async () => {
  await changeMaker("mem_chain", { ruleGrants: EVERYWHERE, email: "chain@example.com" });
  const add = async (token: NamedToken) => {
    await unrecorded(opened.store).addToken(token, `digest of ${token.id}`);
    return token.id;
  };
  const byToken = (id: string, makerId: string, contact: string | null = null) =>
    makeToken(id, { makerKind: "token", makerId, contact });
  const plain = await add(makeToken("tok_plain", { makerId: "mem_chain" }));
  const second = await add(byToken("tok_second", plain, "ops"));
  const old = await add(
    makeToken("tok_old", { makerId: "mem_chain", contact: "ops", contactUntilMs: NOW + 1 }),
  );
  const upheld = (token: NamedToken) => isUpheld(opened.store, token, NOW);
  const chained = [byToken("t", plain), byToken("t", plain, "ops"), byToken("t", second), byToken("t", old)];
  const all = () => Promise.all(chained.map(upheld));
  expect(await all()).toEqual([true, true, true, true]);
  await changeMaker("mem_chain", { ruleGrants: VIEWER });
  expect(await all()).toEqual([false, false, false, true]);
  const revoked = await add({ ...makeToken("tok_revoked", { makerId: "mem_chain" }), revokedAtMs: 1 });
  await changeMaker("mem_chain", { ruleGrants: EVERYWHERE });
  expect(await upheld(byToken("t", revoked, "ops"))).toBe(false);
  expect(await upheld(byToken("t", "tok_none", "ops"))).toBe(false);
  expect(await upheld(makeToken("t", { makerKind: "admin", makerId: "admin" }))).toBe(true);
});
