// Commands as a terminal runs them: each in a process group of its own, that Ctrl-C reaches as a whole, and none is left.
import { closeSync, existsSync, openSync, readdirSync, readFileSync, readlinkSync } from "node:fs";

const LOOK_EVERY_MS = 50;
/** The time from Ctrl-C to the end: a gateway gives its streams some seconds, and npm waits for it. */
const END_MS = 30_000;
/** A process that a command leaves has so long to end by itself. */
export const LEFT_MS = 10_000;
const INTERRUPTED = 130;

interface Process {
  readonly pid: number;
  readonly group: number;
  readonly words: string;
  /** The working folder and the executable, as far as we may know them. */
  readonly places: readonly string[];
}

/** False where the system has no list of processes to read. */
export const canList = existsSync("/proc/self/stat");

function listProcesses(): readonly Process[] {
  const names = readdirSync("/proc").filter((name) => /^\d+$/.test(name));
  return names.flatMap((name) => readProcess(`/proc/${name}`, Number(name)) ?? []);
}

/** Returns null for a process that has ended. */
function readProcess(folder: string, pid: number): Process | null {
  try {
    const stat = readFileSync(`${folder}/stat`, "utf8");
    // The name stands in brackets, and may have spaces and brackets itself.
    const [state = "", , group = ""] = stat.slice(stat.lastIndexOf(")") + 2).split(" ");
    if (state === "Z" || state === "X") return null;
    const words = readFileSync(`${folder}/cmdline`, "utf8").replaceAll("\0", " ").trim();
    return {
      pid,
      group: Number(group),
      words,
      places: ["cwd", "exe"].map((link) => follow(`${folder}/${link}`)),
    };
  } catch {
    return null;
  }
}

/** Returns nothing for a process of another user. */
function follow(link: string): string {
  try {
    return readlinkSync(link);
  } catch {
    return "";
  }
}

/** Returns the processes that work or lie in the folder. */
export function listWithin(folder: string): readonly Process[] {
  if (!canList) return [];
  const isWithin = (place: string) => place === folder || place.startsWith(`${folder}/`);
  return listProcesses().filter(({ places }) => places.some(isWithin));
}

/** Returns the processes of a group, by their numbers and words. */
function listGroup(group: number): readonly string[] {
  if (canList)
    return listProcesses().flatMap((one) => (one.group === group ? [`${one.pid} ${one.words}`] : []));
  return send(-group, 0) ? [`group ${group}`] : [];
}

/** Returns whether there was anybody to send it to. */
function send(pid: number, signal: NodeJS.Signals | 0): boolean {
  try {
    return process.kill(pid, signal);
  } catch {
    return false;
  }
}

/** Waits for a condition. Returns false if it doesn't hold within the time. */
export async function waitUntil(
  holds: () => boolean,
  withinMs: number,
  everyMs = LOOK_EVERY_MS,
): Promise<boolean> {
  const endMs = performance.now() + withinMs;
  while (!holds()) {
    if (performance.now() > endMs) return false;
    await Bun.sleep(everyMs);
  }
  return true;
}

export interface Running {
  /** Returns all that it has printed, in the order in which it did. */
  read(): string;
  /** Its exit code, as a shell counts it; null while it runs. */
  code(): number | null;
  /** Sends Ctrl-C to the whole group. Returns why it doesn't end well; null if it does. */
  interrupt(): Promise<string | null>;
  /** Ends what is left of it. Returns what it has left, beyond the time in which that ends by itself; null if nothing is. */
  finish(): Promise<string | null>;
}

/** The commands that haven't been finished. Their numbers aren't given to others meanwhile. */
const groups = new Set<number>();

export function startCommand(
  words: readonly string[],
  { cwd, env, log }: { readonly cwd: string; readonly env: Record<string, string>; readonly log: string },
): Running {
  const file = openSync(log, "w");
  const child = Bun.spawn([...words], {
    cwd,
    env,
    stdin: "ignore",
    stdout: file,
    stderr: file,
    detached: true,
  });
  closeSync(file);
  groups.add(child.pid);
  const code = () => (child.signalCode === "SIGINT" ? INTERRUPTED : child.signalCode ? 1 : child.exitCode);
  const isGone = () => listGroup(child.pid).length === 0;
  return {
    read: () => readFileSync(log, "utf8"),
    code,
    async interrupt() {
      if (code() !== null) return `it ended by itself, with exit code ${code()}`;
      send(-child.pid, "SIGINT");
      if (!(await waitUntil(() => code() !== null, END_MS))) return "Ctrl-C doesn't end it";
      return code() === 0 || code() === INTERRUPTED ? null : `after Ctrl-C, its exit code is ${code()}`;
    },
    async finish() {
      const isGood = code() === null || (await waitUntil(isGone, LEFT_MS));
      const left = isGood ? null : `it leaves ${listGroup(child.pid).join("; ")}`;
      if (!isGone()) send(-child.pid, "SIGKILL");
      groups.delete(child.pid);
      return left;
    },
  };
}

/** Ends all that was started, and what it has left in the folder. */
export function endAll(folder: string): void {
  for (const group of groups) send(-group, "SIGKILL");
  for (const { pid } of listWithin(folder)) send(pid, "SIGKILL");
}
