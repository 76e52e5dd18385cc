// fastmcp on both sides of the gateway's tool servers: behind it as a server, and as a client of either era over servers of
// either.
import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { existsSync } from "node:fs";
import { join } from "node:path";
import { asArray, asObject, type JsonObject, parseJson } from "../../src/core/json/json.ts";
import { CONNECTS, readText } from "../clients/tools/clients.ts";
import { startUnderTest, type UnderTest } from "../harness/harness.ts";
import {
  findFreePort,
  startEverything,
  startSecondSdk,
  startServerProgram,
  type WatchedServer,
} from "../harness/reference-servers.ts";
import { until } from "../whole/world/until.ts";

const SCRIPT = join(import.meta.dir, "tool_servers.py");
const OWN = join(import.meta.dir, "..", "..", ".venv", "bin", "python");
const SCRIPT_MS = 120_000;
const MODES = ["legacy", "auto", "2026-07-28"];
const environment = { PATH: process.env.PATH ?? "", HOME: process.env.HOME ?? "" };

function findPython(): string | null {
  for (const python of [OWN, Bun.which("python3")]) {
    if (python === null || !existsSync(python)) continue;
    const { success } = Bun.spawnSync([python, SCRIPT, "--list"], { env: environment, stderr: "ignore" });
    if (success) return python;
  }
  return null;
}

const WATCHED = {
  calls: [
    ["echo", { text: "hi" }],
    ["fail", {}],
  ],
  slow: ["slow", {}],
};
const ASKED = [
  {
    name: "everything",
    calls: [["echo", { message: "hi" }]],
    slow: ["trigger-long-running-operation", { duration: 60, steps: 600 }],
  },
  { name: "newer", ...WATCHED },
  { name: "python", ...WATCHED },
];

interface World {
  readonly under: UnderTest;
  /** A line of each thing that the clients of the script have seen. */
  readonly seen: readonly JsonObject[];
  stop(): Promise<void>;
}

async function startWorld(python: string): Promise<World> {
  const port = await findFreePort();
  const [everything, fast] = await Promise.all([
    startEverything(),
    startServerProgram([python, SCRIPT, "--serve", String(port)], port),
  ]);
  const newer = startSecondSdk(true);
  const servers = Object.entries({ everything, newer, python: fast });
  const rows = servers.map(([name, { url }]) => `${name}: { url: "${url}" }`);
  const under = await startUnderTest({
    more: `mcp: { allowed_tools: ["*"], servers: { ${rows.join(", ")} } }`,
  });
  return {
    under,
    seen: await runScript(python, under, newer),
    async stop() {
      await under.stop();
      for (const [, server] of servers) await server.stop();
    },
  };
}

/** Runs the script, and makes the change of which all its clients hear once they all listen. */
async function runScript(
  python: string,
  { url, secret }: UnderTest,
  newer: WatchedServer,
): Promise<readonly JsonObject[]> {
  const given = { url, secret, servers: ASKED, changes: "newer" };
  const child = Bun.spawn([python, SCRIPT, JSON.stringify(given)], {
    env: environment,
    stdout: "pipe",
    stderr: "pipe",
  });
  const errors = new Response(child.stderr).text();
  const lines: JsonObject[] = [];
  let text = "";
  for await (const piece of child.stdout.pipeThrough(new TextDecoderStream())) {
    text += piece;
    const whole = text.split("\n");
    text = whole.pop() ?? "";
    const before = countListening(lines);
    lines.push(...whole.map((line) => asObject(parseJson(line))));
    if (before < MODES.length && countListening(lines) === MODES.length) newer.change();
  }
  // It prints tracebacks of messages that came after it had left, which hurt nothing.
  if ((await child.exited) !== 0) throw new Error(await errors);
  return lines;
}

function suite(python: string): void {
  let world: World;
  beforeAll(async () => {
    world = await startWorld(python);
  }, SCRIPT_MS);
  afterAll(() => world.stop());

  describe.each(MODES)("as a client: %s", (mode) => {
    test.each(ASKED.map(({ name }) => name))("lists, calls, and leaves a call over %s", (server) => {
      const found = world.seen.find((line) => line.server === server && line.mode === mode);
      expect(found).toMatchObject({
        version: mode === "legacy" ? "2025-11-25" : "2026-07-28",
        left: "left",
        unknown: expect.stringContaining("Unknown tool: missing"),
      });
      expect(asArray(found?.tools)).toContain("echo");
      expect(asArray(found?.calls)).toEqual(
        server === "everything"
          ? [[false, "Echo: hi"]]
          : [
              [false, "echo: hi"],
              [true, expect.stringContaining("the tool broke")],
            ],
      );
    });

    test("hears of a server's change", () => {
      expect(world.seen.find(({ heard }) => heard === mode)).toMatchObject({ added: ["late"] });
    });
  });

  describe.each(CONNECTS)("as a server of %s", (_name, connect) => {
    test("lists, answers, fails, reports progress, and is told of a call that was left", async () => {
      const client = await connect(`${world.under.url}/mcp/python`, world.under.secret);
      expect(await client.listNames()).toEqual(["count_cancelled", "echo", "fail", "slow"]);
      expect(readText(await client.call("echo", { text: "hi" }))).toBe("echo: hi");
      const failed = await client.call("fail", {});
      expect([failed.isError, readText(failed)]).toEqual([true, expect.stringContaining("the tool broke")]);
      const countCancelled = async () => Number(readText(await client.call("count_cancelled", {})));
      const before = await countCancelled();
      const leaving = new AbortController();
      const onProgress = () => leaving.abort();
      await expect(client.call("slow", {}, { signal: leaving.signal, onProgress })).rejects.toThrow();
      await until("it is cancelled there", async () => (await countCancelled()) > before);
      await client.close();
    });
  });
}

function countListening(lines: readonly JsonObject[]): number {
  return lines.filter(({ listens }) => listens !== undefined).length;
}

const python = findPython();
if (python) describe("fastmcp", () => suite(python));
else test.skip("It is not there: pip install -r test/python/requirements.txt into .venv", () => {});
