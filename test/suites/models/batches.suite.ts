// Batches on every store.
import { expect, test } from "bun:test";
import { hasEnded } from "../../../src/core/batches/batch.ts";
import type { LogEvent } from "../../../src/core/world/world.ts";
import { makeSweep } from "../../../src/files/sweep.ts";
import { makeFileUsers } from "../../../src/jobs/file-users.ts";
import { BatchRunner } from "../../../src/jobs/runner.ts";
import { makeBatch, makeBlock } from "../../harness/batches.ts";
import { ManualClock } from "../../harness/manual-clock.ts";
import {
  addKey,
  expectGrant,
  ledgerOn,
  makeAsk,
  makeOutcome,
  NOON,
  standingClock,
} from "../../harness/samples.ts";
import { catchThrown } from "../../harness/thrown.ts";
import { MemoryFiles, makeJobPorts } from "../../jobs/job-world.ts";
import { makeSuite, type TwoStores } from "../two-stores.ts";

const PAGE = { limit: 10, after: null };
const NO_VAULT = { sealBytes: (bytes: Uint8Array) => bytes, openBytes: (bytes: Uint8Array) => bytes };

export const batchSuite = makeSuite({
  batches: rows,
  "blocks of batches": blocksOfBatch,
  "lines of batches": lines,
  "lines that have ended": endedLines,
  "a node without batches": idle,
});

const IDLE_MS = 150_000;

function idle(stores: () => TwoStores): void {
  test("writes nothing for them", async () => {
    const { bench, store } = stores();
    let looks = 0;
    const clock = new ManualClock();
    const list: typeof store.batches.list = (...given) => {
      looks++;
      return clock.await(() => store.batches.list(...given));
    };
    const watched = { ...store, batches: { ...store.batches, list } };
    const troubles: LogEvent[] = [];
    const log = (event: LogEvent) => void troubles.push(event);
    const world = { store: watched, clock, files: new MemoryFiles() };
    const ports = makeJobPorts(world, { log, call: () => Promise.reject(new Error("There is no line.")) });
    const users = makeFileUsers(ports);
    const sweep = makeSweep({ ...ports, store: watched, vault: NO_VAULT, rules: ports.fileRules, users });
    await bench.refuseWrites?.();
    const runner = new BatchRunner(ports);
    runner.start();
    for (let pastMs = 0; pastMs < IDLE_MS; pastMs += IDLE_MS / 3) {
      await clock.move(IDLE_MS / 3);
      await sweep();
    }
    await runner.stop(0);
    expect([looks > IDLE_MS / 2000, troubles]).toEqual([true, []]);
    // A write would be noticed.
    expect(await catchThrown(store.batches.add(makeBatch("batch_1"), 9))).toBeInstanceOf(Error);
  });
}

function rows(stores: () => TwoStores): void {
  test("are found on every node as they were written, and listed newest first", async () => {
    const { store, other } = stores();
    const wait = {
      code: "insufficient_balance",
      message: "Top up.",
      limit: { kind: "budget" },
      resetsAtMs: null,
      sinceMs: NOON,
    };
    const one = makeBatch(
      "batch_1",
      { memberId: "mem_1" },
      { metadata: { team: "a" }, waiting: wait, times: { runningMs: NOON } },
    );
    const two = makeBatch("batch_2", { createdAtMs: NOON + 1, surface: "anthropic-batches" });
    const done = makeBatch("batch_3", { createdAtMs: NOON - 1, status: "completed", endedAtMs: NOON });
    for (const batch of [one, two, done]) expect(await store.batches.add(batch, 9)).toEqual(batch);
    expect(await other.batches.find("batch_1")).toEqual(one);
    const list = async (filter: Parameters<typeof store.batches.list>[0]) =>
      (await other.batches.list(filter, PAGE)).map(({ id }) => id);
    expect(await list({})).toEqual(["batch_2", "batch_1", "batch_3"]);
    expect(await list({ isUnfinished: true })).toEqual(["batch_2", "batch_1"]);
    expect(await list({ memberId: "mem_1" })).toEqual(["batch_1"]);
    expect(await list({ memberId: null, surface: "openai-batches" })).toEqual(["batch_3"]);
    expect(await list({ scope: { accountIds: ["elsewhere"], personal: null } })).toEqual([]);
    expect(hasEnded(done)).toBe(true);
  });

  test("made twice with one Idempotency-Key are one, and no more than allowed are unfinished", async () => {
    const { store, other } = stores();
    const first = makeBatch("batch_1", { claim: "claim" });
    expect(await store.batches.add(first, 1)).toEqual(first);
    expect(await other.batches.add(makeBatch("batch_2", { claim: "claim" }), 1)).toEqual(first);
    expect(await other.batches.add(makeBatch("batch_3"), 1)).toBeNull();
    const late = makeBatch("batch_4", { claim: "claim", createdAtMs: NOON + 86_400_001 });
    expect(await other.batches.add(late, 2)).toEqual(late);
  });

  test("a payer has its share of the unfinished ones, all of a member's keys together", async () => {
    const { store, other } = stores();
    const add = (id: string, memberId: string | null, keyId: string, on = store) =>
      on.batches.add(makeBatch(id, { memberId, keyId }), 9, 2);
    await add("batch_1", "ann", "key_1");
    await add("batch_2", "ann", "key_2", other);
    expect([await add("batch_3", "ann", "key_3"), await add("batch_3", "ann", "key_3", other)]).toEqual([
      null,
      null,
    ]);
    for (const [id, keyId] of [
      ["batch_4", "key_4"],
      ["batch_5", "key_5"],
      ["batch_6", "key_4"],
    ] as const)
      expect((await add(id, null, keyId))?.id).toBe(id);
    expect(await add("batch_7", null, "key_4", other)).toBeNull();
  });
}

function blocksOfBatch(stores: () => TwoStores): void {
  test("change with their blocks, of which the next are those with lines left", async () => {
    const { store, other } = stores();
    const batch = makeBatch("batch_1");
    const blocks = [
      makeBlock("batch_1", 0, { remaining: 0 }),
      makeBlock("batch_1", 1),
      makeBlock("batch_1", 2),
    ];
    await store.batches.add(batch, 9);
    await store.batches.change(batch, { numbers: [] }, () => ({ blocks, result: null }));
    const read = (wanted: Parameters<typeof other.batches.change>[1]) =>
      other.batches.change(batch, wanted, (found, some) => ({ result: { found, blocks: some } }));
    expect(await read({ remaining: 1 })).toEqual({ found: batch, blocks: [makeBlock("batch_1", 1)] });
    const held = makeBlock("batch_1", 1, { node: "node_a", lease: 1 });
    await store.batches.change(batch, { numbers: [] }, () => ({ blocks: [held], result: null }));
    const free = async (nodes: readonly string[], except: readonly number[], from = 0) =>
      (await read({ free: { nodes, except, from } })).blocks.map(({ block }) => block);
    expect(await free(["node_b"], [])).toEqual([2]);
    expect(await free(["node_b", "node_a"], [])).toEqual([1]);
    expect(await free(["node_a"], [], 2)).toEqual([2]);
    expect(await free(["node_a"], [1])).toEqual([2]);
    expect(await free(["node_a"], [1, 2])).toEqual([]);
    expect((await read({ numbers: [0, 2] })).blocks.map(({ block }) => block)).toEqual([0, 2]);
    expect((await read({ from: 1, most: 5 })).blocks.map(({ block }) => block)).toEqual([1, 2]);
    await other.batches.remove(batch);
    expect(await read({ remaining: 9 })).toEqual({ found: null, blocks: [] });
  });
}

function lines(stores: () => TwoStores): void {
  test("drop the stored answers of lines whose results are written, and their characters", async () => {
    const { store } = stores();
    const key = await addKey(store, "key_a");
    const ledger = ledgerOn(store, { quota: { requestsPerDay: null } });
    const ticket = ledger.ticket(
      makeAsk("c1", key, { idempotency: { replyId: "reply", bodyDigest: "body" } }),
    );
    await expectGrant(ledger, ticket);
    await ledger.settle(ticket, { ...makeOutcome(ticket), sealedReply: "sealed" });
    expect((await store.account("default"))?.keptCharacters).toBe(6);
    const batch = makeBatch("batch_1");
    await store.batches.add(batch, 9);
    await store.batches.change(batch, { numbers: [] }, () => ({ repliesGone: ["reply"], result: null }));
    expect((await store.account("default"))?.keptCharacters).toBe(0);
    expect((await ledger.admit(ledger.ticket({ ...ticket.ask, id: "c2" }))).kind).toBe("granted");
  });

  test("are summed up from the rows of their lines, which the log finds by their batch", async () => {
    const { store, other } = stores();
    const key = await addKey(store, "key_a");
    const ledger = ledgerOn(store, { quota: { requestsPerDay: null }, clock: standingClock(NOON) });
    for (const [at, batchId] of ["batch_1", "batch_1", null].entries()) {
      const ticket = ledger.ticket(makeAsk(`c${at}`, key));
      await expectGrant(ledger, ticket);
      const line = {
        batchId,
        batchLine: batchId === null ? null : at + 1,
        customId: batchId === null ? null : `id ${at}`,
      };
      await ledger.settle(ticket, makeOutcome(ticket, { costNanoUsd: 100 + at, ...line }));
    }
    const rows = await other.requests({ batchId: "batch_1" }, PAGE);
    expect(rows.map(({ batchLine, customId }) => [batchLine, customId]).sort()).toEqual([
      [1, "id 0"],
      [2, "id 1"],
    ]);
    expect(await other.batches.sum({ accountId: "default", id: "batch_1" })).toEqual({
      costNanoUsd: 201,
      chargedNanoUsd: 0,
      promptTokens: 20,
      cachedTokens: 6,
      completionTokens: 40,
      reasoningTokens: 10,
    });
  });

  test("are nobody's once their node is dead", async () => {
    const { bench, store, other } = stores();
    expect(await store.listDead([store.node, other.node, "node_gone"])).toEqual(["node_gone"]);
    await bench.forsake(other);
    expect(await store.listDead([other.node])).toEqual([other.node]);
  });
}

function endedLines(stores: () => TwoStores): void {
  test("keep no answer that comes after the line's end", async () => {
    const { store } = stores();
    const key = await addKey(store, "key_a");
    const ledger = ledgerOn(store, { quota: { requestsPerDay: null } });
    const idempotency = { replyId: "reply", bodyDigest: "body" };
    const ticket = ledger.ticket(makeAsk("c1", key, { idempotency }));
    await expectGrant(ledger, ticket);
    const batch = makeBatch("batch_1");
    await store.batches.add(batch, 9);
    await store.batches.change(batch, { numbers: [] }, () => ({ repliesGone: ["reply"], result: null }));
    await ledger.settle(ticket, { ...makeOutcome(ticket), sealedReply: "sealed" });
    expect((await store.account("default"))?.keptCharacters).toBe(0);
    expect((await ledger.admit(ledger.ticket({ ...ticket.ask, id: "c2" }))).kind).toBe("granted");
  });
}
