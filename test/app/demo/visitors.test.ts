// A demo under hostile visitors, and what its process reads and connects to. In the long form alone.
import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { asObject, parseJson } from "../../../src/core/json/json.ts";
import { IS_LONG } from "../../harness/long.ts";
import { findTool } from "../../harness/tools.ts";

const REQUESTS = 10_000;
const AT_ONCE = 16;
/** Of the requests, those before the memory is read for the first time. */
const WARM = 2500;
const GROWTH_BYTES_MAX = 64 * 1024 * 1024;
/** The made store, two copies while one follows the other, and the rows that visitors may write. */
const FOLDER_BYTES_MAX = 64 * 1024 * 1024;
const LONG_MS = 900_000;
const ROOT = join(import.meta.dir, "../../..");
const STRACE = findTool("strace");

let home = "";
/** The working folder. */
let empty = "";
beforeAll(() => {
  home = mkdtempSync(join(tmpdir(), "poundkey-visitors-"));
  empty = join(home, "empty");
  mkdirSync(empty);
});
afterAll(() => rmSync(home, { recursive: true, force: true }));

interface Started {
  readonly url: string;
  readonly secret: string;
  readonly process: Bun.Subprocess;
}

async function start(parent: string, before: readonly string[] = []): Promise<Started> {
  const command = [...before, process.execPath, join(import.meta.dir, "demo.process.ts"), parent];
  // From the sources, Bun would keep translations of large files.
  const env = { PATH: process.env.PATH ?? "", HOME: home, BUN_RUNTIME_TRANSPILER_CACHE_PATH: "0" };
  const child = Bun.spawn(command, { cwd: empty, env, stdout: "pipe" });
  let text = "";
  for await (const piece of child.stdout.values({ preventCancel: true })) {
    text += Buffer.from(piece).toString();
    if (text.includes("\n")) break;
  }
  const { url, secret } = asObject(parseJson(text));
  return { url: String(url), secret: String(secret), process: child };
}

const CHAT = { model: "OpenAI#gpt-5.4-mini", messages: [{ role: "user", content: "hello" }] };

/** One of what visitors may try, by its number. */
function attack({ url, secret }: Started, at: number): Promise<Response> {
  const from = { "x-forwarded-for": `198.18.${(at >> 8) & 255}.${at & 255}` };
  const own = { ...from, "content-type": "application/json", authorization: `Bearer ${secret}` };
  const post = (path: string, body: string, headers: Readonly<Record<string, string>> = {}) =>
    fetch(`${url}${path}`, { method: "POST", body, headers: { ...own, ...headers } });
  switch (at % 8) {
    case 0:
    case 1:
    case 2:
      return post("/v1/chat/completions", JSON.stringify(CHAT));
    case 3:
      return post("/v1/chat/completions", JSON.stringify({ ...CHAT, model: `model-${at}` }));
    case 4:
      return post("/v1/messages", "{".repeat(60_000));
    case 5:
      return post("/v1/chat/completions", JSON.stringify(CHAT), { authorization: `Bearer sk-${at}` });
    case 6:
      return post("/v1/embeddings", "x".repeat(70_000));
    default:
      return fetch(`${url}/admin/v1/requests?q=${at}`, {
        headers: { ...from, cookie: "poundkey_demo=admin" },
      });
  }
}

async function attackAll(started: Started, from: number, to: number): Promise<ReadonlySet<number>> {
  const statuses = new Set<number>();
  let next = from;
  const work = async () => {
    while (next < to) {
      const response = await attack(started, next++);
      statuses.add(response.status);
      await response.arrayBuffer();
    }
  };
  await Promise.all(Array.from({ length: AT_ONCE }, work));
  return statuses;
}

function readMemory(pid: number): number {
  const kilobytes = /^VmRSS:\s+(\d+)/m.exec(readFileSync(`/proc/${pid}/status`, "utf8"))?.[1];
  return Number(kilobytes) * 1024;
}

function measureFolder(path: string): number {
  const files = readdirSync(path, { recursive: true, withFileTypes: true }).filter((one) => one.isFile());
  return files.reduce((sum, { parentPath, name }) => sum + statSync(join(parentPath, name)).size, 0);
}

describe.skipIf(!IS_LONG || process.platform !== "linux")("in the long form, on Linux", () => {
  test(
    "10,000 hostile requests leave memory and store bounded, and a kill leaves nothing after the next start",
    async () => {
      const parent = join(home, "demo");
      const demo = await start(parent);
      const statuses = new Set(await attackAll(demo, 0, WARM));
      const before = readMemory(demo.process.pid);
      for (const status of await attackAll(demo, WARM, REQUESTS)) statuses.add(status);
      const grown = readMemory(demo.process.pid) - before;
      expect([...statuses].toSorted()).toEqual([200, 400, 401, 404, 413]);
      expect([grown < GROWTH_BYTES_MAX, measureFolder(parent) < FOLDER_BYTES_MAX]).toEqual([true, true]);
      demo.process.kill("SIGKILL");
      await demo.process.exited;
      const [killed] = readdirSync(parent);
      const next = await start(parent);
      expect(readdirSync(parent)).toEqual([expect.not.stringMatching(`^${killed}$`)]);
      next.process.kill();
      await next.process.exited;
      expect(readdirSync(parent)).toEqual([]);
    },
    LONG_MS,
  );

  test.skipIf(STRACE === null)(
    "connects to nothing beyond loopback, and opens no file beside its folder, the program and the system's (needs strace)",
    async () => {
      const log = join(home, "calls.txt");
      const parent = join(home, "traced");
      const calls = ["-f", "--seccomp-bpf", "-e", "trace=connect,open,openat,openat2", "-o", log];
      const demo = await start(parent, [String(STRACE), ...calls]);
      await attackAll(demo, 0, 64);
      const reading = await fetch(`${demo.url}/`);
      expect(reading.status).toBe(200);
      const pid = Number(readFileSync(`/proc/${demo.process.pid}/task/${demo.process.pid}/children`, "utf8"));
      process.kill(pid);
      await demo.process.exited;
      const lines = readFileSync(log, "utf8").split("\n");
      const beyond = lines.filter(
        (line) => /connect\(.*AF_INET/.test(line) && !/"(127\.\d+\.\d+\.\d+|::1)"/.test(line),
      );
      const opened = lines.flatMap((line) => {
        const path = /open(?:at2?)?\((?:AT_FDCWD, )?"([^"]+)".*\) = \d+/.exec(line)?.[1];
        return path === undefined || line.includes("O_DIRECTORY") ? [] : [path];
      });
      const own = [parent, ROOT, "/proc/", "/sys/", "/dev/", "/etc/", "/lib", "/usr/"];
      expect(opened.length).toBeGreaterThan(20);
      expect([beyond, opened.filter((path) => !own.some((folder) => path.startsWith(folder)))]).toEqual([
        [],
        [],
      ]);
    },
    LONG_MS,
  );
});
