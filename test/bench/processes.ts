// The compared programs: starting and stopping them, and their CPU time and memory as the system reports them.
import { readdirSync, readFileSync } from "node:fs";

export interface Started {
  readonly port: number;
  readonly pid: number;
  /** The line that stated its address. */
  readonly line: string;
  /** Stops it as a supervisor would. Returns its exit code. */
  readonly stop: () => Promise<number>;
}

const children = new Set<Bun.Subprocess>();

export interface Start {
  readonly command: readonly string[];
  readonly directory: string;
  readonly env?: Readonly<Record<string, string>>;
  /** Matches the line that states the address. The first group is the port. */
  readonly says?: RegExp;
}

const LISTENS = /^.*listens? on http:\S+:(\d+)/m;
const START_MS = 60_000;

/** Starts a program and waits for the line that states its address. Throws if it ends or stays silent. */
export async function start({ command, directory, env = {}, says = LISTENS }: Start): Promise<Started> {
  const child = Bun.spawn([...command], {
    cwd: directory,
    env: { PATH: process.env.PATH ?? "", BUN_CONFIG_MAX_HTTP_REQUESTS: "65535", ...env },
    stdin: "ignore",
    stdout: "pipe",
    stderr: "pipe",
  });
  children.add(child);
  threadTimes.delete(child.pid);
  const late = setTimeout(() => child.kill(), START_MS);
  const [line, port] = await findLine([child.stdout, child.stderr], says).finally(() => clearTimeout(late));
  return { port: Number(port), pid: child.pid, line, stop: () => stopped(child) };
}

/** The first match in a program's output. The output is read to its end, since a full pipe would block the program. */
function findLine(
  outputs: readonly ReadableStream<Uint8Array>[],
  says: RegExp,
): Promise<readonly [line: string, port: string]> {
  const { promise, resolve, reject } = Promise.withResolvers<readonly [string, string]>();
  let text: string | null = "";
  const read = async (output: ReadableStream<Uint8Array>) => {
    const decoder = new TextDecoder();
    for await (const bytes of output) {
      if (text === null) continue;
      text += decoder.decode(bytes, { stream: true });
      const [line = "", port] = says.exec(text) ?? [];
      if (port === undefined) continue;
      text = null;
      resolve([line, port]);
    }
  };
  void Promise.all(outputs.map(read)).then(() => reject(new Error(`The program ended: ${text}`)));
  return promise;
}

async function stopped(child: Bun.Subprocess): Promise<number> {
  child.kill("SIGTERM");
  const code = await child.exited;
  children.delete(child);
  return code;
}

export async function stopAll(): Promise<void> {
  for (const child of children) child.kill("SIGKILL");
  await Promise.all([...children].map((child) => child.exited));
  children.clear();
}

/** None for a process that has ended since it was listed, as those of a database's connections do. */
function listThreads(pid: number): readonly string[] {
  try {
    return readdirSync(`/proc/${pid}/task`);
  } catch {
    return [];
  }
}

/** Empty for a thread that has ended since it was listed. */
function readOfThread(pid: number, thread: string, file: string): string {
  try {
    return readFileSync(`/proc/${pid}/task/${thread}/${file}`, "utf8");
  } catch {
    return "";
  }
}

function childrenOf(pid: number): readonly number[] {
  const text = listThreads(pid)
    .map((thread) => readOfThread(pid, thread, "children"))
    .join(" ");
  return text.split(" ").filter(Boolean).map(Number);
}

/** The process and all its descendants. */
export function listFamily(pid: number): readonly number[] {
  return [pid, ...childrenOf(pid).flatMap(listFamily)];
}

/** The last seen CPU time of each thread in nanoseconds, by process. */
const threadTimes = new Map<number, Map<string, number>>();

/** CPU time of all threads of one process in microseconds. Threads that have ended count as last seen. */
export function ownCpuMicros(pid: number): number {
  const times = threadTimes.get(pid) ?? new Map<string, number>();
  threadTimes.set(pid, times);
  for (const thread of listThreads(pid)) {
    const time = readOfThread(pid, thread, "schedstat");
    if (time !== "") times.set(thread, Number(time.split(" ")[0]));
  }
  let nanoseconds = 0;
  for (const time of times.values()) nanoseconds += time;
  return nanoseconds / 1000;
}

/** CPU time of a process and all its descendants, in microseconds. */
export function cpuMicros(pid: number): number {
  return listFamily(pid).reduce((sum, one) => sum + ownCpuMicros(one), 0);
}

/** Resident memory of a process and all its descendants, in bytes. */
export function residentBytes(pid: number): number {
  return listFamily(pid).reduce((sum, one) => sum + ownResidentBytes(one), 0);
}

function ownResidentBytes(pid: number): number {
  return Number(/^VmRSS:\s+(\d+) kB/m.exec(readFileSync(`/proc/${pid}/status`, "utf8"))?.[1] ?? 0) * 1024;
}

/** A free port. */
export async function freePort(): Promise<number> {
  const claim = Bun.serve({ hostname: "127.0.0.1", port: 0, fetch: () => new Response() });
  const port = claim.port ?? 0;
  await claim.stop(true);
  return port;
}

/** Runs a command to its end. If it fails, throws an error with its output. */
export async function run(
  command: readonly string[],
  cwd: string,
  env: Readonly<Record<string, string>> = {},
) {
  const child = Bun.spawn([...command], {
    cwd,
    env: { ...process.env, ...env },
    stdin: "ignore",
    stdout: "pipe",
    stderr: "pipe",
  });
  const [out, err, code] = await Promise.all([
    new Response(child.stdout).text(),
    new Response(child.stderr).text(),
    child.exited,
  ]);
  if (code !== 0) throw new Error(`${command.join(" ")} failed: ${out}${err}`);
  return out;
}
