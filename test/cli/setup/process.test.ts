// `poundkey setup` as a process: asked on a terminal, seen by other users' process lists, and killed by the system.
import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { readdirSync, readFileSync } from "node:fs";
import { IS_LONG } from "../../harness/long.ts";
import { poundkey } from "../../harness/poundkey.ts";
import { PROGRAM } from "../../harness/program.ts";
import { findTool } from "../../harness/tools.ts";
import { KEY, listStates, MODELS, makeHome, nameAgents, OWN_FILES } from "./setup-world.ts";

const MINUTE_MS = 60_000;
const AGENTS = ["claude-code", "codex", "aider", "qwen-code"];

/** The processes whose words or whose file of words the system shows to everybody. */
function listCommands(): string {
  return readdirSync("/proc")
    .filter((name) => /^\d+$/.test(name))
    .map((pid) => {
      try {
        return readFileSync(`/proc/${pid}/cmdline`, "utf8");
      } catch {
        return "";
      }
    })
    .join("\n");
}

const seen: string[] = [];
const server = Bun.serve({
  port: 0,
  hostname: "127.0.0.1",
  fetch(request) {
    if (process.platform === "linux") seen.push(listCommands());
    if (request.headers.get("authorization") !== `Bearer ${KEY}`) return new Response(null, { status: 401 });
    return Response.json({ data: MODELS.map((id) => ({ id })) });
  },
});
afterAll(() => server.stop(true));
const GATEWAY = `http://127.0.0.1:${server.port}`;

function makeOwnHome() {
  const home = makeHome();
  for (const [path, text] of Object.entries(OWN_FILES)) home.write(path, text);
  home.write("key", `${KEY}\n`, 0o600);
  return home;
}

/** From the sources, Bun would keep what it compiled below the home. */
const makeEnvironment = (home: string) => ({ HOME: home, BUN_RUNTIME_TRANSPILER_CACHE_PATH: "0" });

const connecting = (home: string) => [
  "setup",
  GATEWAY,
  ...nameAgents(AGENTS),
  "--key",
  `${home}/key`,
  "--yes",
  "--json",
];

test(
  "the key stands in no process's words, and nothing but JSON is printed",
  async () => {
    using home = makeOwnHome();
    const before = home.list();
    const ran = await poundkey(home.path, connecting(home.path), makeEnvironment(home.path));
    expect([ran.code, ran.err, ...listStates(ran)]).toEqual([
      0,
      "",
      ...AGENTS.map((name) => `${name}: connected`),
    ]);
    expect(ran.out).not.toContain(KEY);
    expect(seen.join("\n")).not.toContain(KEY);
    if (process.platform === "linux") expect(seen.join("\n")).toContain("setup");
    const undone = await poundkey(home.path, ["setup", "--undo"], makeEnvironment(home.path));
    expect([undone.code, home.list()]).toEqual([0, before]);
  },
  MINUTE_MS,
);

test(
  "a gateway on this machine is asked without a proxy, which would get the key",
  async () => {
    using home = makeOwnHome();
    let asked = 0;
    const proxy = Bun.serve({
      port: 0,
      hostname: "127.0.0.1",
      fetch() {
        asked++;
        return new Response(null, { status: 502 });
      },
    });
    const address = `http://127.0.0.1:${proxy.port}`;
    const proxies = { HTTP_PROXY: address, http_proxy: address };
    const ran = await poundkey(home.path, [...connecting(home.path), "--dry-run"], {
      ...makeEnvironment(home.path),
      ...proxies,
    });
    await proxy.stop(true);
    expect([ran.code, ran.err, asked]).toEqual([0, "", 0]);
  },
  MINUTE_MS,
);

test.skipIf(findTool("script") === null)(
  "on a terminal a person is asked, and only a yes writes (skipped without script)",
  async () => {
    using home = makeOwnHome();
    const words = [
      ...PROGRAM,
      ...connecting(home.path).filter((word) => word !== "--yes" && word !== "--json"),
    ];
    const line = words.map((word) => `'${word}'`).join(" ");
    for (const [answer, isWritten] of [
      ["n", false],
      ["y", true],
    ] as const) {
      const child = Bun.spawn(["script", "-qec", line, "/dev/null"], {
        cwd: home.path,
        env: { PATH: process.env.PATH ?? "", HOME: home.path, TERM: "dumb" },
        stdin: "pipe",
        stdout: "pipe",
      });
      child.stdin.write(`${answer}\n`);
      child.stdin.flush();
      const printed = await new Response(child.stdout).text();
      expect([answer, printed.includes("Write this? [y/N]")]).toEqual([answer, true]);
      expect([answer, await child.exited]).toEqual([answer, isWritten ? 0 : 1]);
      expect([answer, home.read(".aider.conf.yml")?.includes(KEY)]).toEqual([answer, isWritten]);
    }
  },
  MINUTE_MS,
);

const CALLS =
  "rename,renameat,renameat2,fsync,mkdir,mkdirat,unlink,unlinkat,chmod,fchmodat,openat,write,pwrite64,close";
const KILLED = 137;
const KILLS = 200;
const PARTS = 20;
const WHOLE = ["claude-code", "codex", "opencode", "gemini-cli", "qwen-code", "continue", "aider", "cline"];

const isTraced = IS_LONG && findTool("strace") !== null;
const connectingAll = (home: string) => [...connecting(home), ...nameAgents(WHOLE)];

/** Returns the files after a run that nothing ended, and its calls since it first made a folder in the home. */
async function traceRun() {
  using home = makeOwnHome();
  const log = home.at("calls.txt");
  const trace = ["strace", "-qq", "-o", log, `--trace=${CALLS}`];
  const ran = await poundkey(home.path, connectingAll(home.path), makeEnvironment(home.path), trace);
  expect([ran.code, ran.err]).toEqual([0, ""]);
  const calls = numberCalls(readFileSync(log, "utf8"), home.path);
  const files = Object.entries(home.list()).map(([path, text]) => [path, text.replaceAll(home.path, "HOME")]);
  return { calls, files: Object.fromEntries(files) };
}

/** Each call of the first thread by its name and its number among those of that name, as strace counts them. */
function numberCalls(log: string, home: string): readonly string[] {
  const counts = new Map<string, number>();
  const calls = log.split("\n").flatMap((line) => {
    const name = /^(\w+)\(/.exec(line)?.[1];
    if (name === undefined) return [];
    const count = (counts.get(name) ?? 0) + 1;
    counts.set(name, count);
    return [{ line, call: `${name}:signal=SIGKILL:when=${count}` }];
  });
  const first = calls.findIndex(({ line }) => line.startsWith("mkdir") && line.includes(home));
  return calls.slice(Math.max(first, 0)).map(({ call }) => call);
}

describe.skipIf(!isTraced)("killed by the system at a call that changes a file (in the long form)", () => {
  let whole: Awaited<ReturnType<typeof traceRun>>;
  beforeAll(async () => {
    if (isTraced) whole = await traceRun();
  });

  test.each(Array.from({ length: PARTS }, (_, part) => part))(
    "each file is whole, old or new, and --undo brings back every byte: part %d of the calls",
    async (part) => {
      const { calls, files } = whole;
      expect(calls.length).toBeGreaterThanOrEqual(KILLS);
      for (let at = part; at < KILLS; at += PARTS) {
        const call = calls[Math.floor((at * calls.length) / KILLS)];
        using home = makeOwnHome();
        const before = home.list();
        const kill = ["strace", "-qq", "-o", "/dev/null", `--inject=${call}`];
        const environment = makeEnvironment(home.path);
        const { code } = await poundkey(home.path, connectingAll(home.path), environment, kill);
        expect([call, code]).toEqual([call, KILLED]);
        const now = home.list();
        const paths = Object.keys({ ...before, ...now }).filter((path) => !path.endsWith(".poundkey-next"));
        const broken = paths.filter(
          (path) => now[path] !== before[path] && now[path]?.replaceAll(home.path, "HOME") !== files[path],
        );
        expect([call, broken]).toEqual([call, []]);
        const undone = await poundkey(home.path, ["setup", "--undo"], environment);
        expect([call, undone.code, undone.err]).toEqual([call, 0, ""]);
        expect([call, home.list()]).toEqual([call, before]);
      }
    },
    MINUTE_MS,
  );
});
