// Tests of the store's filters of the request log, the same for every engine.
import { expect, test } from "bun:test";
import type { Store } from "../../../src/core/store.ts";
import { HOUR, makeRecord, NOON } from "../../harness/samples.ts";
import { write } from "./log.suite.ts";

export function logFilters(store: () => Store): void {
  test("lists can be filtered by provider, selector, outcome, ending and time", async () => {
    const lost = { modelUsed: null, firstTokenMs: null };
    await write(
      store(),
      makeRecord("1", { atMs: NOON + 1, selector: "Router#fair", modelAsked: "Router#fair" }),
      makeRecord("2", {
        atMs: NOON + 2,
        ...lost,
        status: 502,
        ended: "upstream_failed",
        modelTried: "Other#a",
      }),
      makeRecord("3", {
        atMs: NOON + 3,
        ...lost,
        status: 499,
        ended: "client_gone",
        modelTried: null,
        modelPlanned: "Third#a",
      }),
      makeRecord("4", { atMs: NOON + 4, modelUsed: "SimTwo#echo", modelTried: "SimTwo#echo" }),
    );
    const idsOf = async (filter: Parameters<Store["requests"]>[0]) =>
      (await store().requests(filter, { limit: 9, after: null })).map(({ id }) => id).join(" ");
    expect(await idsOf({ provider: "Sim" })).toBe("1");
    expect(await idsOf({ provider: "Other" })).toBe("2");
    expect(await idsOf({ model: "Other#a" })).toBe("2");
    expect(await idsOf({ selector: "Router#fair" })).toBe("1");
    expect(await idsOf({ status: "ok" })).toBe("4 1");
    expect(await idsOf({ status: "error" })).toBe("2");
    expect(await idsOf({ status: { hundreds: 5 } })).toBe("2");
    expect(await idsOf({ status: { hundreds: 2 } })).toBe("4 1");
    expect(await idsOf({ status: 499 })).toBe("3");
    expect(await idsOf({ ended: "client_gone" })).toBe("3");
    expect(await idsOf({ fromMs: NOON + 2, toMs: NOON + 4 })).toBe("3 2");
    // Nobody was called, so it counts for the first provider of its plan.
    expect(await idsOf({ provider: "Third" })).toBe("3");
    expect(await idsOf({ outcome: "answered" })).toBe("4 1");
    expect(await idsOf({ outcome: "failed" })).toBe("2");
    expect(await idsOf({ outcome: "left" })).toBe("3");
    expect(await idsOf({ outcome: "refused" })).toBe("");
  });
}

export function originFilters(store: () => Store): void {
  test("lists can be filtered by address, session, trace, member and text", async () => {
    const traceId = "a".repeat(32);
    const parentTraceId = "b".repeat(32);
    await write(
      store(),
      makeRecord("1", { atMs: NOON + 1, address: "203.0.113.9", session: "one" }),
      makeRecord("2", { atMs: NOON + 2, session: "two", traceId, memberId: "mem_1" }),
      makeRecord("3", { atMs: NOON + 3, session: "one", traceId: "c".repeat(32), parentTraceId }),
      makeRecord("4", { atMs: NOON + 4, modelAsked: "My_Alias", status: 429, faultCode: "provider_busy" }),
    );
    const idsOf = async (filter: Parameters<Store["requests"]>[0], limit = 9) =>
      (await store().requests(filter, { limit, after: null })).map(({ id }) => id).join(" ");
    expect(await idsOf({ address: "203.0.113.9" })).toBe("1");
    expect(await idsOf({ session: "one" })).toBe("3 1");
    expect(await idsOf({ session: "one" }, 1)).toBe("3");
    expect(await idsOf({ session: "one", toMs: NOON + 3 })).toBe("1");
    expect(await idsOf({ traceId })).toBe("2");
    expect(await idsOf({ traceId: parentTraceId })).toBe("3");
    expect(await idsOf({ memberId: "mem_1" })).toBe("2");
    expect(await idsOf({ text: "y_al" })).toBe("4");
    expect(await idsOf({ text: "y%al" })).toBe("");
    expect(await idsOf({ text: "der_bu" })).toBe("4");
    expect(await idsOf({ text: "req-2" })).toBe("2");
    expect(await idsOf({ text: "3" })).toBe("3");
  });

  test("recent requests are found by the time they ended", async () => {
    await write(
      store(),
      makeRecord("long", { atMs: NOON - HOUR, totalMs: HOUR + 5 }),
      makeRecord("short", { atMs: NOON, totalMs: 3 }),
      makeRecord("old", { atMs: NOON - 10, totalMs: 9 }),
    );
    const idsOf = async (sinceMs: number, most: number) =>
      (await store().endedSince(sinceMs, most)).map(({ id }) => id);
    expect(await idsOf(NOON, 9)).toEqual(["long", "short"]);
    expect(await idsOf(NOON, 1)).toEqual(["long"]);
    expect(await idsOf(NOON + 6, 9)).toEqual([]);
  });
}

export function requestIdFilters(store: () => Store): void {
  test("requests are found by their request id, whoever chose it and however long after its time they were", async () => {
    const span = Math.floor(NOON / 4096) * 4096;
    const own = (atMs: number) => `req_${atMs.toString(16).padStart(12, "0")}1000${"a".repeat(16)}`;
    const rows = [
      ["1", own(span), span],
      ["2", own(span), span + 4095],
      // The later questions of a loop have the id of its first.
      ["3", own(span), span + 4096],
      ["4", own(span), span + HOUR],
      ["5", own(span), span - 1],
      ["6", own(span + 7), span + 7],
      ["7", "chosen", span + 8],
      ["8", "req_chosen", span + 9],
      ["9", own(span + 10).toUpperCase(), span + 10],
    ] as const;
    await write(store(), ...rows.map(([id, requestId, atMs]) => makeRecord(id, { requestId, atMs })));
    const idsOf = async (filter: Parameters<Store["requests"]>[0], limit = 9) =>
      (await store().requests(filter, { limit, after: null })).map(({ id }) => id).join(" ");
    expect(await idsOf({ requestId: own(span) })).toBe("4 3 2 1 5");
    expect(await idsOf({ requestId: own(span) }, 2)).toBe("4 3");
    expect(await idsOf({ requestId: own(span), fromMs: span, toMs: span + 4096 })).toBe("2 1");
    expect(await idsOf({ requestId: own(span), scope: { accountIds: ["other"], personal: null } })).toBe("");
    expect(await idsOf({ requestId: own(span + 7) })).toBe("6");
    expect(await idsOf({ requestId: "chosen" })).toBe("7");
    expect(await idsOf({ requestId: "req_chosen" })).toBe("8");
    expect(await idsOf({ requestId: own(span + 10).toUpperCase() })).toBe("9");
    expect(await idsOf({ requestId: own(span + 11) })).toBe("");
  });
}

export function socketFilters(store: () => Store): void {
  test("lists can be filtered by WebSocket, and by how requests came", async () => {
    await write(
      store(),
      makeRecord("1", { atMs: NOON + 1 }),
      makeRecord("2", { atMs: NOON + 2, socketId: "sock_1", isCompaction: true }),
      makeRecord("3", { atMs: NOON + 3, socketId: "sock_2" }),
      makeRecord("4", { atMs: NOON + 4, isCompaction: true }),
    );
    const find = (filter: Parameters<Store["requests"]>[0]) =>
      store().requests(filter, { limit: 9, after: null });
    const idsOf = async (filter: Parameters<Store["requests"]>[0]) =>
      (await find(filter)).map(({ id }) => id).join(" ");
    expect(await idsOf({ transport: "ws" })).toBe("3 2");
    expect(await idsOf({ transport: "http" })).toBe("4 1");
    expect(await idsOf({ socketId: "sock_1" })).toBe("2");
    expect(await idsOf({ transport: "http", socketId: "sock_1" })).toBe("");
    expect((await find({})).map(({ socketId, isCompaction }) => [socketId, isCompaction])).toEqual([
      [null, true],
      ["sock_2", false],
      ["sock_1", true],
      [null, false],
    ]);
  });
}
