// The files that the package opens, in the long form alone: none of the working folder, by a gateway, however it was installed, or by any command.
import { afterAll, beforeAll, expect, test } from "bun:test";
import {
  chmodSync,
  linkSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  renameSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { IS_LONG } from "../../harness/long.ts";
import { ON_STORE, WITHOUT_STORE } from "../user-commands.ts";
import { buildBinary, buildPackage, type Installed, install, makeHostile } from "./packed.ts";
import { ask, clear, listProcesses, run, start } from "./running.ts";

const TEST_MS = 60_000;
const HOSTILE_FOLDERS = 20;
const ROOT = join(import.meta.dir, "..", "..", "..");

const folder = mkdtempSync(join(tmpdir(), "poundkey-opened-"));
const places: Installed[] = [];
let files = "";
let binary = "";
beforeAll(() => {
  if (IS_LONG) files = buildPackage(folder);
}, TEST_MS);
beforeAll(() => {
  if (IS_LONG) binary = buildBinary(join(folder, "binary"));
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

/** The ways in: each makes the program that is started. */
const WAYS: Readonly<Record<string, (place: Installed) => string | undefined>> = {
  "the launcher": () => undefined,
  "a global installation": layOutGlobally,
  "Homebrew's script": writeHomebrewScript,
};

/** As `npm install --global` does: the runtime lies in the package's own folder, and a link to the launcher in another one. */
function layOutGlobally({ root, launcher, runtime }: Installed): string {
  const [files, link] = [join(root, "prefix/lib/node_modules/poundkey"), join(root, "prefix/bin/poundkey")];
  for (const path of [files, link]) mkdirSync(dirname(path), { recursive: true });
  renameSync(dirname(launcher), files);
  mkdirSync(join(files, "node_modules"));
  renameSync(dirname(runtime), join(files, "node_modules/@oven"));
  chmodSync(join(files, "launch.mjs"), 0o755);
  symlinkSync("../lib/node_modules/poundkey/launch.mjs", link);
  return link;
}

/** The formula's own script, before the binary. */
function writeHomebrewScript({ root }: Installed): string {
  const formula = readFileSync(join(ROOT, "src/deploy/release/formula.sh"), "utf8");
  const [line = ""] = /POUNDKEY_PLACES=user exec .*$/m.exec(formula) ?? [];
  expect(line).toContain("#{libexec}/poundkey");
  const [script, libexec] = [join(root, "poundkey"), join(root, "libexec")];
  mkdirSync(libexec);
  linkSync(binary, join(libexec, "poundkey"));
  const words = line.replaceAll("\\", "").replace("#{libexec}", libexec);
  writeFileSync(script, `#!/bin/sh\n${words}\n`, { mode: 0o755 });
  return script;
}

const FOLDERS = Array.from({ length: HOSTILE_FOLDERS }, (_, at) => {
  const names = Object.keys(WAYS);
  return [at, names[at % names.length] ?? ""] as const;
});

test.skipIf(!IS_LONG || !canTrace).each(FOLDERS)(
  "in the hostile folder %i no file of its own is run or opened, from %s on",
  async (at, way) => {
    const { place, work, around, listOpened } = newTraced();
    // Each folder lacks another file, since one may hide the effect of the next.
    const lacking = OF_THREADS[at % 4];
    if (lacking !== undefined) rmSync(join(work, lacking), { force: true });
    const paths = '{ "compilerOptions": { "baseUrl": ".", "paths": { "*": ["./evil.js"] } } }';
    if (lacking === "tsconfig.json") writeFileSync(join(work, "jsconfig.json"), paths);
    const workers = at % 2 === 0 ? "1" : "2";
    const program = WAYS[way]?.(place);
    const args = ["serve", "--quickstart", "--port", "0", "--workers", workers];
    const running = start(place, args, { ...around, ...(program !== undefined && { program }) });
    for (const model of ["Sim#sim-mini", "Router#best"])
      expect(await ask(running, model)).toEqual([...ANSWERED]);
    for (const pid of listProcesses(place)) if (readParent(pid) === running.pid) process.kill(pid, "SIGTERM");
    await running.exited;
    expect(running.printed()).not.toContain("HOSTILE");
    expect(listOpened()).toEqual([]);
  },
  TEST_MS,
);

/** Returns the process that started this one. The tracer's is the first program. */
function readParent(pid: number): number {
  const fields = readFileSync(`/proc/${pid}/stat`, "utf8").split(") ").at(-1) ?? "";
  return Number(fields.split(" ")[1]);
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
