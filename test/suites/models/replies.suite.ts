// Replies stored for clients that repeat an Idempotency-Key, on every store.
import { beforeEach, describe, expect, test } from "bun:test";
import { forgetOldest } from "../../../src/app/upkeep/prune.ts";
import type { AdmissionAnswer } from "../../../src/core/demand.ts";
import type { Store } from "../../../src/core/store.ts";
import type { Ticket } from "../../../src/ledger/ledger.ts";
import { REPLY_KEPT_MS } from "../../../src/ledger/replies.ts";
import {
  addKey,
  costing,
  give,
  ledgerOn,
  makeAsk,
  makeKey,
  makeOutcome,
  NOON,
  type RulesChanged,
  standingClock,
} from "../../harness/samples.ts";
import { catchThrown, readCode } from "../../harness/thrown.ts";
import { unrecorded } from "../../harness/unrecorded.ts";
import { ALWAYS, findErrors, readJournal } from "../../ledger/payments.ts";
import { type MakeBench, type TwoStores, twoStores } from "../two-stores.ts";

type Opened = () => TwoStores;
const key = makeKey("key_a");
const KEPT_CHARACTERS_MAX = 256 * 1024 * 1024;

export function repliesSuite(name: string, makeBench: MakeBench): void {
  describe(name, () => {
    const opened = twoStores(makeBench);
    beforeEach(() => unrecorded(opened().store).addKey(key, "digest"));
    describe("stored replies", () => keptReplies(opened));
    describe("replays", () => replays(opened));
    describe("replies that never arrived", () => noReply(opened));
    describe("space for stored replies", () => {
      roomForReplies(opened);
      forgetsTheOldest(opened);
    });
    describe("accounts of stored replies", () => accountsOfReplies(opened));
  });
}

/** One client that repeats an Idempotency-Key, under a clock that the test moves. */
function clientOf(store: Store, rules: RulesChanged = {}) {
  const clock = standingClock(NOON);
  const ledger = ledgerOn(store, { ...rules, clock });
  const ticket = (id: string, replyId = "reply", bodyDigest = "body"): Ticket =>
    ledger.ticket(
      makeAsk(id, key, {
        nowMs: clock.atMs,
        idempotency: { replyId, bodyDigest },
        offers: () => [costing(1_000)],
      }),
    );
  return {
    clock,
    ledger,
    ticket,
    /** Returns the outcome of an admission as `granted`, `pending 1`, `replayed sealed`, or the refusal's code. */
    async ask(id: string, replyId?: string, bodyDigest?: string): Promise<string> {
      return ledger.admit(ticket(id, replyId, bodyDigest)).then(inWords, (thrown) => readCode(thrown) ?? "");
    },
    /** Settles the answered request with this id. `sealedReply` is null if the reply can't be stored. */
    end: (id: string, sealedReply: string | null, replyId?: string) =>
      ledger.settle(ticket(id, replyId), { ...makeOutcome(ticket(id, replyId)), sealedReply }),
    /** Settles a request that got no answer. */
    fail: (id: string) => ledger.settle(ticket(id), makeOutcome(ticket(id), {}, false)),
  };
}

function inWords(admitted: AdmissionAnswer): string {
  switch (admitted.kind) {
    case "pending":
      return `pending ${admitted.id}`;
    case "moved":
      return `moved to ${admitted.accountId}`;
    case "replayed":
      return `replayed ${admitted.sealed}`;
    default:
      return admitted.kind;
  }
}

function keptReplies(opened: Opened): void {
  test("are found by many requests at once, each its own, and go with none of their holds left", async () => {
    const { store } = opened();
    const { ask, end } = clientOf(store);
    const names = Array.from({ length: 19 }, (_, at) => `${at}`);
    const admitted = await Promise.all(names.map((at) => ask(`request ${at}`, `reply ${at}`)));
    expect(new Set(admitted)).toEqual(new Set(["granted"]));
    const answered = names.filter((at) => at !== "7");
    await Promise.all(answered.map((at) => end(`request ${at}`, `sealed ${at}`, `reply ${at}`)));
    const again = await Promise.all(names.map((at) => ask(`repeat ${at}`, `reply ${at}`)));
    expect(again).toEqual(names.map((at) => (at === "7" ? "pending request 7" : `replayed sealed ${at}`)));
    const held = await store.orphans(50, { ids: [], beforeMs: Number.MAX_SAFE_INTEGER });
    expect(held.map(({ id }) => id)).toEqual(["request 7"]);
  });

  test("a duplicate waits for the first request, then gets its reply, on every node", async () => {
    const { store, other } = opened();
    const mine = clientOf(store);
    const theirs = clientOf(other);
    expect(await mine.ask("1")).toBe("granted");
    expect([await mine.ask("2"), await theirs.ask("3")]).toEqual(["pending 1", "pending 1"]);
    await mine.end("1", "sealed");
    expect([await mine.ask("4"), await theirs.ask("5")]).toEqual(["replayed sealed", "replayed sealed"]);
    expect(await mine.ask("6", "another reply")).toBe("granted");
  });

  test("of many concurrent duplicates exactly one is admitted, and the others wait for it", async () => {
    const { store, other } = opened();
    const mine = clientOf(store);
    const theirs = clientOf(other);
    const asked = Array.from({ length: 40 }, (_, index) => (index % 2 === 0 ? mine : theirs).ask(`${index}`));
    const answers = await Promise.all(asked);
    const first = answers.indexOf("granted");
    expect(answers.toSpliced(first, 1)).toEqual(Array.from({ length: 39 }, () => `pending ${first}`));
    expect((await mine.ledger.allowance(key)).used).toBe(1);
  });

  test("another body is refused, both while the first is pending and afterwards", async () => {
    const { store, other } = opened();
    const mine = clientOf(store);
    const theirs = clientOf(other);
    await mine.ask("1");
    expect(await theirs.ask("2", "reply", "another body")).toBe("idempotency_mismatch");
    await mine.end("1", "sealed");
    expect(await theirs.ask("3", "reply", "another body")).toBe("idempotency_mismatch");
    expect(await theirs.ask("4")).toBe("replayed sealed");
  });
}

function replays(opened: Opened): void {
  test("a replay takes no place and is free, even if nothing is left", async () => {
    const { store, other } = opened();
    await unrecorded(store).changeKey(key.id, { requestsPerDay: 1 });
    await give(store, "default", 1_000);
    const paying = clientOf(store, ALWAYS);
    expect(await paying.ask("1")).toBe("granted");
    await paying.end("1", "sealed");
    const entries = (await readJournal(store)).length;
    expect(await paying.ask("2")).toBe("replayed sealed");
    const free = clientOf(other);
    expect(await free.ask("3", "another reply")).toBe("granted");
    expect(await free.ask("4")).toBe("replayed sealed");
    expect([(await readJournal(store)).length, (await free.ledger.allowance(key)).used]).toEqual([
      entries,
      1,
    ]);
    expect(await store.orphans(9)).toEqual([]);
  });

  test("a revoked key gets no replay either", async () => {
    const { store, other } = opened();
    const mine = clientOf(store);
    await mine.ask("1");
    await mine.end("1", "sealed");
    await unrecorded(other).revokeKey(key.id, NOON);
    expect(await mine.ask("2")).toBe("invalid_api_key");
  });

  test("a reply is stored for 24 hours from its end", async () => {
    const { store } = opened();
    const mine = clientOf(store);
    await mine.ask("1");
    mine.clock.atMs = NOON + 1_000;
    await mine.end("1", "sealed");
    mine.clock.atMs = NOON + 1_000 + 24 * 3_600_000 - 1;
    expect(await mine.ask("2")).toBe("replayed sealed");
    mine.clock.atMs += 1;
    expect(await mine.ask("3")).toBe("granted");
    expect((await store.account("default"))?.keptCharacters).toBe(0);
    await mine.end("3", "new");
    expect(await mine.ask("4")).toBe("replayed new");
    expect((await store.account("default"))?.keptCharacters).toBe(3);
  });
}

function noReply(opened: Opened): void {
  test("if nothing was produced the next request is admitted, unaffected by the first one's settlement", async () => {
    const { store, other } = opened();
    const mine = clientOf(store);
    const theirs = clientOf(other);
    await mine.ask("1");
    await mine.fail("1");
    expect(await theirs.ask("2")).toBe("granted");
    await mine.end("1", "sealed late");
    expect(await mine.ask("3")).toBe("pending 2");
    await theirs.end("2", "sealed");
    expect(await mine.ask("4")).toBe("replayed sealed");
  });

  test("a dead node's pending replies are released", async () => {
    const { store, other, bench } = opened();
    const mine = clientOf(store);
    const theirs = clientOf(other);
    await mine.ask("1");
    await bench.forsake(store);
    expect(await theirs.ask("2")).toBe("pending 1");
    await theirs.ledger.resolveLost();
    expect(await theirs.ask("3")).toBe("granted");
  });

  test("a pending answer is waited for, however long it takes", async () => {
    const { store } = opened();
    const mine = clientOf(store);
    await mine.ask("1");
    mine.clock.atMs = NOON + 3 * REPLY_KEPT_MS;
    expect(await mine.ask("2")).toBe("pending 1");
  });

  test("a repeated admission is not its own duplicate", async () => {
    const { store } = opened();
    const mine = clientOf(store);
    await mine.ask("1");
    expect(await mine.ask("1")).toBe("granted");
    expect(await mine.ask("2")).toBe("pending 1");
    await mine.end("1", "sealed");
    expect(await mine.ask("2")).toBe("replayed sealed");
  });

  test("an answer that could not be stored is not made again", async () => {
    const { store, other } = opened();
    const mine = clientOf(store);
    const theirs = clientOf(other);
    await mine.ask("1");
    await mine.end("1", null);
    expect(await theirs.ask("2")).toBe("idempotency_unavailable");
    expect(await theirs.ask("3", "reply", "another body")).toBe("idempotency_mismatch");
    theirs.clock.atMs = NOON + REPLY_KEPT_MS;
    expect(await theirs.ask("4")).toBe("granted");
  });
}

const keptIn = async (store: Store) => (await store.account("default"))?.keptCharacters;
const before = (repliesMs: number) => ({ requestsMs: 0, metersMs: 0, repliesMs });

function forgetsTheOldest(opened: Opened): void {
  test("the oldest replies are deleted if all of them take too much space", async () => {
    const { store, other } = opened();
    const mine = clientOf(store);
    for (let at = 0; at < 50; at++) {
      mine.clock.atMs = NOON + at;
      await mine.ask(`${at}`, `reply ${at}`);
      await mine.end(`${at}`, "0123456789", `reply ${at}`);
    }
    expect(await other.keptCharacters()).toBe(500);
    await forgetOldest(other, before(NOON + 99), 500);
    expect(await other.keptCharacters()).toBe(500);
    await forgetOldest(other, before(NOON + 99), 499);
    expect(await other.keptCharacters()).toBe(300);
    expect(await mine.ask("a", "reply 19")).toBe("granted");
    expect(await mine.ask("b", "reply 20")).toBe("replayed 0123456789");
  });
}

function roomForReplies(opened: Opened): void {
  test("old replies are deleted in batches, and pending ones stay", async () => {
    const { store, other } = opened();
    const mine = clientOf(store);
    for (const [index, sealed] of ["a", "bb", "ccc", null].entries()) {
      mine.clock.atMs = NOON + index;
      await mine.ask(`${index}`, `reply ${index}`);
      await mine.end(`${index}`, sealed, `reply ${index}`);
    }
    await mine.ask("pending", "reply pending");
    expect(await keptIn(other)).toBe(6);
    expect(await other.prune(before(NOON), 9)).toBe(0);
    expect(await other.prune(before(NOON + 2), 9)).toBe(2);
    expect(await keptIn(store)).toBe(3);
    expect(await mine.ask("5", "reply 2")).toBe("replayed ccc");
    expect(await mine.ask("6", "reply 1")).toBe("granted");
    expect(await other.prune(before(NOON + 99), 1)).toBe(1);
    expect(await other.prune(before(NOON + 99), 9)).toBe(1);
    expect(await keptIn(store)).toBe(0);
    expect(await mine.ask("7", "reply pending")).toBe("pending pending");
    expect(findErrors(await store.audit())).toEqual([]);
  });

  test("an account's replies are bounded independently of other accounts", async () => {
    const { store, other, bench } = opened();
    await addKey(store, "key_b", "acct");
    await bench.raw("UPDATE account SET kept_characters = 1000000000 WHERE id = 'acct'");
    await bench.raw(`UPDATE account SET kept_characters = ${KEPT_CHARACTERS_MAX - 6} WHERE id = 'default'`);
    const mine = clientOf(store);
    await mine.ask("1", "too large");
    await mine.end("1", "1234567", "too large");
    expect(await mine.ask("2", "too large")).toBe("idempotency_unavailable");
    await mine.ask("3", "fits");
    await mine.end("3", "123456", "fits");
    expect(await mine.ask("4", "fits")).toBe("replayed 123456");
    expect(await keptIn(other)).toBe(KEPT_CHARACTERS_MAX);
    await mine.ask("5", "one more");
    await mine.end("5", "1", "one more");
    expect(await mine.ask("6", "one more")).toBe("idempotency_unavailable");
    // Deleting expired replies makes room.
    await other.prune(before(NOON + 1), 99);
    await mine.ask("7", "again");
    await mine.end("7", "1", "again");
    expect(await mine.ask("8", "again")).toBe("replayed 1");
  });
}

function accountsOfReplies(opened: Opened): void {
  test("a reply belongs to its key's account and is never given to another", async () => {
    const { store } = opened();
    const another = await addKey(store, "key_b", "acct");
    const mine = clientOf(store);
    await mine.ask("1");
    await mine.end("1", "sealed");
    const { ledger } = mine;
    const idempotency = { replyId: "their reply", bodyDigest: "body" };
    const ticket = ledger.ticket(makeAsk("2", another, { idempotency }));
    await ledger.admit(ticket);
    await ledger.settle(ticket, { ...makeOutcome(ticket), sealedReply: "theirs" });
    expect((await store.account("acct"))?.keptCharacters).toBe(6);
    expect(await catchThrown(mine.ledger.admit(mine.ticket("3")))).toBeUndefined();
    expect(await keptIn(store)).toBe(6);
  });
}
