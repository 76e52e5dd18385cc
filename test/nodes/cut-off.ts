// Cuts nodes off from PostgreSQL under load and checks that no whole answer ends lost or free, and no key pays twice.
//   bun test/nodes/cut-off.ts [ROUNDS]    a partition, a restart with late nodes and a stopped process, by default 3 each
import { startCluster } from "./cluster.ts";

const ROUNDS = Number(process.argv[2] ?? 3);
const LOAD_MS = 45_000;
/** Longer than the silence after which the others give up a node's holds. */
const AWAY_MS = 25_000;

const cluster = await startCluster();

/** n1's packets are swallowed. */
async function partition(): Promise<void> {
  cluster.way.freeze();
  await Bun.sleep(AWAY_MS);
  cluster.way.thaw();
}

/** PgBouncer keeps its nodes away for 15 s longer (`server_login_retry`). */
async function restart(): Promise<void> {
  await cluster.server.stop();
  await Bun.sleep(2000);
  await cluster.server.start();
}

async function stopProcess(): Promise<void> {
  const [, pid = 0] = cluster.pids;
  process.kill(pid, "SIGSTOP");
  await Bun.sleep(AWAY_MS);
  process.kill(pid, "SIGCONT");
}

let failures = 0;
for (const [name, fault] of Object.entries({ partition, restart, stopProcess })) {
  for (let round = 1; round <= ROUNDS; round++) {
    const loading = cluster.load(LOAD_MS);
    await Bun.sleep(5000);
    await fault();
    const load = await loading;
    const { whole, asked, refused, broken } = load;
    const { late, lost, problems } = await cluster.audit(load);
    failures += problems.length;
    const counts = { asked, whole: whole.length, refused, broken, late, lost, problems: problems.length };
    console.log(`${name} ${round}: ${JSON.stringify(counts)}`);
    for (const problem of problems.slice(0, 10)) console.log(`  ${problem}`);
  }
}
await cluster.stop();
process.exit(failures === 0 ? 0 : 1);
