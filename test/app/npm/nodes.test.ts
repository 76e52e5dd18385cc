// The package under each release of Node that it is for, and without any, in the long form alone.
import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { version } from "../../../package.json" with { type: "json" };
import { IS_LONG } from "../../harness/long.ts";
import { until } from "../../whole/world/until.ts";
import { installNode } from "./node-releases.ts";
import { buildPackage, type Installed, install, makeEnvironment, makeHostile } from "./packed.ts";
import { ask, clear, listProcesses, run, start } from "./running.ts";

const TEST_MS = 60_000;
/** Before 22.15 and 23.11, Node can't be replaced by the gateway, so it passes signals on. */
const RELEASES = ["20", "22.14", "22", "24"];
const PASSING = ["20", "22.14"];

const folder = mkdtempSync(join(tmpdir(), "poundkey-nodes-"));
const places: Installed[] = [];
let files = "";
beforeAll(() => {
  if (IS_LONG) files = buildPackage(folder);
}, TEST_MS);
afterAll(() => {
  for (const place of places) clear(place);
  rmSync(folder, { recursive: true });
});

function newPlace(): Installed {
  const place = install(files);
  places.push(place);
  return place;
}

const ANSWERED = [200, expect.stringContaining("You said: hello")] as const;

describe.skipIf(!IS_LONG).each(RELEASES)("under Node %s", (release) => {
  let node = "";
  beforeAll(async () => {
    node = await installNode(release, folder);
  }, TEST_MS);

  test(
    "a gateway answers, reloads at SIGHUP and ends at SIGINT, in one process where Node can be replaced",
    async () => {
      const place = newPlace();
      makeHostile(place.work);
      const running = start(place, ["--port", "0"], { node });
      expect(await ask(running)).toEqual([...ANSWERED]);
      expect(listProcesses(place)).toHaveLength(PASSING.includes(release) ? 2 : 1);
      running.kill("SIGHUP");
      await until("it reloads", () => running.printed().includes('"config_reloaded"'));
      running.kill("SIGINT");
      expect(await running.exited).toBe(0);
      expect(running.printed()).not.toMatch(/HOSTILE|ExperimentalWarning/);
      expect(listProcesses(place)).toEqual([]);
    },
    TEST_MS,
  );

  test(
    "arguments and exit codes are passed on, a signal's too",
    async () => {
      const place = newPlace();
      const { code, out } = await run(place, ["--version"], { node });
      expect([code, out]).toEqual([0, expect.stringContaining(version)]);
      expect((await run(place, ["keys", "add", "--nmae", "a b"], { node })).code).toBe(2);
      const killed = start(place, ["--port", "0"], { node });
      await killed.greeted();
      const others = listProcesses(place).filter((pid) => pid !== killed.pid);
      for (const pid of others.length === 0 ? [killed.pid] : others) process.kill(pid, "SIGKILL");
      expect(await killed.exited).toBe(137);
    },
    TEST_MS,
  );
});

test.skipIf(!IS_LONG)(
  "without Node, Bun runs the launcher",
  async () => {
    const place = newPlace();
    const running = start(place, ["--port", "0"], {
      node: process.execPath,
      env: { ...makeEnvironment(place), PATH: "/nowhere" },
    });
    expect(await ask(running)).toEqual([...ANSWERED]);
    running.kill("SIGTERM");
    expect(await running.exited).toBe(0);
    expect(listProcesses(place)).toEqual([]);
  },
  TEST_MS,
);
