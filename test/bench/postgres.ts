// The CPU of paid requests on PostgreSQL, of the gateway's store and of the server, by accounts and nodes. With the folder of another
// version, both run in turns, in random order:
//   bun test/bench/postgres.ts [FOLDER] [--rounds 8] [--seconds 2] [--only 10x1,10x2]
import { cpSync } from "node:fs";
import { loadavg } from "node:os";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { SQL } from "bun";
import { asObject, parseJson } from "../../src/core/json/json.ts";
import { openPostgresStore } from "../../src/store/postgres/store.ts";
import { decideByDemand, give, makeAccount, makeKey } from "../harness/samples.ts";
import { unrecorded } from "../harness/unrecorded.ts";
import { makeDice } from "../selectors/dice.ts";
import { startPostgres } from "../store/postgres/server.ts";
import { computeRatio, shuffled, writeRatio } from "./figures.ts";
import { listFamily, ownCpuMicros } from "./processes.ts";
import { tableText } from "./report.ts";

const GIVEN = 1_000_000_000_000;
const ALL_CASES = [
  { accounts: 1, nodes: 1, atOnce: 1 },
  { accounts: 1, nodes: 1, atOnce: 16 },
  { accounts: 1, nodes: 1, atOnce: 32 },
  { accounts: 10, nodes: 1, atOnce: 16 },
  { accounts: 10, nodes: 1, atOnce: 32 },
  { accounts: 200, nodes: 1, atOnce: 32 },
  { accounts: 1, nodes: 2, atOnce: 32 },
  { accounts: 10, nodes: 2, atOnce: 32 },
];
const HERE = join(import.meta.dir, "..", "..");
const NODE = "test/bench/postgres-node.process.ts";

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    rounds: { type: "string", default: "8" },
    seconds: { type: "string", default: "2" },
    only: { type: "string", default: "" },
  },
});
const [other] = positionals;
if (other !== undefined) cpSync(join(HERE, NODE), join(other, NODE));
const versions = other === undefined ? [HERE] : [HERE, other];

/** `10x2` is ten accounts on two nodes. */
const CASES = ALL_CASES.filter(
  ({ accounts, nodes }) => values.only === "" || values.only.split(",").includes(`${accounts}x${nodes}`),
);
type Case = (typeof CASES)[number];
interface Seen {
  readonly paid: number;
  readonly nodeMicros: number;
  readonly serverMicros: number;
}

const server = await startPostgres({ fsync: "on" });
const serverPid = await findServer();

async function findServer(): Promise<number> {
  await using sql = new SQL(server.url, { max: 1 });
  const [row] = await sql`SELECT split_part(pg_read_file('postmaster.pid'), E'\n', 1) AS pid`;
  return Number(row?.pid);
}

/** Returns the CPU time of each of the server's processes: some end meanwhile, such as those that clean up. */
function readServer(): ReadonlyMap<number, number> {
  return new Map(listFamily(serverPid).map((pid) => [pid, ownCpuMicros(pid)]));
}

async function prepare(url: string): Promise<void> {
  const store = await openPostgresStore({ url, decide: decideByDemand, patienceMs: 30_000 });
  for (const [at, { accounts }] of CASES.entries())
    for (let one = 0; one < accounts; one++) {
      const id = `case-${at} ${one}`;
      await unrecorded(store).addAccount(makeAccount(id));
      await unrecorded(store).addKey(makeKey(id, { accountId: id }), `digest of ${id}`);
      await give(store, id, GIVEN);
    }
  await store.close();
}

/** Starts the nodes of a case, and returns what measures them for some milliseconds. */
async function startNodes(folder: string, url: string, at: number, { accounts, nodes, atOnce }: Case) {
  const rest = [url, `case-${at}`, `${accounts}`, `${atOnce / nodes}`];
  const started = Array.from({ length: nodes }, () => {
    const child = Bun.spawn([process.execPath, join(folder, NODE), ...rest], {
      stdin: "pipe",
      stdout: "pipe",
      stderr: "inherit",
    });
    return { child, lines: readLines(child.stdout) };
  });
  for (const { lines } of started) await lines.next();
  return {
    async measure(forMs: number): Promise<Seen> {
      const before = readServer();
      const ends = await Promise.all(
        started.map(async ({ child, lines }) => {
          child.stdin.write(`${forMs}\n`);
          child.stdin.flush();
          return asObject(parseJson((await lines.next()).value ?? ""));
        }),
      );
      const sum = (name: string) => ends.reduce((total, end) => total + Number(end[name]), 0);
      const serverMicros = readServer()
        .entries()
        .reduce((total, [pid, micros]) => total + micros - (before.get(pid) ?? 0), 0);
      return { paid: sum("paid"), nodeMicros: sum("cpuMicros"), serverMicros };
    },
    end() {
      for (const { child } of started) child.kill();
    },
  };
}

async function* readLines(stream: ReadableStream<Uint8Array>): AsyncGenerator<string, undefined> {
  const decoder = new TextDecoder();
  let rest = "";
  for await (const bytes of stream) {
    const lines = (rest + decoder.decode(bytes, { stream: true })).split("\n");
    rest = lines.pop() ?? "";
    yield* lines;
  }
  return undefined;
}

const urls = await Promise.all(versions.map(() => server.newDatabase()));
for (const url of urls) await prepare(url);
const contenders: {
  name: string;
  at: number;
  seen: Seen[];
  nodes: Awaited<ReturnType<typeof startNodes>>;
}[] = [];
for (const [version, folder] of versions.entries())
  for (const [at, one] of CASES.entries())
    contenders.push({
      name: version === 0 ? "this" : "other",
      at,
      seen: [],
      nodes: await startNodes(folder, urls[version] ?? "", at, one),
    });
const forMs = Number(values.seconds) * 1000;
for (const { nodes } of contenders) await nodes.measure(forMs);
// As the server does by itself within a minute.
for (const url of urls) {
  await using sql = new SQL(url, { max: 1 });
  await sql.unsafe("ANALYZE");
}
for (let round = 0; round < Number(values.rounds); round++)
  for (const one of shuffled(contenders)) one.seen.push(await one.nodes.measure(forMs));
for (const { nodes } of contenders) nodes.end();

const listOf = (name: string, at: number) =>
  contenders.find((one) => one.name === name && one.at === at)?.seen ?? [];
const each = (seen: readonly Seen[], field: "nodeMicros" | "serverMicros") =>
  seen.map((one) => one[field] / one.paid);
const mean = (numbers: readonly number[]) => numbers.reduce((sum, one) => sum + one, 0) / numbers.length;
const rows = CASES.map(({ accounts, nodes, atOnce }, at) => {
  const ours = listOf("this", at);
  const rate = Math.round(mean(ours.map(({ paid }) => paid / Number(values.seconds))));
  const cells = (["nodeMicros", "serverMicros"] as const).flatMap((field) => {
    const cost = each(ours, field);
    const old = each(listOf("other", at), field);
    const ratio = old.length === 0 ? [] : [writeRatio(computeRatio(cost, old, makeDice(1)))];
    return [`${Math.round(mean(cost))}`, ...ratio];
  });
  return [accounts, nodes, atOnce, rate, ...cells].map(String);
});
const heads = ["store's CPU, µs", "server's CPU, µs"].flatMap((name) =>
  other === undefined ? [name] : [name, "of the other's"],
);
console.log(tableText({ head: ["accounts", "nodes", "at once", "paid a second", ...heads], rows }));
console.log(
  `Load at the end: ${loadavg()
    .map((one) => one.toFixed(1))
    .join(" ")}`,
);
await server.remove();
process.exit();
