// One day of a store that fails during requests, as seen by clients, operators and the books.
import { expect } from "bun:test";
import { brokenRules } from "../../kill/rules.ts";
import { until } from "../../whole/world/until.ts";
import { type Clients, numbersSeen, type Told } from "./clients.ts";
import { looked, type StoreFault } from "./faults.ts";
import { startFaultWorld } from "./world.ts";

/** Three times what the product promises after the fault's end, because the machine may be busy. */
const HEALED_MS = 15_000;
const REFUSED_MS = 20_000;
const PATIENCE_PAID_MS = 30_000;
const PAUSE_MS = 20;
const REFUSED = { status: 503, code: "store_unavailable", retryAfter: "1", whole: false } as const;

interface Row {
  readonly request_id: string;
  readonly ended: string;
  readonly cost_nano: number;
  readonly charged_nano: number;
}

export interface ScenarioOptions {
  readonly lockWaitMs?: number;
  /** The least duration of the fault. */
  readonly lastsMs?: number;
}

export interface ScenarioSums {
  readonly refused: number;
  readonly healedMs: number;
}

export async function suffer(fault: StoreFault, options: ScenarioOptions = {}): Promise<ScenarioSums> {
  const { lockWaitMs, lastsMs = 0 } = options;
  const world = await startFaultWorld({
    folder: fault.folder,
    ...(lockWaitMs === undefined ? {} : { lockWaitMs }),
  });
  let open = () => {};
  try {
    for (const one of await askedInAllWays(world)) expect(one).toMatchObject({ status: 200, whole: true });
    open = world.shut();
    const underWay = WAYS.map(([key, stream]) => ({ key, answer: world.ask(key, stream) }));
    await until("all wait for the provider", () => world.waiting === WAYS.length);
    await world.synced();
    await fault.begin();
    const tried = await triedUntilRefused(world);
    const untilMs = performance.now() + lastsMs;
    open();
    await Promise.all(underWay.filter(({ key }) => key === "free").map(({ answer }) => answer));
    const refused = await refusedAll(world, untilMs);
    // A paid request doesn't end before it is posted.
    const paid = underWay.filter(({ key }) => key === "paid").map(({ answer }) => answer);
    if (lastsMs === 0) expect(await Promise.race([...paid, "none has ended"])).toBe("none has ended");
    await fault.end();
    const healedMs = await healed(world);
    for (const { answer } of underWay) expect(isEnded(await answer, lastsMs)).toBe(true);
    await Promise.all(tried);
    await balanced(world);
    const refusedNumbers = world.told.filter(({ status }) => status !== 200).map(({ number }) => number);
    if (lastsMs === 0)
      expect(numbersSeen(world).filter((number) => refusedNumbers.includes(number))).toEqual([]);
    return { refused, healedMs };
  } finally {
    open();
    await fault.end().catch(() => {});
    await world.stop();
  }
}

/** A paid answer waits for at most 30 s, after which its client gets an error with the reason. */
function isEnded({ status, whole, code }: Told, lastsMs: number): boolean {
  return (status === 200 && whole) || (lastsMs >= PATIENCE_PAID_MS && code === "store_unavailable");
}

const WAYS = [
  ["free", false],
  ["free", true],
  ["paid", false],
  ["paid", true],
] as const;

export function askedInAllWays(world: Clients): Promise<readonly Told[]> {
  return Promise.all(WAYS.map(([key, stream]) => world.ask(key, stream)));
}

/** Requests may still be admitted at the start of a fault. They wait at the gate with the others. */
async function triedUntilRefused(world: Clients): Promise<readonly Promise<Told>[]> {
  const tried: Promise<Told>[] = [];
  const isRefused = () => {
    tried.push(world.ask("free", false));
    return world.told.some(({ status }) => status !== 200);
  };
  await until("a request is refused", isRefused, REFUSED_MS);
  return tried;
}

/** During the fault no request reaches the provider, and every client gets an error with reason and retry time. */
export async function refusedAll(world: Clients, untilMs: number): Promise<number> {
  let refused = 0;
  do {
    const [told, ready, alive] = await Promise.all([
      askedInAllWays(world),
      world.statusOf("/readyz"),
      world.statusOf("/healthz"),
    ]);
    for (const one of told) expect(one).toMatchObject(REFUSED);
    expect({ ready, alive }).toEqual({ ready: 503, alive: 200 });
    refused += told.length;
    await Bun.sleep(PAUSE_MS);
  } while (performance.now() < untilMs);
  return refused;
}

/** Waits for recovery without a restart, and returns how long it took. */
export async function healed(world: Clients): Promise<number> {
  const endedMs = performance.now();
  const isHealed = async () => {
    const told = await askedInAllWays(world);
    return (await world.statusOf("/readyz")) === 200 && told.every(({ whole }) => whole);
  };
  await until("all are served again", isHealed, HEALED_MS);
  return performance.now() - endedMs;
}

/** Checks that each answer and each of the provider's calls has a row in the end, and that the books balance. */
export async function balanced(world: Clients): Promise<void> {
  const holds = "SELECT count(*) AS count FROM hold";
  const isSettled = () =>
    looked(world.database, (database) => database.query<{ count: number }, []>(holds).get()?.count === 0);
  await until("all is settled", isSettled, HEALED_MS);
  const { rows, broken } = looked(world.database, (database) => ({
    rows: database.query<Row, []>("SELECT request_id, ended, cost_nano, charged_nano FROM request").all(),
    broken: brokenRules(database),
  }));
  expect(broken).toEqual([]);
  const rowOf = (number: string) => rows.find(({ request_id }) => request_id === number);
  for (const { number, key, chargedNanoUsd } of world.told.filter(({ whole }) => whole)) {
    const cost = rowOf(number)?.cost_nano ?? 0;
    const due = key === "paid" ? cost : 0;
    expect(cost).toBeGreaterThan(0);
    expect(rowOf(number)).toMatchObject({ ended: "done", charged_nano: due });
    expect(chargedNanoUsd).toBe(due);
  }
  const seen = numbersSeen(world);
  expect(seen.filter((number) => (rowOf(number)?.ended ?? "refused") === "refused")).toEqual([]);
  expect(seen.length).toBe(new Set(seen).size);
}
