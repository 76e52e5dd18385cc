// What the benchmarks share: starting a program that says where it listens, its CPU time, load whose answers are asserted.
import { readdirSync, readFileSync } from "node:fs";

export interface Scenario {
  readonly name: string;
  readonly model: string;
  readonly stream: boolean;
  readonly requests: number;
  readonly connections: number;
  /** Says whether the answer is right: what is wrong must not be counted. */
  readonly isRight: (text: string) => boolean;
}

export interface Target {
  readonly name: string;
  readonly url: string;
  readonly pid: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly modelPrefix: string;
}

export interface Started {
  readonly url: string;
  readonly pid: number;
  /** The line that said where it listens. */
  readonly line: string;
}

const children: Bun.Subprocess[] = [];

/** Starts a program and waits for the line that says where it listens. */
export async function start(
  command: readonly string[],
  directory: string,
  env: Readonly<Record<string, string>> = {},
): Promise<Started> {
  const child = Bun.spawn([...command], {
    cwd: directory,
    env: { PATH: process.env.PATH ?? "", BUN_CONFIG_MAX_HTTP_REQUESTS: "65535", ...env },
    stdout: "pipe",
    stderr: "ignore",
  });
  children.push(child);
  let text = "";
  const decoder = new TextDecoder();
  const reader = child.stdout.getReader();
  for (;;) {
    const { done, value } = await reader.read();
    if (done) throw new Error(`${command.join(" ")} ended: ${text}`);
    text += decoder.decode(value, { stream: true });
    const [line = "", url] = /^.*listens? on (http:\S+)/m.exec(text) ?? [];
    if (url) return { url, pid: child.pid, line };
  }
}

export function stopAll(): void {
  for (const child of children) child.kill();
}

/** CPU time of all threads of a process, in microseconds. */
export function cpuMicroseconds(pid: number): number {
  const threads = readdirSync(`/proc/${pid}/task`);
  const nanoseconds = threads.map((thread) =>
    Number(readFileSync(`/proc/${pid}/task/${thread}/schedstat`, "utf8").split(" ")[0]),
  );
  return nanoseconds.reduce((sum, one) => sum + one, 0) / 1000;
}

/** One request; gives its time in milliseconds. Throws when its answer is wrong. */
export async function once(target: Target, scenario: Scenario): Promise<number> {
  const started = performance.now();
  const response = await fetch(target.url, {
    method: "POST",
    headers: { "content-type": "application/json", ...target.headers },
    body: JSON.stringify({
      model: target.modelPrefix + scenario.model,
      messages: [{ role: "user", content: "Tell me something. ".repeat(80) }],
      stream: scenario.stream,
    }),
  });
  const text = await response.text();
  if (!response.ok || !scenario.isRight(text))
    throw new Error(`${target.name}: wrong answer: ${text.slice(0, 300)}`);
  return performance.now() - started;
}

/** So many requests over the scenario's connections. */
export async function load(target: Target, scenario: Scenario, requests: number): Promise<void> {
  let left = requests;
  await Promise.all(
    Array.from({ length: scenario.connections }, async () => {
      while (left-- > 0) await once(target, scenario);
    }),
  );
}

/** CPU time per request in microseconds, after a warm-up. */
export async function cpuPerRequest(target: Target, scenario: Scenario, warmUp: number): Promise<number> {
  await load(target, scenario, warmUp);
  const before = cpuMicroseconds(target.pid);
  await load(target, scenario, scenario.requests);
  return (cpuMicroseconds(target.pid) - before) / scenario.requests;
}

export function medianOf(values: readonly number[]): number {
  return values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)] ?? 0;
}
