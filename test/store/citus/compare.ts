// Two versions of the store on one plain PostgreSQL, in turns: paid requests per second and the server's CPU time.
//   bun test/store/citus/compare.ts FOLDER_OF_THE_OTHER_VERSION [--rounds 5] [--seconds 4] [--only 1x32]
import { cpSync, mkdirSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { startPostgres } from "../postgres/server.ts";

const TICKS_A_SECOND = 100;
const CASES = [
  { accounts: 1, atOnce: 1 },
  { accounts: 1, atOnce: 32 },
  { accounts: 200, atOnce: 32 },
];

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    rounds: { type: "string", default: "5" },
    seconds: { type: "string", default: "4" },
    only: { type: "string", default: "" },
  },
});
const other = positionals[0] ?? "";
const here = join(import.meta.dir, "..", "..", "..");
mkdirSync(join(other, "test/store/citus"), { recursive: true });
cpSync(join(import.meta.dir, "throughput.ts"), join(other, "test/store/citus/throughput.ts"));

const server = await startPostgres();

/** The CPU time in seconds of the servers that tests start. They run as `nobody`, and no other server does here. */
function readServerCpu(): number {
  let ticks = 0;
  for (const pid of readdirSync("/proc").filter((name) => /^\d+$/.test(name))) {
    try {
      const command = readFileSync(`/proc/${pid}/cmdline`, "utf8");
      if (!/postgres/.test(command.split("\0")[0] ?? "") || !isOurs(Number(pid))) continue;
      const fields = readFileSync(`/proc/${pid}/stat`, "utf8")
        .replace(/^.*\) /, "")
        .split(" ");
      // User and system time. The first process also includes its ended children's.
      const from = pid === String(root) ? [11, 12, 13, 14] : [11, 12];
      for (const at of from) ticks += Number(fields[at]);
    } catch {
      // It has just ended.
    }
  }
  return ticks / TICKS_A_SECOND;
}

const port = new URL(server.url).port;
const root = readdirSync("/proc")
  .filter((name) => /^\d+$/.test(name))
  .map(Number)
  .find((pid) => {
    try {
      return readFileSync(`/proc/${pid}/cmdline`, "utf8").includes(`\0-p\0${port}\0`);
    } catch {
      return false;
    }
  });

function isOurs(pid: number): boolean {
  const parent = readFileSync(`/proc/${pid}/stat`, "utf8")
    .replace(/^.*\) /, "")
    .split(" ")[1];
  return pid === root || Number(parent) === root;
}

async function measure(folder: string, url: string, { accounts, atOnce }: (typeof CASES)[number]) {
  const script = join(folder, "test/store/citus/throughput.ts");
  const options = ["--accounts", `${accounts}`, "--at-once", `${atOnce}`, "--seconds", values.seconds];
  const cpu = readServerCpu();
  const child = Bun.spawn([process.execPath, script, url, ...options], { stderr: "inherit" });
  const { rate, pairs } = JSON.parse(await new Response(child.stdout).text());
  return { rate: Number(rate), cpuUs: ((readServerCpu() - cpu) / Number(pairs)) * 1e6 };
}

const median = (numbers: readonly number[]) =>
  numbers.toSorted((a, b) => a - b)[Math.floor(numbers.length / 2)] ?? 0;

const urls = new Map([
  [other, await server.newDatabase()],
  [here, await server.newDatabase()],
]);
console.log(
  "| accounts | at once | paid requests/s: other, this | server's CPU each, µs: other, this |\n|---|---|---|---|",
);
for (const one of CASES) {
  if (values.only !== "" && values.only !== `${one.accounts}x${one.atOnce}`) continue;
  const seen = new Map<string, { rate: number; cpuUs: number }[]>([
    [other, []],
    [here, []],
  ]);
  for (let round = 0; round < Number(values.rounds); round++) {
    const turn = round % 2 === 0 ? [other, here] : [here, other];
    for (const folder of turn) seen.get(folder)?.push(await measure(folder, urls.get(folder) ?? "", one));
  }
  const show = (read: (one: { rate: number; cpuUs: number }) => number) => {
    const [a = 0, b = 0] = [other, here].map((folder) => median((seen.get(folder) ?? []).map(read)));
    return `${Math.round(a)}, ${Math.round(b)} (${((b / a - 1) * 100).toFixed(1)} %)`;
  };
  console.log(
    `| ${one.accounts} | ${one.atOnce} | ${show(({ rate }) => rate)} | ${show(({ cpuUs }) => cpuUs)} |`,
  );
}
await server.remove();
process.exit();
