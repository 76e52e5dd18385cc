// Two builds beside each other on one PostgreSQL under load, in both orders of start: what each serves and what is lost.
//   bun test/store/nodes/versions.ts
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { makePostgresSchema } from "../../../src/store/postgres/migrations.ts";
import { STEPS } from "../../../src/store/schema/steps.ts";
import { startSimulator } from "../../simulator/server.ts";
import { until } from "../../whole/world/until.ts";
import { startPostgres } from "../postgres/server.ts";
import { audit, makePricedYaml, runLoad } from "./cluster.ts";
import { ADMIN_TOKEN, operate } from "./gateway.ts";
import { MADE_STEPS, type MadeStep } from "./made-steps.ts";

const START_MS = 60_000;
/** The promise: an unsupported build refuses within this time. */
const REFUSES_MS = 10_000;

const server = await startPostgres();
const simulator = await startSimulator({ port: 0 });
const folder = mkdtempSync(join(tmpdir(), "poundkey-versions-"));
const config = join(folder, "poundkey.yaml");
writeFileSync(
  config,
  `server: { port: 0, admin_token: "${ADMIN_TOKEN}" }\nproviders:\n${makePricedYaml(simulator.url)}`,
);

async function startBuild(store: string, made: MadeStep) {
  const program = join(import.meta.dir, "build.process.ts");
  const child = Bun.spawn([process.execPath, program, store, config, made], {
    stdout: "ignore",
    stderr: "pipe",
  });
  let text = "";
  const reading = (async () => {
    const decoder = new TextDecoder();
    for await (const bytes of child.stderr) text += decoder.decode(bytes, { stream: true });
  })();
  await until(`${made} listens`, () => /listens on/.test(text) || child.exitCode !== null, START_MS);
  return {
    url: /listens on (\S+)/.exec(text)?.[1] ?? null,
    words: () => text,
    async stop() {
      child.kill("SIGTERM");
      await child.exited;
      await reading;
    },
  };
}

/** Returns what is wrong. `later` starts after `first`, under load. */
async function tryPair(first: MadeStep, later: MadeStep): Promise<readonly string[]> {
  const store = await server.newDatabase();
  const wrong: string[] = [];
  const one = await startBuild(store, first);
  const url = one.url ?? "";
  await operate(url, "/accounts/default/topups", { amount_usd: 100 });
  const { secret } = await operate(url, "/keys", { name: "paid" });
  const loading = runLoad([url], String(secret), 25_000);
  await Bun.sleep(3000);
  const two = await startBuild(store, later);
  const startedMs = performance.now();
  const isOver = later === "ends" && first !== "ends";
  if (two.url === null) {
    const isExpected = first === "ends";
    if (!isExpected) wrong.push(`${later} did not start: ${two.words()}`);
  } else {
    const ready = await fetch(`${two.url}/readyz`);
    if (ready.status !== 200) wrong.push(`${later} is not ready: ${await ready.text()}`);
    if (isOver) wrong.push(...(await expectRefusal(url, startedMs)));
    const more = await runLoad(isOver ? [two.url] : [url, two.url], String(secret), 8_000);
    if (more.refused + more.broken > 0) wrong.push(`of ${more.asked}, ${more.refused + more.broken} failed`);
  }
  const load = await loading;
  if (!isOver && load.refused + load.broken > 0)
    wrong.push(`${first} refused ${load.refused}, broke ${load.broken}`);
  const { late, lost, problems } = await audit(
    store,
    load,
    makePostgresSchema([...STEPS, ...MADE_STEPS.ends]),
  );
  wrong.push(...problems);
  const counts = {
    asked: load.asked,
    whole: load.whole.length,
    refused: load.refused,
    broken: load.broken,
    late,
    lost,
  };
  console.log(
    `${first}, then ${later}: ${JSON.stringify(counts)} ${two.words().trim().replaceAll("\n", "; ").slice(0, 300)}`,
  );
  await Promise.all([one.stop(), two.stop()]);
  return wrong;
}

async function expectRefusal(url: string, startedMs: number): Promise<readonly string[]> {
  const isReady = async () => (await fetch(`${url}/readyz`)).status === 200;
  await until("the older build refuses", async () => !(await isReady()), 3 * REFUSES_MS);
  const tookMs = performance.now() - startedMs;
  const said = await (await fetch(`${url}/readyz`)).text();
  console.log(`  refused after ${Math.round(tookMs)} ms: ${said}`);
  return said.includes("too old") ? [] : [`/readyz says ${said}`];
}

let failures = 0;
for (const [first, later] of [
  ["same", "adds"],
  ["adds", "same"],
  ["same", "ends"],
  ["ends", "same"],
] as const) {
  const wrong = await tryPair(first, later);
  failures += wrong.length;
  for (const words of wrong) console.log(`  WRONG ${words}`);
}
await simulator.stop();
await server.remove();
rmSync(folder, { recursive: true });
process.exit(failures === 0 ? 0 : 1);
