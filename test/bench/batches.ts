// The costs of batches: `npm run bench:batches [LINES] [ROUND] [ROUNDS]`, of the sources, or of the binary in POUNDKEY_BINARY. Prints
// what a line costs against a request, in rounds of so many, and what single requests and small batches notice of a batch of so many
// lines.
import { asObject } from "../../src/core/json/json.ts";
import { log, startBatchGateway, timed } from "./batch-gateway.ts";
import { computeMedian, computePercentile, computeRatio, spread, writeRatio } from "./figures.ts";
import { cpuMicros } from "./processes.ts";

const LINES = Number(process.argv[2] ?? 100_000);
const SPEED_LINES = Number(process.argv[3] ?? 4000);
const ROUNDS = Number(process.argv[4] ?? 5);
const SINGLES = 1000;
/** The times in which the provider answers while single requests and lines meet: at once, and as a model would. */
const ANSWER_MS = [0, 200];
/** The share of the lines for a provider that takes its time, so that the batch lasts as long as single requests beside it do. */
const SLOW_SHARE = 1 / 20;

const gateway = await startBatchGateway(40);

interface LineCosts {
  /** CPU in microseconds, and milliseconds, of a line. */
  readonly running: Cost;
  /** The same with its part of the batch's validation, estimates and end. */
  readonly whole: Cost;
}

interface Cost {
  readonly cpu: number;
  readonly ms: number;
}

async function runLines(file: string): Promise<LineCosts> {
  const note = () => ({ cpu: cpuMicros(gateway.pid), ms: performance.now() });
  const start = note();
  const id = await gateway.createBatch(file);
  const seen = await gateway.waitFor(id, "in_progress", "finalizing", "completed");
  const began = note();
  const { completed } = asObject(seen.request_counts);
  await gateway.waitFor(id, "completed");
  const end = note();
  const share = (from: Cost, lines: number) => ({
    cpu: (end.cpu - from.cpu) / lines,
    ms: (end.ms - from.ms) / lines,
  });
  return { running: share(began, SPEED_LINES - Number(completed)), whole: share(start, SPEED_LINES) };
}

/** Lines and whole requests by turns, so that both meet the same noise. */
async function compareSpeed(): Promise<void> {
  const file = await gateway.upload(await gateway.writeInput(SPEED_LINES, 200));
  const rounds: (LineCosts & { readonly request: Cost })[] = [];
  await gateway.sendRequests(SPEED_LINES);
  await runLines(file);
  for (let round = 0; round < ROUNDS; round++) {
    const before = cpuMicros(gateway.pid);
    const [ms] = await timed(() => gateway.sendRequests(SPEED_LINES));
    const request = { cpu: (cpuMicros(gateway.pid) - before) / SPEED_LINES, ms: ms / SPEED_LINES };
    rounds.push({ request, ...(await runLines(file)) });
  }
  type Round = (typeof rounds)[number];
  const share = (of: (round: Round) => number) => spread(rounds.map(of));
  const compare = (of: (round: Round) => number, other: (round: Round) => number) =>
    writeRatio(computeRatio(rounds.map(of), rounds.map(other), Math.random));
  log(`CPU of a whole request: ${share(({ request }) => request.cpu)} µs`);
  const ofRequest = ({ request }: Round) => request.cpu;
  log(`CPU of a line that runs, of a request's: ${compare(({ running }) => running.cpu, ofRequest)}`);
  log(`with its validation and estimate: ${compare(({ whole }) => whole.cpu, ofRequest)}`);
  log(
    `rate of lines, of requests' at the same parallelism: ${compare(
      ({ request }) => request.ms,
      ({ running }) => running.ms,
    )}`,
  );
}

async function measureSingles(count: number): Promise<readonly number[]> {
  const times: number[] = [];
  for (let at = 0; at < count; at++) times.push((await timed(() => gateway.request(at)))[0]);
  return times;
}

async function measureFairness(answerMs: number): Promise<void> {
  gateway.pace.waitMs = answerMs;
  const singles = answerMs === 0 ? SINGLES : SINGLES / 5;
  const small = await gateway.upload(await gateway.writeInput(10, 200));
  await measureSingles(singles);
  const idle = await measureSingles(singles);
  const [aloneMs] = await timed(async () => gateway.waitFor(await gateway.createBatch(small), "completed"));
  const lines = Math.ceil(answerMs === 0 ? LINES : LINES * SLOW_SHARE);
  const large = await gateway.createBatch(await gateway.upload(await gateway.writeInput(lines, 200)));
  await gateway.waitFor(large, "in_progress");
  await Bun.sleep(1000);
  const busy = await measureSingles(singles);
  const [besideMs] = await timed(async () => gateway.waitFor(await gateway.createBatch(small), "completed"));
  const { status } = await gateway.ask(`/v1/batches/${large}`);
  await gateway.ask(`/v1/batches/${large}/cancel`, { method: "POST" }).catch(() => {});
  await gateway.waitFor(large, "cancelled", "completed");
  const share = (of: (values: readonly number[]) => number) => (of(busy) / of(idle)).toFixed(2);
  const p99 = (values: readonly number[]) => computePercentile(values, 0.99);
  log(
    `provider that answers in ${answerMs} ms: single requests beside a batch (${status}): p50 ${share(computeMedian)} ×, p99 ${share(p99)} × those alone`,
  );
  log(`ten lines beside it: ${(besideMs / aloneMs).toFixed(2)} × the time of ten lines alone`);
}

await gateway.sendRequests(500);
if (SPEED_LINES > 0) await compareSpeed();
if (LINES > 0) for (const answerMs of ANSWER_MS) await measureFairness(answerMs);
await gateway.stop();
