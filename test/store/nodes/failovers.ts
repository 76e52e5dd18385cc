// Fails PostgreSQL over under load, again and again, and checks that every node recovers by itself and the books stay exact.
//   bun test/store/nodes/failovers.ts [TIMES]    by default 20: the old primary stays and only reads, closes its connections, or dies
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { SQL } from "bun";
import { startSimulator } from "../../simulator/server.ts";
import { until } from "../../whole/world/until.ts";
import { type PostgresServer, startPostgres } from "../postgres/server.ts";
import { audit, makePayer, makePricedYaml, runLoad } from "./cluster.ts";
import { MASTER_KEY, post, startGatewayProcess } from "./gateway.ts";
import { openWay, type Way } from "./proxy.ts";

const times = Number(process.argv[2] ?? 20);
const LOAD_MS = 8000;
const BEFORE_MS = 2000;
const HEALED_MS = 60_000;
/** The name leads to the old primary for this long after it has closed its connections, as a cached DNS entry does. */
const STALE_MS = 2000;
const MAIN = join(import.meta.dir, "..", "..", "..", "src", "main.ts");

interface Pair {
  readonly old: PostgresServer;
  readonly next: PostgresServer;
}

async function administer(url: string, ...statements: readonly string[]): Promise<void> {
  await using database = new SQL(url, { max: 1 });
  for (const statement of statements) await database.unsafe(statement);
}

const READ_ONLY = ["ALTER SYSTEM SET default_transaction_read_only = on", "SELECT pg_reload_conf()"];
const DISCONNECT =
  "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE application_name = 'poundkey'";

/** Each makes the standby the primary. The way, which stands for a name or proxy, leads to it afterwards. */
const FAILOVERS = {
  /** Connections to the old primary stay open. */
  stays: async ({ old, next }: Pair) => {
    await administer(next.url, "SELECT pg_promote()");
    await administer(old.url, ...READ_ONLY);
  },
  closes: async ({ old, next }: Pair) => {
    await administer(next.url, "SELECT pg_promote()");
    await administer(old.url, ...READ_ONLY, DISCONNECT);
    await Bun.sleep(STALE_MS);
  },
  dies: async ({ old, next }: Pair) => {
    await old.kill();
    await administer(next.url, "SELECT pg_promote()");
  },
};

/** Returns the time until the node serves a paid request. */
async function recover(url: string, secret: string): Promise<number> {
  const fromMs = performance.now();
  const body = { model: "Acme#quick", max_tokens: 9, messages: [{ role: "user", content: "say: hi" }] };
  const isServed = async () => {
    const answer = await post(`${url}/v1/chat/completions`, secret, body);
    await answer.text();
    return answer.ok && (await fetch(`${url}/readyz`)).ok;
  };
  await until("it serves again", isServed, HEALED_MS);
  return Math.round(performance.now() - fromMs);
}

/** Runs `poundkey ledger verify`, and returns its exit code. */
async function verify(store: string): Promise<number> {
  const env = { PATH: process.env.PATH ?? "", POUNDKEY_MASTER_KEY: MASTER_KEY };
  const command = [process.execPath, MAIN, "ledger", "verify", "--store", store];
  const child = Bun.spawn(command, { env, cwd: tmpdir(), stdout: "ignore", stderr: "inherit" });
  return child.exited;
}

const folder = mkdtempSync(join(tmpdir(), "poundkey-failovers-"));
const file = join(folder, "store");
/** The other node's address: both servers, in a file that is rewritten at each failover, the old primary first. */
function writeHosts({ old, next }: Pair): void {
  const { host } = new URL(old.url);
  writeFileSync(file, next.url.replace(new URL(next.url).host, `${host},${new URL(next.url).host}`));
}

interface Nodes {
  readonly urls: readonly string[];
  readonly secret: string;
  readonly way: Way;
}

/** Returns the number of problems. */
async function failOver(kind: keyof typeof FAILOVERS, pair: Pair, { urls, secret, way }: Nodes) {
  writeHosts(pair);
  const loading = runLoad(urls, secret, LOAD_MS);
  await Bun.sleep(BEFORE_MS);
  await FAILOVERS[kind](pair);
  way.lead(pair.next.url);
  const recoveredMs = await Promise.all(urls.map((url) => recover(url, secret)));
  const load = await loading;
  const { late, lost, problems } = await audit(pair.next.url, load);
  const code = await verify(pair.next.url);
  const { whole, asked, refused, broken } = load;
  const counts = { asked, whole: whole.length, refused, broken, late, lost };
  console.log(
    `${kind}: ${JSON.stringify({ recoveredMs, ...counts, problems: problems.length, verify: code })}`,
  );
  for (const problem of problems.slice(0, 10)) console.log(`  ${problem}`);
  return problems.length + (code === 0 ? 0 : 1);
}

const simulator = await startSimulator({ port: 0 });
let old = await startPostgres();
const way = await openWay(old.url);
writeFileSync(file, old.url);
const more = makePricedYaml(simulator.url);
const gateways = [way.url, `\${file:${file}}`].map((store) =>
  startGatewayProcess({ store, simulatorUrl: simulator.url, more }),
);
const urls = await Promise.all(gateways.map(({ url }) => url));
const secret = await makePayer(urls[0] ?? "");
const kinds = ["stays", "closes", "dies"] as const;
let failures = 0;
for (let time = 0; time < times; time++) {
  const next = await old.startStandby();
  await Promise.all(urls.map((url) => recover(url, secret)));
  failures += await failOver(kinds[time % kinds.length] ?? "dies", { old, next }, { urls, secret, way });
  await old.remove();
  old = next;
}
await Promise.all(gateways.map((gateway) => gateway.stop()));
await Promise.all([way.stop(), simulator.stop()]);
await old.remove();
rmSync(folder, { recursive: true });
console.log(`${times} failovers, ${failures} problems`);
process.exit(failures === 0 ? 0 : 1);
