// The npm package from nothing, in the long form alone: installed by npm and Bun, at terminals, built twice.
import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { cpSync, mkdirSync, mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { version } from "../../../package.json" with { type: "json" };
import { asObject, parseJson } from "../../../src/core/json/json.ts";
import { IS_LONG } from "../../harness/long.ts";
import { until } from "../../whole/world/until.ts";
import { buildPackage, type Installed, install, makeEnvironment } from "./packed.ts";
import { type Registry, startRegistry } from "./registry.ts";
import { ask, clear, listProcesses, run, start, startAtTerminal } from "./running.ts";

const TEST_MS = 60_000;
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
