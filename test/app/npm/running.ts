// A process of the launcher: with pipes, or at a terminal of its own.
import { readdirSync, readFileSync } from "node:fs";
import { until } from "../../whole/world/until.ts";
import { type Installed, makeEnvironment, NODE } from "./packed.ts";

export interface Running {
  readonly pid: number;
  /** All that was printed so far. */
  readonly printed: () => string;
  readonly exited: Promise<number>;
  /** The address and key of a quick start, once they are printed. */
  greeted(): Promise<{ readonly url: string; readonly secret: string }>;
  kill(signal: NodeJS.Signals): void;
}

/** Another folder, more variables, words before the launcher's, as of a tracer, another Node, and another way in than the launcher. */
export interface Around {
  readonly env?: Readonly<Record<string, string>>;
  readonly cwd?: string;
  readonly within?: readonly string[];
  readonly node?: string;
  readonly program?: string;
}

function makeCommand(
  { launcher }: Installed,
  args: readonly string[],
  { within = [], node = NODE ?? "node", program }: Around,
) {
  return [...within, ...(program === undefined ? [node, launcher] : [program]), ...args];
}

const makeOptions = (installed: Installed, { env, cwd }: Around) => ({
  cwd: cwd ?? installed.work,
  env: { ...makeEnvironment(installed), ...env },
});

export function start(installed: Installed, args: readonly string[] = [], around: Around = {}): Running {
  const child = Bun.spawn(makeCommand(installed, args, around), {
    ...makeOptions(installed, around),
    stdin: "ignore",
    stdout: "pipe",
    stderr: "pipe",
  });
  const seen = collect();
  for (const stream of [child.stdout, child.stderr]) void seen.take(stream);
  return describe(child, seen.text);
}

export interface AtTerminal extends Running {
  type(keys: string): void;
  /** As a closed window does. */
  close(): void;
}

export function startAtTerminal(installed: Installed, args: readonly string[] = []): AtTerminal {
  const decoder = new TextDecoder();
  let text = "";
  const child = Bun.spawn(makeCommand(installed, args, {}), {
    ...makeOptions(installed, {}),
    terminal: {
      cols: 400,
      rows: 50,
      data(_, bytes) {
        text += decoder.decode(bytes, { stream: true });
      },
    },
  });
  return {
    ...describe(child, () => text),
    type: (keys) => void child.terminal?.write(keys),
    close: () => child.terminal?.close(),
  };
}

function collect() {
  let text = "";
  return {
    text: () => text,
    async take(stream: ReadableStream<Uint8Array>) {
      const decoder = new TextDecoder();
      for await (const bytes of stream) text += decoder.decode(bytes, { stream: true });
    },
  };
}

function describe(child: Bun.Subprocess, printed: () => string): Running {
  const find = (what: RegExp) =>
    until(`${what} is printed`, () => what.exec(printed())?.[1]).catch((error: unknown) => {
      throw new Error(`${error}; printed so far:\n${printed()}`);
    });
  return {
    pid: child.pid,
    printed,
    exited: child.exited,
    greeted: async () => ({
      url: await find(/Base URL +(http:\S+)\/v1/),
      secret: await find(/API key +(sk-\S+)/),
    }),
    kill: (signal) => void child.kill(signal),
  };
}

/** Returns the status and the text of an answer, once the greeting is printed. */
export async function ask(running: Running, model = "Sim#sim-mini"): Promise<[number, string]> {
  const { url, secret } = await running.greeted();
  const answer = await fetch(`${url}/v1/chat/completions`, {
    method: "POST",
    headers: { authorization: `Bearer ${secret}`, "content-type": "application/json" },
    body: JSON.stringify({ model, messages: [{ role: "user", content: "hello" }] }),
  });
  return [answer.status, await answer.text()];
}

/** Runs the launcher to its end. */
export async function run(installed: Installed, args: readonly string[], around: Around = {}) {
  const child = Bun.spawn(makeCommand(installed, args, around), {
    ...makeOptions(installed, around),
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

/** Returns the ids of the processes whose command line names the installation. */
export function listProcesses({ root }: Installed): readonly number[] {
  return readdirSync("/proc")
    .filter((name) => /^\d+$/.test(name) && readCommandLine(name).includes(root))
    .map(Number);
}

/** Ends what a failed test has left, and removes the installation. */
export function clear(installed: Installed): void {
  for (const pid of listProcesses(installed)) Bun.spawnSync(["kill", "-KILL", String(pid)]);
  installed.remove();
}

function readCommandLine(pid: string): string {
  try {
    return readFileSync(`/proc/${pid}/cmdline`, "utf8");
  } catch {
    return "";
  }
}
