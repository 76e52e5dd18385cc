// An anonymised person leaves no name, e-mail or address on any store: in lists, the audit, statements and what waits.
import { beforeEach, expect, test } from "bun:test";
import { actAs, recordAct } from "../../../src/admin/audit/audit-trail.ts";
import { verifyAuditLog } from "../../../src/admin/audit/audit-verify.ts";
import { getStatement } from "../../../src/admin/money/statements.ts";
import { anonymiseMember, finishErasings } from "../../../src/admin/people/anonymising.ts";
import { random } from "../../../src/app/world.ts";
import type { LimitRequestStep } from "../../../src/core/changes.ts";
import { makeEvent } from "../../../src/core/events/events.ts";
import type { LimitRequest } from "../../../src/core/people/limit-request.ts";
import type { NamedToken } from "../../../src/core/people/people.ts";
import type { Store } from "../../../src/core/store.ts";
import { TESTER } from "../../harness/acting.ts";
import { decideByDemand, makeKey, makeRecord, NOON, writeRecord } from "../../harness/samples.ts";
import { catchThrown } from "../../harness/thrown.ts";
import { unrecorded } from "../../harness/unrecorded.ts";
import { makeRefusal } from "../../http/refusal-samples.ts";
import { makeMember } from "../../people/samples.ts";
import { makeDelivery } from "../../webhooks/samples.ts";
import { makeSuite, type TwoStores } from "../two-stores.ts";
import { directory } from "./directory.suite.ts";
import { doubts } from "./doubts.suite.ts";

export const erasingSuite = makeSuite({
  erasing,
  "erasing from tags": tagged,
  "erasing from statements": closed,
  "people in doubt": doubts,
  "a company's directory": directory,
});

const ID = "mem_1";
const NAME = "Erika Müller";
const EMAIL = "Erika.Müller@Example.com";
const HOME = "192.0.2.7";
const ELSEWHERE = "198.51.100.9";
const TRACES = /erika|müller|192\.0\.2\.7/i;
const FIRST = { limit: 100, after: null };
const EVERYTHING = { accountIds: null, personal: null };

function worldOn(store: Store) {
  let ticks = 0;
  return { store, clock: { nowMs: () => NOON + ticks++ }, random, pepper: new Uint8Array(32) };
}

function makeToken(id: string, contact: string): NamedToken {
  return {
    id,
    name: "nightly",
    last4: "abcd",
    grants: [],
    readsContent: false,
    contact,
    makerKind: "admin",
    makerId: "admin",
    createdAtMs: NOON,
    expiresAtMs: null,
    revokedAtMs: null,
  };
}

/** The person's keys, and others' that name the person, each with a history on record. */
async function addKeys(store: Store): Promise<void> {
  const person = { kind: "person", id: ID, name: NAME } as const;
  const own = actAs(worldOn(store), { ...TESTER, actor: person, address: HOME }).changes;
  const { changes } = actAs(worldOn(store), TESTER);
  await changes.changeMember(ID, () => makeMember(ID, { name: NAME, email: EMAIL }));
  const mine = { memberId: ID, notes: `${NAME}'s laptop`, allowedAddresses: [HOME, "127.0.0.1"] };
  await own.addKey(makeKey("key_1", { name: `Agents of ${NAME}`, ...mine }), "digest 1");
  await own.changeKey("key_1", { name: "Laptop of Erika" });
  await changes.addKey(makeKey("key_robot", { name: "robot", contact: EMAIL.toLowerCase() }), "digest 2");
  await changes.addKey(makeKey("key_former", { name: "former", contact: EMAIL }), "digest 3");
  await changes.changeKey("key_former", { contact: "ops" });
  await changes.addKey(makeKey("key_other", { name: "other", contact: "ops" }), "digest 4");
  await changes.addToken(makeToken("tok_1", EMAIL.toUpperCase()), "digest 5");
  await changes.addToken(makeToken("tok_other", "ops"), "digest 6");
}

/** An agent that the person approved, and a request for more whose decision names the person. */
async function addAsked(store: Store): Promise<void> {
  const actor = { kind: "person", id: ID, name: NAME } as const;
  const world = worldOn(store);
  const agent = { agent: "claude-code", address: HOME };
  const of = { ...agent, memberId: ID, accountId: "default", keyId: "key_1" };
  const device = {
    ...of,
    id: "dev_1",
    createdAtMs: NOON,
    usedAtMs: NOON,
    expiresAtMs: NOON + 1,
    endedAtMs: null,
    refreshDigest: "refresh 1",
    oldRefreshDigest: null,
    answerSealed: null,
  };
  const added = { device, secret: { digest: "secret 1", deviceId: "dev_1", untilMs: NOON + 1 } };
  await store.devices.stepCode("user", "none", () => ({ code: null, added }), 10);
  const target = { type: "device", id: "", name: "claude-code" } as const;
  await recordAct(world, { ...TESTER, actor }, { action: "device.approved", target, after: agent });
  const request: LimitRequest = {
    id: "lrq_1",
    accountId: "default",
    memberId: ID,
    kind: "budget",
    per: "day",
    models: null,
    amount: 50,
    reason: `${NAME} asks`,
    createdAtMs: NOON,
    untilMs: NOON + 1,
    state: "open",
    decidedAtMs: null,
    deciderKind: null,
    deciderId: null,
    note: null,
  };
  const { changes } = actAs(world, TESTER);
  const step = (after: LimitRequest): LimitRequestStep => ({
    request: after,
    event: makeEvent("limit_request.made", after.state, { accountId: "default", atMs: NOON, data: {} }),
  });
  await changes.addLimitRequest(step(request), NOON - 1, () => {});
  await changes.decideLimitRequest(request, (before) =>
    step({ ...before, state: "refused", note: `Not for Erika` }),
  );
}

/** Requests and refusals of the person's key and of another, hours apart. */
async function addUse(store: Store): Promise<void> {
  for (const [keyId, address] of [
    ["key_1", HOME],
    ["key_other", ELSEWHERE],
  ] as const) {
    for (const hours of [0, 30]) {
      const id = `${keyId} ${hours}`;
      const atMs = NOON - hours * 3_600_000;
      await writeRecord(store, makeRecord(id, { keyId, address, session: `of ${address}`, atMs }));
    }
    const limit = { scope: "key", name: `Key at ${address}`, kind: "parallel", limit: 1, used: 1 } as const;
    await store.refusals.add({ counts: [makeRefusal(`of ${keyId}`, { keyId, address, limit })], sums: [] });
  }
}

async function addWaiting(store: Store): Promise<void> {
  const ofKey = (key_id: string) => ({ key_id, name: `Agents of ${NAME}` });
  await store.webhooks.add([
    makeDelivery("d1", { data: ofKey("key_1") }),
    makeDelivery("d2", { data: { key_id: "key_other", name: "other" } }),
  ]);
  const about = { accountId: "default", atMs: NOON };
  await store.addEvents([
    makeEvent("key.expiring", "key_1", { ...about, data: { ...ofKey("key_1"), member_id: ID } }),
    makeEvent("key.expiring", "key_other", { ...about, data: { key_id: "key_other" } }),
  ]);
}

/** Returns what the lists show, by their names. */
async function readLists(store: Store) {
  while ((await store.auditLog.chain(100)) !== null);
  return {
    members: await store.people.members(FIRST),
    keys: await store.keys(FIRST),
    tokens: await store.people.tokens(100),
    audit: await store.auditLog.rows({ accountIds: null }, { limit: 1000, before: null }),
    requests: await store.requests({}, FIRST),
    refusals: (await store.refusals.list({}, FIRST, 1000)).rows,
    deliveries: await store.webhooks.list({ scope: EVERYTHING }, FIRST),
    events: await store.takeEvents(NOON, 100),
    asked: await store.limitRequests.list({ scope: EVERYTHING }, FIRST),
    device: [await store.devices.deviceByRefresh("refresh 1")],
  };
}

function anonymise(store: Store) {
  return anonymiseMember({ ...actAs(worldOn(store), TESTER), keysExpireMs: () => null }, ID);
}

function erasing(stores: () => TwoStores): void {
  beforeEach(async () => {
    const { store } = stores();
    await addKeys(store);
    await addAsked(store);
    await addUse(store);
    await addWaiting(store);
  });

  test("from all lists at once, and the audit still proves itself", async () => {
    const { store, other } = stores();
    expect((await anonymise(store)).email).toBeNull();
    const lists = await readLists(other);
    for (const [name, rows] of Object.entries(lists)) {
      expect([name, JSON.stringify(rows)]).toEqual([name, expect.not.stringMatching(TRACES)]);
    }
    expect((await verifyAuditLog(other.auditLog)).broken).toBeNull();
    expect(lists.audit.map(({ action }) => action)).toContain("member.anonymised");
    expect(await other.keys(FIRST, { text: "erika", nowMs: NOON })).toEqual([]);
    await anonymise(other);
  });

  test("also where a killed node left off, by whichever node looks next", async () => {
    const { store, other } = stores();
    const forgetTexts = async () => {
      throw new Error("the node is gone");
    };
    const dying = { ...store, limitRequests: { ...store.limitRequests, forgetTexts } };
    expect(await catchThrown(anonymise(dying))).toBeInstanceOf(Error);
    expect((await other.people.member(ID))?.email).not.toBeNull();
    await finishErasings(worldOn(other));
    expect((await store.people.member(ID))?.erasedAtMs).toBeNumber();
    expect(JSON.stringify(await readLists(store))).not.toMatch(TRACES);
    expect(await other.people.unerased(1)).toEqual([]);
  });

  test("and nobody else is: others' names, contacts, addresses and history stay", async () => {
    const { store, other } = stores();
    await anonymise(store);
    const lists = await readLists(other);
    const named = new Map(lists.keys.map((key) => [key.id, key]));
    expect(named.get("key_1")).toMatchObject({ name: "key_1", notes: null, allowedAddresses: null });
    expect(named.get("key_robot")).toMatchObject({ name: "robot", contact: null, revokedAtMs: null });
    expect(named.get("key_former")).toMatchObject({ contact: "ops", revokedAtMs: null });
    expect(lists.tokens.map(({ id, contact }) => [id, contact]).toSorted()).toEqual([
      ["tok_1", ID],
      ["tok_other", "ops"],
    ]);
    expectOthersUse(lists);
    expectOthersChanges(lists.audit);
  });
}

/** Tags whose value is the address. */
function tagged(stores: () => TwoStores): void {
  beforeEach(() => addKeys(stores().store));

  test("also from tags whose value is the address, of requests, their sums, keys and accounts", async () => {
    const { store, other } = stores();
    const { changes } = actAs(worldOn(store), TESTER);
    const email = "tess@example.com";
    await changes.changeMember(ID, (before) => before && { ...before, email });
    await changes.addKey(
      makeKey("key_tagged", { tags: { team: "a", user: "Tess@Example.com" } }),
      "digest 7",
    );
    await changes.changeAccount("default", { tags: { lead: email } });
    const tags = (id: string) => `lead=${id},team=tess@example.com.au,user=${id}`;
    await writeRecord(store, makeRecord("tagged", { keyId: "key_other", tags: tags(email), atMs: NOON }));
    await anonymise(store);
    expect((await other.key("key_tagged"))?.tags).toEqual({ team: "a", user: ID });
    expect((await other.account("default"))?.tags).toEqual({ lead: ID });
    expect((await other.request("tagged"))?.tags).toBe(tags(ID));
    const range = { fromMs: NOON - 3_600_000, toMs: NOON + 3_600_000 };
    const sums = await other.usage({ ...range, groupBy: ["tag"] });
    const tagged = sums.filter(({ tag }) => tag.includes("="));
    expect(tagged.map(({ tag, requests }) => [tag, requests]).toSorted()).toEqual(
      tags(ID)
        .split(",")
        .map((tag) => [tag, 1]),
    );
  });
}

type Lists = Awaited<ReturnType<typeof readLists>>;

/** Requests and refusals of other people's keys keep their address and session. */
function expectOthersUse(lists: Lists): void {
  const where = lists.requests.map(({ keyId, address, session }) => `${keyId} ${address} ${session}`);
  expect(where.toSorted()).toEqual([
    "key_1 null null",
    "key_1 null null",
    `key_other ${ELSEWHERE} of ${ELSEWHERE}`,
    `key_other ${ELSEWHERE} of ${ELSEWHERE}`,
  ]);
  const refused = lists.refusals.map(({ keyId, address, limit }) => [keyId, address, limit?.name]);
  expect(refused.toSorted()).toEqual([
    ["key_1", null, undefined],
    ["key_other", ELSEWHERE, `Key at ${ELSEWHERE}`],
  ]);
  expect([
    lists.deliveries.map(({ id }) => id),
    lists.events.flatMap(({ data }) => data.key_id ?? []),
  ]).toEqual([["d2"], ["key_other"]]);
}

function expectOthersChanges(audit: Lists["audit"]): void {
  const changes = audit.filter(({ targetId }) => targetId === "key_other");
  expect(changes.map(({ targetName, after }) => [targetName, after])).toEqual([
    ["other", expect.stringContaining('"contact":"ops"')],
  ]);
  expect(audit.find(({ targetId }) => targetId === "key_robot")).toMatchObject({
    action: "key.changed",
    targetName: "robot",
    before: null,
    after: '{"contact":null}',
  });
}

function closed(stores: () => TwoStores): void {
  test("takes effect in closed ones too, where service keys keep the names that they had", async () => {
    const store = await stores().bench.open(decideByDemand);
    await addKeys(store);
    await addUse(store);
    const dayRules = () => ({ timeZone: "UTC", dayStartsMinutes: 0 });
    const read = () => {
      const clock = { nowMs: () => Date.parse("2026-12-03T00:00:00Z") };
      return getStatement({ store, clock, dayRules }, "default", "2026-11");
    };
    const names = async () =>
      (await read()).lines.filter(({ kind }) => kind === "key").map(({ id, name }) => `${id} ${name}`);
    expect((await names()).toSorted()).toEqual(["key_1 Laptop of Erika", "key_other other"]);
    await unrecorded(store).changeKey("key_other", { name: "renamed" });
    await anonymise(store);
    expect((await names()).toSorted()).toEqual(["key_1 key_1", "key_other other"]);
    expect((await read()).state).toBe("closed");
    expect((await store.journals.statement("default", "2026-11"))?.data).not.toMatch(TRACES);
    await store.close();
  });
}
