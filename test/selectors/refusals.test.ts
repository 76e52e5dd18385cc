// Credentials that their provider refused: which request tries them again, when, and at whose cost.
import { beforeEach, describe, expect, test } from "bun:test";
import { Fault } from "../../src/core/faults/fault.ts";
import { NOBODY } from "../../src/core/keys/payer.ts";
import { RequestRefusals } from "../../src/health/credential.ts";
import { buildReport } from "../../src/health/report.ts";
import { HOUSE, makeCard, names, Planning } from "./planning.ts";

const MINUTE_MS = 60_000;
const PAYING = { id: "key", accountId: "acc_a", memberId: null };
const LARGE = makeCard("House#large");

let router: Planning;
beforeEach(() => {
  router = new Planning();
  router.on("House", ["a", 1], ["b", 1], ["c", 1]);
});

const refused = (status: number) => new Fault("upstream_auth", "no", { upstreamStatus: status });
const told = () => router.events.map(({ event }) => event);

function refuse(name: string, nowMs: number, status = 401): void {
  router.begun(router.attemptOf(HOUSE, name), nowMs).fail(nowMs, refused(status));
}

/** The operator's view. The wall clock equals the monotonic one here. */
function shown(name: string, nowMs: number) {
  const credentials = ["a", "b", "c"].map((one) => router.attemptOf(HOUSE, one).credential);
  const setup = {
    name: "House",
    dialect: null,
    baseUrl: "http://House.test",
    credentials,
    headers: {},
    timeouts: { connectMs: 1, firstByteMs: 1, idleMs: 1, totalMs: 1 },
    unlistedModels: true,
  };
  const [report] = buildReport({
    health: router.health,
    providers: [setup],
    cards: [],
    nowMs,
    wallMs: nowMs,
  });
  const row = report?.credentials[["a", "b", "c"].indexOf(name)];
  return row && { state: row.state, untilMs: row.untilMs };
}

describe("a rejected credential", () => {
  test("is probed by one request after a minute, before others that would serve it", () => {
    refuse("a", 0);
    expect(shown("a", 1000)).toEqual({ state: "retired", untilMs: MINUTE_MS });
    expect(router.plan(MINUTE_MS - 1).length).toBe(2);
    const plan = router.plan(MINUTE_MS);
    expect(names(plan)).toMatch(/^a [bc] [bc]$/);
    const probe = router.begun(router.attemptOf(HOUSE, "a"), MINUTE_MS);
    expect(probe.isKeyProbe).toBe(true);
    // No other request is sent to it until it ends.
    expect(names(router.plan(MINUTE_MS))).not.toContain("a");
    expect(router.health.begin(router.attemptOf(HOUSE, "a"), MINUTE_MS)).toBeNull();
    probe.finish(MINUTE_MS + 10, 10);
    expect(told()).toEqual(["credential_retired", "credential_back"]);
    expect(shown("a", MINUTE_MS + 10)).toEqual({ state: "active", untilMs: null });
    expect(router.plan(MINUTE_MS + 10)).toHaveLength(3);
  });

  test("is probed half as often each time, at least once an hour, and reported once", () => {
    refuse("a", 0);
    const waits: number[] = [];
    let nowMs = 0;
    for (let probe = 0; probe < 9; probe++) {
      const { untilMs } = shown("a", nowMs) ?? {};
      waits.push(((untilMs ?? 0) - nowMs) / MINUTE_MS);
      nowMs = untilMs ?? 0;
      expect(router.health.isReady(router.attemptOf(HOUSE, "a"), nowMs - 1, NOBODY)).toBe(false);
      refuse("a", nowMs);
    }
    expect(waits).toEqual([1, 2, 4, 8, 16, 32, 60, 60, 60]);
    expect(told().filter((event) => event.startsWith("credential"))).toEqual(["credential_retired"]);
  });

  test("is probed for one model after a minute if only that one rejected it", () => {
    router.works(LARGE, "a", 0);
    refuse("a", 0, 403);
    expect(told()).toEqual([]);
    expect(names(router.plan(MINUTE_MS - 1))).not.toContain("a");
    expect(names(router.plan(MINUTE_MS)).startsWith("a")).toBe(true);
    router.works(HOUSE, "a", MINUTE_MS);
    expect(router.plan(MINUTE_MS + 10)).toHaveLength(3);
  });

  test("is probed by the next request if a probe ends without a result", () => {
    refuse("a", 0);
    const rejected = new Fault("upstream_rejected", "no", { upstreamStatus: 400 });
    for (const end of ["left", "rejected", "broken"]) {
      const probe = router.begun(router.attemptOf(HOUSE, "a"), MINUTE_MS);
      expect(probe.isKeyProbe).toBe(true);
      if (end === "left") probe.abandon();
      if (end === "rejected") probe.fail(MINUTE_MS, rejected);
      if (end === "broken") probe.fail(MINUTE_MS, new Fault("upstream_error", "no", {}));
      expect(shown("a", MINUTE_MS)?.state).toBe("retired");
    }
    router.works(HOUSE, "a", MINUTE_MS);
    expect(told()).toEqual(["credential_retired", "credential_back"]);
  });

  test("costs a plan one attempt, however many are due", () => {
    refuse("a", 0);
    refuse("b", 1);
    expect(names(router.plan(MINUTE_MS + 1))).toBe("a c");
  });
});

describe("a single request", () => {
  const NAMES = ["a", "b", "c"];

  function refuseAll(refusals: RequestRefusals, ...faults: readonly Fault[]): void {
    for (const [at, fault] of faults.entries())
      router.begun(router.attemptOf(HOUSE, NAMES[at] ?? ""), 0, refusals).fail(0, fault);
  }
  const states = () => NAMES.map((name) => shown(name, 0)?.state);

  test.each([401, 402, 403])("that all credentials refuse alike with %d retires none", (status) => {
    const refusals = new RequestRefusals(PAYING);
    refuseAll(refusals, refused(status), refused(status), refused(status));
    refusals.settle();
    expect(states()).toEqual(["active", "active", "active"]);
  });

  test("retires at once those whose refusals name them, even if it asks no more", () => {
    const named = new Fault("upstream_auth", "no", {
      upstreamStatus: 401,
      upstream: { message: "Incorrect API key provided." },
    });
    refuseAll(new RequestRefusals(PAYING), named, named);
    expect(states()).toEqual(["retired", "retired", "active"]);
  });

  test("retires one at most if the refusals may be about the request", () => {
    const refusals = new RequestRefusals(PAYING);
    refuseAll(refusals, refused(403), refused(403));
    router.begun(router.attemptOf(HOUSE, "c"), 0, refusals).finish(1, 10);
    refusals.settle();
    expect(states()).toEqual(["retired", "active", "active"]);
  });

  test("retires a second one if a retry confirms it", () => {
    for (const name of NAMES) refuse(name, 0);
    expect(states()).toEqual(["retired", "retired", "retired"]);
    // All are refused, so they are tried in turn without a wait.
    expect(names(router.plan(1))).toBe("a");
  });
});
