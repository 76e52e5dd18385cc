// The files that the package opens, in the long form alone: none of the working folder, by a gateway or by any command.
import { afterAll, beforeAll, expect, test } from "bun:test";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { IS_LONG } from "../../harness/long.ts";
import { ON_STORE, WITHOUT_STORE } from "../user-commands.ts";
import { buildPackage, type Installed, install, makeHostile } from "./packed.ts";
import { ask, clear, listProcesses, run, start } from "./running.ts";

const TEST_MS = 60_000;
const HOSTILE_FOLDERS = 20;

const folder = mkdtempSync(join(tmpdir(), "poundkey-opened-"));
const places: Installed[] = [];
let files = "";
beforeAll(() => {
  if (IS_LONG) files = buildPackage(folder);
}, TEST_MS);
afterAll(() => {
  for (const place of places) clear(place);
  rmSync(folder, { recursive: true });
});

/** An installation with a hostile working folder, and a tracer of what is opened or run. */
function newTraced() {
  const place = install(files);
  places.push(place);
  const work = join(place.root, "hostile");
  const trail = join(place.root, "trail");
  makeHostile(work);
  const within = [strace ?? "", "-f", "-qq", "-y", "-e", "trace=open,openat,openat2,execve", "-o", trail];
  return { place, work, around: { cwd: work, within }, listOpened: () => listOpened(trail, work) };
}

const strace = Bun.which("strace");
const canTrace = strace !== null && Bun.spawnSync([strace, "-qq", "-o", "/dev/null", "true"]).exitCode === 0;
if (IS_LONG && !canTrace) console.log("What is opened isn't traced: strace isn't there or can't trace.");

/**
 * A thread of Bun opens these of the process's working folder, whose paths and names `--tsconfig-override` and the bundle leave
 * without effect. The program itself, its workers and the launcher open none.
 */
const OF_THREADS = ["package.json", "tsconfig.json", "jsconfig.json"];

/** Returns the calls that open or run a path of the folder, there or not, but for those of threads that are known. */
function listOpened(trail: string, work: string): readonly string[] {
  const isRelative = new RegExp(`AT_FDCWD<${work}>, "[^/]`);
  const known = OF_THREADS.map((name) => `<${work}/${name}>`);
  return readFileSync(trail, "utf8")
    .split("\n")
    .filter((line) => line.includes(`${work}/`) || isRelative.test(line))
    .filter((line) => !line.includes("O_DIRECTORY") && !known.some((name) => line.endsWith(name)));
}

const ANSWERED = [200, expect.stringContaining("You said: hello")] as const;

test.skipIf(!IS_LONG || !canTrace).each(Array.from({ length: HOSTILE_FOLDERS }, (_, at) => at))(
  "in the hostile folder %i no file of its own is run or opened, from the launcher on",
  async (at) => {
    const { place, work, around, listOpened } = newTraced();
    // Each folder lacks another file, since one may hide the effect of the next.
    const lacking = OF_THREADS[at % 4];
    if (lacking !== undefined) rmSync(join(work, lacking), { force: true });
    const paths = '{ "compilerOptions": { "baseUrl": ".", "paths": { "*": ["./evil.js"] } } }';
    if (lacking === "tsconfig.json") writeFileSync(join(work, "jsconfig.json"), paths);
    const workers = at % 2 === 0 ? "1" : "2";
    const running = start(place, ["--port", "0", "--workers", workers], around);
    for (const model of ["Sim#sim-mini", "Router#best"])
      expect(await ask(running, model)).toEqual([...ANSWERED]);
    for (const pid of listProcesses(place)) if (isLauncher(pid)) process.kill(pid, "SIGTERM");
    await running.exited;
    expect(running.printed()).not.toContain("HOSTILE");
    expect(listOpened()).toEqual([]);
  },
  TEST_MS,
);

function isLauncher(pid: number): boolean {
  const words = readFileSync(`/proc/${pid}/cmdline`, "utf8").split("\0");
  return words[1]?.endsWith("launch.mjs") ?? false;
}

const COMMANDS = [
  ["keys", "add", "--name", "one"],
  ...ON_STORE,
  ...WITHOUT_STORE.map(([args]) => args),
  ["samples", "--list"],
  ["completion", "bash"],
  ["--help"],
];

test.skipIf(!IS_LONG || !canTrace).each(COMMANDS.map((args) => [args.join(" "), args] as const))(
  "%s opens no file of the working folder that it wasn't given",
  async (_, args) => {
    const { place, around, listOpened } = newTraced();
    const { out, err } = await run(place, args, around);
    expect(out + err).not.toMatch(/HOSTILE|prot/);
    expect(listOpened().filter((line) => !args.some((arg) => line.includes(`"${arg}"`)))).toEqual([]);
  },
  TEST_MS,
);
