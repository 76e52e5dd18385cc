// Health look-ups for every model at each request: a healthy model is never penalised, and cached medians stay right.
import { expect, test } from "bun:test";
import { Fault } from "../../src/core/faults/fault.ts";
import { NOBODY } from "../../src/core/keys/payer.ts";
import { computeMedian, computeQuantiles, FadingValues } from "../../src/health/decay.ts";
import { Health } from "../../src/health/health.ts";
import type { Permit } from "../../src/health/permit.ts";
import { foresee } from "../../src/health/speed.ts";
import { makeDice } from "../selectors/dice.ts";
import { makeCard } from "../selectors/sample-cards.ts";

const CARDS = ["a", "b", "c", "d"].map((name) => makeCard(name));
const CREDENTIALS = ["one", "two"].map((secret) => ({ secret, weight: 1 }));

/** True if both are unknown, or nearly equal: a median that lies between two values may be either. */
function isClose(one: number | null, other: number | null): boolean {
  return one === other || Math.abs((one ?? 0) / (other ?? 0) - 1) < 0.01;
}

test("a healthy model has no failures and no waits; others recover over time; what is kept stays right", () => {
  const roll = makeDice(9);
  const health = new Health(() => {});
  const under: Permit[] = [];
  const over: Permit[] = [];
  const listDeployments = (id: string) => [...(health.card(id)?.deployments.values() ?? [])];
  let nowMs = 0;
  const seen = { held: 0, well: 0, healed: 0 };
  let before = new Set<string>();
  for (let step = 0; step < 6000; step++) {
    nowMs += roll() < 0.01 ? 600_000 : roll() * 400;
    const card = CARDS[Math.floor(roll() * CARDS.length)];
    const credential = CREDENTIALS[Math.floor(roll() * 2)];
    const permit = card && credential && health.begin({ card, credential }, nowMs);
    if (permit) under.push(permit);
    const isBad = Math.floor(nowMs / 60_000) % 3 === 0;
    for (const ended of under.splice(0, Math.floor(roll() * 3))) {
      if (!isBad || roll() < 0.3) ended.finish(nowMs, 50);
      else if (roll() < 0.2) ended.abandon();
      else if (roll() < 0.25) ended.fail(nowMs, new Fault("provider_busy", "", { upstreamStatus: 429 }));
      else ended.fail(nowMs, new Fault("upstream_error", ""));
      over.push(ended);
    }
    if (roll() < 0.05) over.splice(0).at(0)?.fail(nowMs, new Fault("upstream_error", ""));
    under[0]?.recordFirstPart(nowMs);
    const unwell = new Set(
      CARDS.map(({ id }) => id).filter((id) => listDeployments(id).some((one) => !one.isWell(nowMs))),
    );
    for (const { id } of CARDS) {
      const deployments = listDeployments(id);
      const kept = health.card(id)?.outlook(nowMs, NOBODY) ?? foresee([], nowMs, NOBODY);
      const { errorRate, isOpen, firstTokenMs, tokensPerSecond } = foresee(deployments, nowMs, NOBODY);
      expect(kept).toMatchObject({ errorRate, isOpen });
      expect(isClose(kept.firstTokenMs, firstTokenMs)).toBeTrue();
      expect(isClose(kept.tokensPerSecond, tokensPerSecond)).toBeTrue();
      const bad = deployments.reduce((sum, deployment) => sum + deployment.countOutcomes(nowMs, null).bad, 0);
      const isHeld = bad > 1 || deployments.some((deployment) => deployment.waitMs(nowMs, NOBODY) !== 0);
      if (isHeld) expect(unwell).toContain(id);
      seen[isHeld ? "held" : "well"]++;
      if (before.has(id) && !unwell.has(id)) seen.healed++;
    }
    before = unwell;
  }
  expect(Math.min(seen.well, seen.held)).toBeGreaterThan(1000);
  expect(seen.healed).toBeGreaterThan(10);
});

test("a median is kept until it decays or something is measured", () => {
  const roll = makeDice(4);
  const values = [new FadingValues(15_000), new FadingValues(15_000)];
  expect(computeMedian(values, 15_000, 0)).toBeNull();
  for (let at = 0; at < 200; at++) values[at % 2]?.add(50 + roll() * 2000, at * 10);
  const median = computeMedian(values, 15_000, 2000);
  const later = (nowMs: number) => computeQuantiles(values, [0.5], nowMs)?.[0] ?? null;
  const fadedAtMs = median?.fadedAtMs ?? 0;
  for (const nowMs of [2000, 10_000, 60_000, fadedAtMs - 1])
    expect(later(nowMs)).toBeCloseTo(median?.value ?? 0, 6);
  expect(later(fadedAtMs + 1)).toBeNull();
});

test("a model's medians follow each measurement, and the removal of a credential", () => {
  const health = new Health(() => {});
  const [card = makeCard("a")] = CARDS;
  const serve = (secret: string, startMs: number, tookMs: number) => {
    const permit = health.begin({ card, credential: { secret, weight: 1 } }, startMs);
    permit?.recordFirstPart(startMs + tookMs);
    permit?.finish(startMs + 2 * tookMs, 100);
  };
  const firstMs = () => health.card(card.id)?.outlook(5000, NOBODY).firstTokenMs ?? 0;
  serve("one", 0, 1000);
  expect(firstMs()).toBeWithin(900, 1100);
  for (let at = 0; at < 3; at++) serve("two", 0, 100);
  expect(firstMs()).toBeWithin(90, 110);
  const timeouts = { connectMs: 1, firstByteMs: null, idleMs: 1, totalMs: 1 };
  const setup = {
    name: "Acme",
    dialect: null,
    baseUrl: "http://acme.test",
    headers: {},
    timeouts,
    unlistedModels: false,
  };
  const credentials = ["one", "three"].map((secret) => ({ secret, weight: 1 }));
  health.configured([{ ...setup, credentials }]);
  expect(firstMs()).toBeWithin(900, 1100);
  for (let at = 0; at < 3; at++) serve("three", 0, 3000);
  expect(firstMs()).toBeWithin(2600, 3400);
});
