// The coding agents connected by `poundkey setup`: each answers with nothing in its environment, and gets its files back.
import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { existsSync, mkdirSync, readdirSync, readFileSync } from "node:fs";
import { delimiter, dirname, join, relative } from "node:path";
import { asArray, asObject, parseJson } from "../../../src/core/json/json.ts";
import { IS_LONG } from "../../harness/long.ts";
import { poundkey } from "../../harness/poundkey.ts";
import { PATIENT_MS } from "../agents.ts";
import { type AgentWorld, startAgentWorld } from "../world.ts";
import { CONNECTED, type ConnectedAgent } from "./connected.ts";

const NOTHING: Readonly<Record<string, string>> = {};
const RUN_MS = 480_000;
const PROGRAMS = [
  join(import.meta.dir, "..", "node_modules", ".bin"),
  join(import.meta.dir, "cline", "node_modules", ".bin"),
  join(import.meta.dir, "..", "..", "..", ".venv", "aider", "bin"),
];
const PATH = [...PROGRAMS, process.env.PATH ?? ""].join(delimiter);
/** Each row of the log has the program that asked. */
const CONFIGURATION = 'aliases: { "gemini-*": "Router#best" }\ntags_from: { program: user-agent }';

let world: AgentWorld;
beforeAll(async () => {
  world = await startAgentWorld(CONFIGURATION);
});
afterAll(() => world.stop());

const isThere = ({ command }: ConnectedAgent) =>
  PROGRAMS.some((folder) => existsSync(join(folder, command("")[0])));

/** Writes the key to a file, so that it stands in no process's environment or words. */
async function prepare(files: Readonly<Record<string, string>>): Promise<string> {
  const home = world.makeHome();
  await Bun.write(join(home, "key"), `${world.secret}\n`);
  for (const [path, text] of Object.entries(files)) {
    mkdirSync(dirname(join(home, path)), { recursive: true });
    await Bun.write(join(home, path), text);
  }
  return home;
}

async function setUp(home: string, name: string, ...words: readonly string[]) {
  const { code, out, err } = await poundkey(home, ["setup", ...words, "--agent", name, "--json"], {
    PATH,
    HOME: home,
  });
  expect([code, err]).toEqual([0, ""]);
  expect(out).not.toContain(world.secret);
  const [agent, ...others] = asArray(asObject(parseJson(out)).agents).map(asObject);
  expect(others).toEqual([]);
  return asObject(agent);
}

const connect = (home: string, name: string) =>
  setUp(home, name, world.url, "--yes", "--key", join(home, "key"));

async function run({ command, readsPrompt }: ConnectedAgent, home: string, prompt: string): Promise<string> {
  const work = join(home, "work");
  mkdirSync(work, { recursive: true });
  const child = Bun.spawn([...command(prompt)], {
    cwd: work,
    env: { PATH, HOME: home, TERM: "dumb" },
    stdin: readsPrompt ? new Blob([prompt]) : "ignore",
    stdout: "pipe",
    stderr: "pipe",
    timeout: RUN_MS,
  });
  const [out, err] = await Promise.all([
    new Response(child.stdout).text(),
    new Response(child.stderr).text(),
    child.exited,
  ]);
  return out + err;
}

/** Some leave a process behind, which works in the home. */
function endRest(home: string): void {
  for (const pid of existsSync("/proc") ? readdirSync("/proc").map(Number) : [])
    if (pid > 0 && readCommand(pid).includes(home)) endProcess(pid);
}

function endProcess(pid: number): void {
  try {
    process.kill(pid);
  } catch {
    // It has ended by itself.
  }
}

function readCommand(pid: number): string {
  try {
    return readFileSync(`/proc/${pid}/cmdline`, "utf8");
  } catch {
    return "";
  }
}

async function listPrograms(since: number): Promise<readonly string[]> {
  const headers = { authorization: `Bearer ${world.adminToken}` };
  const response = await fetch(`${world.url}/admin/v1/requests?limit=50`, { headers });
  const rows = asArray(asObject(await response.json()).data).map(asObject);
  return rows
    .filter(({ at }) => Date.parse(String(at)) >= since)
    .map(({ tags }) => String(asObject(tags).program));
}

function readFiles(home: string, paths: readonly string[]): readonly (string | null)[] {
  return paths.map((path) => {
    const file = join(home, path);
    return existsSync(file) ? readFileSync(file, "latin1") : null;
  });
}

for (const agent of CONNECTED) {
  const { name, files, says } = agent;
  describe.skipIf(!isThere(agent))(`${name} (skipped where it isn't installed)`, () => {
    for (const [where, own, runs] of [
      ["an empty home", NOTHING, true],
      ["a home with settings of its own", files, IS_LONG],
    ] as const) {
      test(
        `in ${where} it answers by its files alone, a second run changes no byte, and --undo brings back every byte`,
        async () => {
          const home = await prepare(own);
          const shown = await connect(home, name);
          expect(shown).toMatchObject({ agent: name, state: "connected" });
          const paths = asArray(shown.files).map((file) => relative(home, String(asObject(file).path)));
          const before = paths.map((path) => own[path] ?? null);
          const written = readFiles(home, paths);
          expect(written).not.toEqual(before);
          expect(await connect(home, name)).toMatchObject({ state: "already", files: [] });
          expect(readFiles(home, paths)).toEqual(written);
          if (runs) {
            const since = Date.now();
            const printed = await run(agent, home, "say: setup-works");
            endRest(home);
            expect(printed.replaceAll("say: setup-works", "")).toContain("setup-works");
            const programs = await listPrograms(since);
            expect(programs.filter((program) => says.test(program))).not.toEqual([]);
          }
          const after = readFiles(home, paths);
          expect(await setUp(home, name, "--undo")).toMatchObject({ state: "undone" });
          const left = readFiles(home, paths);
          // Some agents write into their settings by themselves: what is theirs stays.
          for (const [at, text] of left.entries()) {
            if (after[at] === written[at]) expect([paths[at], text]).toEqual([paths[at], before[at]]);
            for (const ours of [world.url, world.secret, "Router"]) expect(text ?? "").not.toContain(ours);
          }
        },
        PATIENT_MS,
      );
    }
  });
}
