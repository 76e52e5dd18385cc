// The console's needs on every store: sign-ins, and credentials added at run time.
import { describe, expect, test } from "bun:test";
import type { RequestRecord } from "../../../src/core/log/record.ts";
import type { Session } from "../../../src/core/people/people.ts";
import type { StoredCredential } from "../../../src/core/rows.ts";
import { HOUR, makeRecord, NOON, writeRecord } from "../../harness/samples.ts";
import { catchThrown } from "../../harness/thrown.ts";
import { unrecorded } from "../../harness/unrecorded.ts";
import { savings, savingsByDay } from "../log/savings.suite.ts";
import { type MakeBench, type TwoStores, twoStores } from "../two-stores.ts";
import { countsByAccount } from "./counts.suite.ts";

function sessionOf(digest: string, expiresAtMs: number): Session {
  return {
    digest,
    tokenDigest: `token of ${digest}`,
    expiresAtMs,
    tokenId: null,
    memberId: null,
    issuerSession: null,
    address: "192.0.2.1",
    agent: "a browser",
  };
}

function credentialOf(id: string, fields: Partial<StoredCredential> = {}): StoredCredential {
  return {
    id,
    provider: "OpenAI",
    sealed: "c2VhbGVk",
    weight: 1.5,
    priceFactor: 0.85,
    requestsPerMinute: 1_000_000_000,
    tokensPerMinute: null,
    parallel: 12,
    enabled: true,
    createdAtMs: NOON,
    ...fields,
  };
}

function logouts(stores: () => TwoStores): void {
  test("an issuer's logout ends the sessions that it names once, with its use or not at all", async () => {
    const { store, other, bench } = stores();
    const begin = (digest: string, memberId: string, issuerSession: string | null) =>
      store.people.addSession({ ...sessionOf(digest, NOON + 9), memberId, issuerSession }, NOON);
    await begin("one", "mem_ann", "sid_1");
    await begin("two", "mem_ann", "sid_2");
    await begin("unknown", "mem_ann", null);
    await begin("bob", "mem_bob", "sid_1");
    const left = async () => {
      const digests = ["one", "two", "unknown", "bob"];
      const found = await Promise.all(digests.map((digest) => other.people.session(digest)));
      return found.flatMap((one) => one?.digest ?? []).join(" ");
    };
    const use = (digest: string) => ({ digest, untilMs: NOON + 5, nowMs: NOON });
    const ofAnn = { memberId: "mem_ann", issuerSession: "sid_1" };
    await bench.raw("ALTER TABLE session RENAME TO session_away");
    expect(await catchThrown(store.people.endSessionsOnce(use("a"), ofAnn))).toBeInstanceOf(Error);
    await bench.raw("ALTER TABLE session_away RENAME TO session");
    expect(await left()).toBe("one two unknown bob");
    expect(await store.people.endSessionsOnce(use("a"), ofAnn)).toBe(2);
    expect(await left()).toBe("two bob");
    await begin("one", "mem_ann", "sid_1");
    expect(await other.people.endSessionsOnce(use("a"), ofAnn)).toBeNull();
    expect(await left()).toBe("one two bob");
    const ofIssuer = { memberId: null, issuerSession: "sid_1" };
    expect(await other.people.endSessionsOnce(use("b"), ofIssuer)).toBe(2);
    expect(await left()).toBe("two");
    const later = { digest: "a", untilMs: NOON + 20, nowMs: NOON + 6 };
    expect(await store.people.endSessionsOnce(later, { memberId: "mem_ann", issuerSession: null })).toBe(1);
  });
}

function origins(stores: () => TwoStores): void {
  test("addresses and sessions go before the log's rows, those of requests that ended late too", async () => {
    const { store, other } = stores();
    const add = (atMs: number, id: string, origin: Partial<RequestRecord>) =>
      writeRecord(store, makeRecord(id, { atMs, ...origin }));
    const both = { address: "203.0.113.7", session: "sha256:s" };
    const left = async () => {
      const rows = await other.requests({}, { limit: 2000, after: null });
      const kept = rows.filter(({ address, session }) => address !== null || session !== null);
      return kept.map(({ id }) => id).toSorted();
    };
    const prune = (contentsMs: number) =>
      store.prune({ requestsMs: NOON - HOUR, metersMs: 0, repliesMs: 0, contentsMs }, 1000);
    await add(NOON - HOUR, "at the start", { session: "sha256:s" });
    const ids = Array.from({ length: 1005 }, (_, at) => at);
    await Promise.all(ids.map((at) => add(NOON - 2, `r${at}`, at % 100 === 0 ? both : {})));
    await add(NOON - 1, "last", { address: "203.0.113.0/24" });
    await add(NOON, "young", both);
    await prune(NOON);
    expect(await left()).toEqual(["young"]);
    expect(await other.request("last")).toMatchObject({ id: "last", address: null, session: null });
    await add(NOON - 600_000, "long", both);
    await add(NOON - HOUR + 60_000, "lost", both);
    await prune(NOON + 1);
    expect(await left()).toEqual(["lost"]);
    await store.prune({ requestsMs: NOON - HOUR, metersMs: 0, repliesMs: 0, contentsMs: NOON + HOUR }, 1000);
    expect(await left()).toEqual([]);
  });
}

function sessions(stores: () => TwoStores): void {
  test("a session is valid everywhere until it ends", async () => {
    const { store, other } = stores();
    const session = sessionOf("a", NOON + 2);
    await store.people.addSession(session, NOON);
    expect(await other.people.session("a")).toEqual(session);
    expect(await other.people.session("b")).toBeNull();
    await other.people.endSession("a");
    await other.people.endSession("a");
    expect(await store.people.session("a")).toBeNull();
  });

  test("each owner has sessions of their own, newest first, without those that have ended", async () => {
    const { store, other } = stores();
    const owners = [{ memberId: "mem_a" }, { memberId: "mem_b" }, { tokenId: "tok_a" }, {}];
    for (const [at, owner] of owners.entries())
      for (const end of [NOON + 1, NOON + 5, NOON + 9])
        await store.people.addSession(
          { ...sessionOf(`${at} ${end - NOON}`, end), tokenDigest: "token", ...owner },
          NOON,
        );
    const list = async (owner: object, most = 10) => {
      const asked = { memberId: null, tokenId: null, tokenDigest: "token", ...owner };
      return (await other.people.sessionsOf(asked, NOON + 1, most)).map(({ digest }) => digest);
    };
    for (const [at, owner] of owners.entries()) expect(await list(owner)).toEqual([`${at} 9`, `${at} 5`]);
    expect(await list({ memberId: "mem_a" }, 1)).toEqual(["0 9"]);
    expect(await list({ tokenDigest: "another" })).toEqual([]);
  });
}

function links(stores: () => TwoStores): void {
  const link = (digest: string, expiresAtMs = NOON + 9) => ({ digest, expiresAtMs });

  test("a link is taken by one of all who try at once, on any node, and never again", async () => {
    const { store, other } = stores();
    await store.people.keepLink(link("one"));
    const tries = Array.from({ length: 10 }, (_, at) => (at % 2 === 0 ? store : other));
    const taken = await Promise.all(tries.map(({ people }) => people.takeLink("one", NOON)));
    expect(taken.filter((isTaken) => isTaken)).toHaveLength(1);
    expect(await other.people.takeLink("one", NOON)).toBe(false);
  });

  test("a link ends with the next one, at its time, or when told", async () => {
    const { store, other } = stores();
    await store.people.keepLink(link("old"));
    await other.people.keepLink(link("new"));
    expect(await store.people.takeLink("old", NOON)).toBe(false);
    expect(await store.people.takeLink("new", NOON + 9)).toBe(false);
    expect(await store.people.takeLink("new", NOON + 8)).toBe(true);
    await store.people.keepLink(link("third"));
    await other.people.keepLink(null);
    expect(await store.people.takeLink("third", NOON)).toBe(false);
  });
}

export function consoleSuite(name: string, makeBench: MakeBench): void {
  describe(`${name}: the console`, () => {
    const stores = twoStores(makeBench);
    describe("savings", () => savings(() => stores().store));
    describe("savings by day", () => savingsByDay(() => stores().store));
    describe("counts by account", () => countsByAccount(() => stores().store));
    describe("logouts", () => logouts(stores));
    describe("origins", () => origins(stores));
    describe("sessions", () => sessions(stores));
    describe("links", () => links(stores));

    test("expired sessions are deleted when another one begins", async () => {
      const { store } = stores();
      await store.people.addSession(sessionOf("old", NOON), NOON - 1);
      await store.people.addSession(sessionOf("young", NOON + 1), NOON - 1);
      await store.people.addSession(sessionOf("new", NOON + 9), NOON);
      const found = await Promise.all(["old", "young", "new"].map((digest) => store.people.session(digest)));
      expect(found.map((one) => one?.digest)).toEqual([undefined, "young", "new"]);
    });

    test("prompts and answers are stored once, and deleted before or with the log's rows", async () => {
      const { store, other } = stores();
      const kept = (id: string, atMs: number) =>
        store.addContent({ accountId: "default", id, atMs, sealed: `sealed ${id}` });
      for (const [at, id] of ["a", "b", "c"].entries()) await kept(id, NOON + at);
      await store.addContent({ accountId: "default", id: "a", atMs: NOON, sealed: "another" });
      const there = () =>
        Promise.all(["a", "b", "c"].map(async (id) => (await other.content("default", id)) ?? "-"));
      expect(await there()).toEqual(["sealed a", "sealed b", "sealed c"]);
      expect(await other.content("acct", "a")).toBeNull();
      const before = { requestsMs: 0, metersMs: 0, repliesMs: 0 };
      expect(await store.prune({ ...before, contentsMs: NOON + 9 }, 1)).toBe(1);
      expect(await there()).toEqual(["-", "sealed b", "sealed c"]);
      expect(await store.prune({ ...before, requestsMs: NOON + 2 }, 10)).toBe(1);
      expect(await there()).toEqual(["-", "-", "sealed c"]);
    });

    test("credentials are stored with every field, changed and removed, oldest first", async () => {
      const { store, other } = stores();
      const first = credentialOf("b");
      await unrecorded(store).putCredential(credentialOf("a", { createdAtMs: NOON + 1, provider: "Local" }));
      await unrecorded(store).putCredential(first);
      expect((await other.credentials()).map(({ id }) => id)).toEqual(["b", "a"]);
      expect((await other.credentials())[0]).toEqual(first);
      const changed = { ...first, sealed: "b3RoZXI=", weight: 0.25, priceFactor: 1.25, enabled: false };
      await unrecorded(other).putCredential(changed);
      expect((await store.credentials())[0]).toEqual(changed);
      await unrecorded(store).removeCredential("a");
      await unrecorded(store).removeCredential("a");
      expect(await other.credentials()).toEqual([changed]);
    });
  });
}
