// The npm package from nothing, in the long form alone: installed by npm and Bun, twenty hostile folders, terminals, equal builds.
import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { cpSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { version } from "../../../package.json" with { type: "json" };
import { asObject, parseJson } from "../../../src/core/json/json.ts";
import { IS_LONG } from "../../harness/long.ts";
import { until } from "../../whole/world/until.ts";
import { buildPackage, type Installed, install, makeEnvironment, makeHostile } from "./packed.ts";
import { type Registry, startRegistry } from "./registry.ts";
import { clear, listProcesses, type Running, run, start, startAtTerminal } from "./running.ts";

const TEST_MS = 60_000;
const HOSTILE_FOLDERS = 20;
const ROOT = join(import.meta.dir, "..", "..", "..");

const folder = mkdtempSync(join(tmpdir(), "poundkey-package-"));
const one = join(folder, "one");
const tarball = join(one, `poundkey-${version}.tgz`);
const places: Installed[] = [];
let files = "";
let registry: Registry;
beforeAll(() => {
  if (!IS_LONG) return;
  files = buildPackage(one);
  const manifest = asObject(parseJson(readFileSync(join(files, "package.json"), "utf8")));
  registry = startRegistry(tarball, manifest, mkdtempSync(join(folder, "registry-")));
}, TEST_MS);
afterAll(async () => {
  if (IS_LONG) await registry.stop();
  for (const place of places) clear(place);
  rmSync(folder, { recursive: true });
});

function newPlace(): Installed {
  const place = install(files);
  places.push(place);
  return place;
}

async function ask(running: Running): Promise<[number, string]> {
  const { url, secret } = await running.greeted();
  const answer = await fetch(`${url}/v1/chat/completions`, {
    method: "POST",
    headers: { authorization: `Bearer ${secret}`, "content-type": "application/json" },
    body: JSON.stringify({ model: "Sim#sim-mini", messages: [{ role: "user", content: "hello" }] }),
  });
  return [answer.status, await answer.text()];
}

const ANSWERED = [200, expect.stringContaining("You said: hello")] as const;

test.skipIf(!IS_LONG)(
  "two builds in two folders are equal",
  () => {
    const copy = join(folder, "checkout");
    mkdirSync(copy);
    const names = [
      "src",
      "package.json",
      "package-lock.json",
      "LICENSE",
      "tsconfig.json",
      "bunfig.toml",
      ".git",
    ];
    for (const name of names) cpSync(join(ROOT, name), join(copy, name), { recursive: true });
    // By links where the file system lets us, since there are many.
    const modules = [join(ROOT, "node_modules"), join(copy, "node_modules")];
    Bun.spawnSync(["sh", "-c", 'cp -al "$@" || { rm -rf "$2"; cp -a "$@"; }', "sh", ...modules]);
    buildPackage(join(folder, "two"), copy);
    const other = readFileSync(join(folder, "two", `poundkey-${version}.tgz`));
    expect(Bun.hash(other)).toBe(Bun.hash(readFileSync(tarball)));
  },
  TEST_MS,
);

describe.skipIf(!IS_LONG)("in an empty home, from a registry", () => {
  const npm = Bun.which("npm") ?? "npm";
  const bunx = join(ROOT, "node_modules", ".bin", "bunx");
  const commands = {
    "npm exec": [npm, "exec", "--yes", "poundkey", "--"],
    "npm exec without scripts": [npm, "exec", "--yes", "--ignore-scripts", "poundkey", "--"],
    "npm exec of a file": [npm, "exec", "--yes", `--package=${tarball}`, "--", "poundkey"],
    bunx: [bunx, "poundkey"],
  };
  /** The registry answers in this process, so nothing here may wait for a child without letting it. */
  async function runThere(command: readonly string[], place: Installed, path = process.env.PATH ?? "") {
    const child = Bun.spawn([...command], {
      cwd: mkdtempSync(join(folder, "work-")),
      env: {
        ...makeEnvironment(place),
        PATH: path,
        npm_config_registry: registry.url,
        BUN_CONFIG_REGISTRY: registry.url,
        BUN_TMPDIR: place.root,
      },
      stdin: "ignore",
      stdout: "pipe",
      stderr: "pipe",
    });
    const [out, err] = await Promise.all([
      new Response(child.stdout).text(),
      new Response(child.stderr).text(),
    ]);
    return { code: await child.exited, out, err };
  }

  test.each(Object.entries(commands))(
    "%s starts it",
    async (_, command) => {
      expect(await runThere([...command, "--version"], newPlace())).toMatchObject({
        code: 0,
        out: expect.stringContaining(version),
      });
    },
    TEST_MS,
  );

  test(
    "bunx starts it where there is no Node",
    async () => {
      expect(await runThere([...commands.bunx, "--version"], newPlace(), "/nowhere")).toMatchObject({
        code: 0,
        out: expect.stringContaining(version),
      });
    },
    TEST_MS,
  );

  test(
    "a global installation starts a gateway in a folder that can't be written",
    async () => {
      const place = newPlace();
      const prefix = join(place.root, "prefix");
      const global = [npm, "install", "--global", `--prefix=${prefix}`, "--ignore-scripts", "poundkey"];
      expect((await runThere(global, place)).code).toBe(0);
      const launcher = join(prefix, "lib", "node_modules", "poundkey", "launch.mjs");
      const running = start({ ...place, launcher }, ["--port", "0"], { cwd: "/proc" });
      expect(await ask(running)).toEqual([...ANSWERED]);
      running.kill("SIGTERM");
      expect(await running.exited).toBe(0);
    },
    TEST_MS,
  );
});

describe.skipIf(!IS_LONG)("signals", () => {
  test(
    "a closed terminal leaves no process, with workers too",
    async () => {
      for (const workers of ["1", "2"]) {
        const place = newPlace();
        const running = startAtTerminal(place, ["--port", "0", "--workers", workers]);
        await running.greeted();
        running.close();
        await running.exited;
        await until("all has ended", () => listProcesses(place).length === 0);
      }
    },
    TEST_MS,
  );

  test(
    "without a terminal, SIGHUP reloads and SIGTERM ends all, with workers too",
    async () => {
      for (const workers of ["1", "2"]) {
        const place = newPlace();
        const running = start(place, ["--port", "0", "--workers", workers], { env: {} });
        await running.greeted();
        running.kill("SIGHUP");
        await until("it reloads", () => running.printed().includes('"config_reloaded"'));
        expect(await ask(running)).toEqual([...ANSWERED]);
        running.kill("SIGTERM");
        expect(await running.exited).toBe(0);
        expect(listProcesses(place)).toEqual([]);
      }
    },
    TEST_MS,
  );

  test(
    "a gateway that is killed has the exit code of the signal",
    async () => {
      const place = newPlace();
      const running = start(place, ["--port", "0"]);
      await running.greeted();
      const others = listProcesses(place).filter((pid) => pid !== running.pid);
      // Newer releases of Node are replaced by the gateway.
      for (const pid of others.length === 0 ? [running.pid] : others) process.kill(pid, "SIGKILL");
      expect(await running.exited).toBe(137);
    },
    TEST_MS,
  );
});

test.skipIf(!IS_LONG)(
  "backup, samples and completion work as in the binary",
  async () => {
    const place = newPlace();
    expect((await run(place, ["keys", "add", "--name", "one"])).code).toBe(0);
    expect(await run(place, ["backup", "copy.db"])).toMatchObject({ code: 0 });
    expect((await run(place, ["samples", "deploy"])).out).toContain("chart/Chart.yaml");
    expect((await run(place, ["completion", "bash"])).out).toContain("master-key");
    expect(await run(place, [], { env: { POUNDKEY_PLACES: "folder" } })).toMatchObject({ code: 2 });
  },
  TEST_MS,
);

const strace = Bun.which("strace");
const canTrace = strace !== null && Bun.spawnSync([strace, "-qq", "-o", "/dev/null", "true"]).exitCode === 0;
if (IS_LONG && !canTrace) console.log("What is opened isn't traced: strace isn't there or can't trace.");

/**
 * A thread of Bun opens these of the process's working folder, whose paths and names `--tsconfig-override` and the bundle leave
 * without effect. The program itself, its workers and the launcher open none.
 */
const OF_THREADS = ["package.json", "tsconfig.json", "jsconfig.json"];

test.skipIf(!IS_LONG || !canTrace).each(Array.from({ length: HOSTILE_FOLDERS }, (_, at) => at))(
  "in the hostile folder %i no file of its own is run or opened, from the launcher on",
  async (at) => {
    const place = newPlace();
    const work = join(place.root, "hostile");
    const trail = join(place.root, "trail");
    makeHostile(work);
    // Each folder lacks another file, since one may hide the effect of the next.
    const lacking = OF_THREADS[at % 4];
    if (lacking !== undefined) rmSync(join(work, lacking), { force: true });
    const paths = '{ "compilerOptions": { "baseUrl": ".", "paths": { "*": ["./evil.js"] } } }';
    if (lacking === "tsconfig.json") writeFileSync(join(work, "jsconfig.json"), paths);
    const within = [strace ?? "", "-f", "-qq", "-y", "-e", "trace=open,openat,openat2,execve", "-o", trail];
    const workers = at % 2 === 0 ? "1" : "2";
    const running = start(place, ["--port", "0", "--workers", workers], { cwd: work, within });
    expect(await ask(running)).toEqual([...ANSWERED]);
    for (const pid of listProcesses(place)) if (isLauncher(pid)) process.kill(pid, "SIGTERM");
    await running.exited;
    expect(running.printed()).not.toContain("HOSTILE");
    expect(listOpened(readFileSync(trail, "utf8"), work)).toEqual([]);
  },
  TEST_MS,
);

function isLauncher(pid: number): boolean {
  const words = readFileSync(`/proc/${pid}/cmdline`, "utf8").split("\0");
  return words[1]?.endsWith("launch.mjs") ?? false;
}

/** Returns the calls that open or run a file of the folder, but for those of threads that are known. */
function listOpened(trail: string, work: string): readonly string[] {
  const known = OF_THREADS.map((name) => `<${work}/${name}>`);
  return trail
    .split("\n")
    .filter((line) => line.includes(`${work}/`) && !line.includes("O_DIRECTORY"))
    .filter((line) => !line.includes(" = -1 ") && !known.some((name) => line.endsWith(name)));
}
