// Partial outages and dead credentials under load, on virtual time. `LONG=1 bun test sim/outage` prints the figures of a minute.
import { expect, test } from "bun:test";
import { IS_LONG, sampleRows } from "../harness/long.ts";
import { type OutageFigures, type OutageSetup, runOutage } from "./outage.ts";

const SECONDS = IS_LONG ? 60 : 1;
const LONG_MS = 600_000;

const LOAD = {
  perSecond: 60,
  seconds: SECONDS,
  keys: 1,
  deadKeys: 0,
  status: 503,
  hasFallback: true,
} as const;

function show(what: string, { requests, failed, errors, calls, longestMs }: OutageFigures): void {
  const codes = Object.entries(errors).map(([code, count]) => `${count} ${code}`);
  const parts = [
    `${requests} requests`,
    `${failed} failed`,
    ...codes,
    `${calls} calls`,
    `longest ${Math.round(longestMs)} ms`,
  ];
  console.log(`${what}: ${parts.join(", ")}`);
}

const SHARES: readonly (Partial<OutageSetup> & { readonly share: number })[] = [
  { share: 0.2 },
  { share: 0.3 },
  { share: 0.4, status: 500 },
  { share: 0.5, status: 429 },
  { share: 0.6 },
];

test.each(sampleRows(SHARES, 3, 1))(
  "a provider that fails $share of its calls, with a healthy fallback",
  async (setup) => {
    const figures = await runOutage({ ...LOAD, seed: 7, ...setup });
    show(`${setup.share * 100} % of calls fail`, figures);
    expect(figures.failed).toBeLessThanOrEqual(0.002 * figures.requests);
    expect(figures.calls).toBeLessThanOrEqual(1.2 * figures.requests);
  },
  LONG_MS,
);

test.each([
  [60, 61],
  [12, 13],
])(
  "%p dead credentials of %p, without a fallback",
  async (deadKeys, keys) => {
    const figures = await runOutage({ ...LOAD, seed: 11, share: 0, keys, deadKeys, hasFallback: false });
    show(`${deadKeys} of ${keys} keys are dead`, figures);
    expect(figures.failed).toBeLessThanOrEqual(0.002 * figures.requests);
    // Refused credentials are passed over for at most two seconds.
    expect(figures.longestMs).toBeLessThanOrEqual(2500);
  },
  LONG_MS,
);

test("thirty dead credentials of thirty-one that answer slowly are passed over from the third request on", async () => {
  const dead = { seed: 17, share: 0, status: 503, keys: 31, deadKeys: 30, hasFallback: false } as const;
  const figures = await runOutage({ ...dead, callMs: 100, perSecond: 0.4, seconds: 20 });
  show("30 of 31 keys are dead", figures);
  expect(figures.failed).toBeLessThanOrEqual(1);
  expect(figures.calls).toBeLessThanOrEqual(dead.deadKeys + figures.requests);
});

test(
  "all credentials dead: each client is told so, soon, and a fallback answers them all",
  async () => {
    const dead = { ...LOAD, seed: 13, share: 0, keys: 12, deadKeys: 12 };
    const alone = await runOutage({ ...dead, hasFallback: false });
    show("all 12 keys are dead", alone);
    expect(alone.failed).toBe(alone.requests);
    expect(Object.keys(alone.errors)).toEqual(["upstream_auth"]);
    expect(alone.longestMs).toBeLessThanOrEqual(2500);
    const beside = await runOutage({ ...dead, hasFallback: true });
    show("all 12 keys are dead, with a fallback", beside);
    expect(beside.failed).toBe(0);
  },
  LONG_MS,
);

const OUTAGES = [1, 0.5].flatMap((share) => [2, 5, 20].map((payers) => ({ share, payers })));

test.each(sampleRows(OUTAGES, 3, 2))(
  "an outage of $share of the calls, met by $payers payers, takes at most a tenth more calls than met by one",
  async ({ share, payers }) => {
    const seconds = IS_LONG ? 30 : 6;
    const outage = { fromMs: (seconds * 1000) / 3, untilMs: (seconds * 2000) / 3 };
    const setup = { ...LOAD, ...outage, seed: 7, share, seconds };
    const one = await runOutage(setup);
    const many = await runOutage({ ...setup, payers });
    show(`${share * 100} % of calls fail for a third of the time, one payer`, one);
    show(`${share * 100} % of calls fail for a third of the time, ${payers} payers`, many);
    console.log(`${many.allCalls} calls of both providers, with one payer ${one.allCalls}`);
    expect(many.allCalls).toBeLessThanOrEqual(1.1 * one.allCalls);
    expect(many.failed).toBe(0);
  },
  LONG_MS,
);
