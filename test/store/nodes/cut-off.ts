// Cuts nodes off from their store under load and checks that no whole answer ends lost or free, and no key pays twice.
//   bun test/store/nodes/cut-off.ts [ROUNDS] [sqlite]    by default 3 rounds of each fault, on four nodes and on two processes
import { startCluster, startPair } from "./cluster.ts";

const rounds = Number(process.argv[2] ?? 3);
const only = process.argv[3];
const LOAD_MS = 45_000;
/** Longer than the silence after which the others give up a node's holds. */
const AWAY_MS = 25_000;

type Cluster = Pick<Awaited<ReturnType<typeof startPair>>, "pids" | "load" | "audit" | "stop">;

async function stopProcess({ pids: [, pid = 0] }: Cluster): Promise<void> {
  process.kill(pid, "SIGSTOP");
  await Bun.sleep(AWAY_MS);
  process.kill(pid, "SIGCONT");
}

/** Returns the number of problems. */
async function suffer(name: string, cluster: Cluster, fault: () => Promise<void>): Promise<number> {
  let failures = 0;
  for (let round = 1; round <= rounds; round++) {
    const loading = cluster.load(LOAD_MS);
    await Bun.sleep(5000);
    await fault();
    const load = await loading;
    const { late, lost, problems } = await cluster.audit(load);
    failures += problems.length;
    const { whole, asked, refused, broken } = load;
    const counts = { asked, whole: whole.length, refused, broken, problems: problems.length };
    console.log(
      `${name} ${round}: ${JSON.stringify(counts)}; in the store so far ${late} late, ${lost} lost`,
    );
    for (const problem of problems.slice(0, 10)) console.log(`  ${problem}`);
  }
  return failures;
}

async function sufferOnPostgres(): Promise<number> {
  const cluster = await startCluster();
  const { way, server } = cluster;
  /** n1's packets are swallowed. */
  const partition = async () => {
    way.freeze();
    await Bun.sleep(AWAY_MS);
    way.thaw();
  };
  /** PgBouncer keeps its nodes away for 15 s longer (`server_login_retry`). */
  const restart = async () => {
    await server.stop();
    await Bun.sleep(2000);
    await server.start();
  };
  const failures =
    (await suffer("partition", cluster, partition)) +
    (await suffer("restart", cluster, restart)) +
    (await suffer("stopped process", cluster, () => stopProcess(cluster)));
  await cluster.stop();
  return failures;
}

async function sufferOnSqlite(): Promise<number> {
  const pair = await startPair();
  const failures = await suffer("stopped process on SQLite", pair, () => stopProcess(pair));
  await pair.stop();
  return failures;
}

const failures = (only === "sqlite" ? 0 : await sufferOnPostgres()) + (await sufferOnSqlite());
process.exit(failures === 0 ? 0 : 1);
