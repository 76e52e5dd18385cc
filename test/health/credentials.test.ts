// A credential that a provider refuses: to whom, and who else has to meet that until it is retired for everybody.
import { describe, expect, test } from "bun:test";
import { Fault } from "../../src/core/faults/fault.ts";
import { namePayer } from "../../src/core/keys/payer.ts";
import { RequestRefusals } from "../../src/health/credential.ts";
import { HOUSE, makeCard, names, Planning } from "../selectors/planning.ts";

const HOUR_MS = 3_600_000;

describe("a credential that a provider refuses", () => {
  const ANN = { id: "key", accountId: "acc_ann", memberId: null };
  const BEN = { id: "key", accountId: "acc_ben", memberId: null };
  const BILL = { id: "key", accountId: "acc_ben", memberId: "mem_bill" };
  const blocked = new Fault("upstream_auth", "no", {
    upstreamStatus: 403,
    upstream: { message: "Request blocked by the web application firewall." },
  });
  const named = new Fault("upstream_auth", "no", {
    upstreamStatus: 401,
    upstream: { message: "Incorrect API key provided." },
  });

  type Sender = ConstructorParameters<typeof RequestRefusals>[0];

  function refuse(router: Planning, key: Sender, nowMs: number, fault = blocked): void {
    const refusals = new RequestRefusals(key);
    router.begun(router.attemptOf(HOUSE, "a"), nowMs, refusals).fail(nowMs, fault);
    refusals.settle();
  }

  function serve(router: Planning, key: Sender, nowMs: number, model = HOUSE): void {
    router.begun(router.attemptOf(model, "a"), nowMs, new RequestRefusals(key)).finish(nowMs + 1, 10);
  }

  const isRefusedTo = (router: Planning, key: Sender, nowMs = 100_000) =>
    router.health.isRefused(router.attemptOf(HOUSE, "a"), nowMs, namePayer(key));
  const isRetired = (router: Planning) => Boolean(router.health.key(router.attemptOf(HOUSE, "a"))?.retired);

  test("is passed over by the payer whose request met it, and by nobody else", () => {
    const router = new Planning();
    serve(router, BEN, 0);
    refuse(router, ANN, 10);
    expect([isRefusedTo(router, ANN), isRefusedTo(router, BEN), isRetired(router)]).toEqual([
      true,
      false,
      false,
    ]);
    expect(names(router.plan(20, { payer: namePayer(ANN) }))).toBe("b");
    expect(router.plan(20, { payer: namePayer(BEN) })).toHaveLength(2);
    expect(router.events).toMatchObject([]);
  });

  test("is tried again by its payer alone, whose answer ends it", () => {
    const router = new Planning();
    serve(router, BEN, 0);
    refuse(router, ANN, 10);
    serve(router, BEN, 1000);
    expect(isRefusedTo(router, ANN)).toBeTrue();
    expect(names(router.plan(70_000, { payer: namePayer(ANN) }))).toBe("a b");
    serve(router, ANN, 70_000);
    expect(isRefusedTo(router, ANN)).toBeFalse();
  });

  test("is retired for everybody once two accounts have met it, unless one was served in between", () => {
    const router = new Planning();
    serve(router, ANN, 0);
    refuse(router, ANN, 10);
    serve(router, ANN, 60_020);
    refuse(router, BEN, 60_030);
    expect(isRetired(router)).toBeFalse();
    refuse(router, ANN, 60_040);
    expect([
      isRetired(router),
      isRefusedTo(router, { id: "key", accountId: "acc_new", memberId: null }),
    ]).toEqual([true, true]);
  });

  test("is retired by two members of an account only if no other account has asked within the hour", () => {
    const beside = new Planning();
    const among = new Planning();
    serve(beside, ANN, 0);
    for (const router of [beside, among]) for (const key of [BEN, BILL]) refuse(router, key, 10);
    expect([isRetired(beside), isRetired(among)]).toEqual([false, true]);
    expect(isRefusedTo(beside, ANN)).toBeFalse();
  });

  test("is retired at once for everybody by words that name it, and for a payer that is alone", () => {
    const router = new Planning();
    serve(router, BEN, 0);
    refuse(router, ANN, 10, named);
    expect([isRetired(router), isRefusedTo(router, BEN)]).toEqual([true, true]);
    const alone = new Planning();
    refuse(alone, ANN, 10);
    expect(isRetired(alone)).toBeTrue();
  });

  test("stays in use for those whom it serves with another model, although one alone asks for this one", () => {
    const router = new Planning();
    const larger = makeCard("House#large");
    const unauthorized = new Fault("upstream_auth", "no", { upstreamStatus: 401 });
    serve(router, BEN, 0, larger);
    refuse(router, ANN, 10, unauthorized);
    expect([isRefusedTo(router, ANN), isRefusedTo(router, BEN), isRetired(router)]).toEqual([
      true,
      false,
      false,
    ]);
    refuse(router, BILL, 20, unauthorized);
    expect(isRetired(router)).toBeTrue();
  });

  test("is a lone payer's again an hour after the others' last call, even under a new configuration", () => {
    for (const [nowMs, isAlone] of [
      [HOUR_MS - 1, false],
      [HOUR_MS, true],
    ] as const) {
      const router = new Planning();
      serve(router, BEN, 0);
      serve(router, ANN, 1);
      router.on("House", ["a", 1], ["b", 1]);
      refuse(router, ANN, nowMs);
      expect(isRetired(router)).toBe(isAlone);
    }
  });

  test("stays in use if it only lacks a scope", () => {
    const router = new Planning();
    const scope = new Fault("upstream_auth", "no", {
      upstreamStatus: 403,
      upstream: { message: "Missing scopes: model.request. Check that a restricted API key has them." },
    });
    for (const key of [ANN, BEN, BILL]) refuse(router, key, 10, scope);
    expect([isRetired(router), isRefusedTo(router, ANN), router.plan(20).length]).toEqual([false, false, 2]);
  });
});
