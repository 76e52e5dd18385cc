// `poundkey serve` as a process in its own group, as if started in a terminal: its output, its log and its signals.
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { isObject, type JsonObject, parseJson } from "../../src/core/json/json.ts";
import { until } from "../whole/world/until.ts";
import { PROGRAM } from "./program.ts";

/** For waits on a process's start or end on a busy machine. */
export const LONG_MS = 60_000;

/** A folder with a configuration for one or more processes. */
export interface Place {
  readonly directory: string;
  /** The limit of open files for the processes. This process's own if missing. */
  readonly filesMax?: number;
  /** The file that the processes' output goes to. It is collected if missing. */
  readonly out?: string;
  /** The processes' environment. Only PATH if missing. */
  readonly env?: Readonly<Record<string, string>>;
  /** Writes the configuration. */
  configure(yaml: string): void;
  remove(): void;
}

export function newPlace(yaml: string): Place {
  const directory = mkdtempSync(join(tmpdir(), "poundkey-serve-"));
  const configure = (text: string) => writeFileSync(join(directory, "poundkey.yaml"), text);
  configure(yaml);
  return { directory, configure, remove: () => rmSync(directory, { recursive: true, force: true }) };
}

export interface Serving {
  readonly pid: number;
  /** The output so far. */
  readonly out: string;
  readonly err: string;
  /** The exit code, or 128 plus the signal's number. */
  readonly exited: Promise<number>;
  /** Returns the log's lines with this event. */
  events(name: string): readonly JsonObject[];
  /** Resolves with the address once it is printed. */
  listens(): Promise<string>;
  /** Waits until the log has `count` lines with this event, and returns them. */
  logged(event: string, count: number): Promise<readonly JsonObject[]>;
  signal(name: NodeJS.Signals): void;
  /** Signals all processes of the group, as Ctrl-C in a terminal does. */
  signalGroup(name: NodeJS.Signals): void;
  /** Ends the remaining processes of the group. */
  end(): void;
}

export function startServe({ directory, filesMax, out, env }: Place, ...args: readonly string[]): Serving {
  const limit = filesMax === undefined ? "" : `ulimit -n ${filesMax} && `;
  const shell = ["sh", "-c", `${limit}exec "$@"${out === undefined ? "" : ` > ${out}`}`, "sh"];
  const child = Bun.spawn([...shell, ...PROGRAM, "serve", ...args], {
    cwd: directory,
    env: env ?? { PATH: process.env.PATH ?? "" },
    detached: true,
    stdout: "pipe",
    stderr: "pipe",
  });
  const seen = { out: "", err: "" };
  void collect(child.stdout, (text) => {
    seen.out += text;
  });
  void collect(child.stderr, (text) => {
    seen.err += text;
  });
  const events = (name: string) =>
    seen.out
      .split("\n")
      .map(parseJson)
      .filter(isObject)
      .filter(({ event }) => event === name);
  const told = (what: string) => `${what}; printed so far:\n${seen.out}${seen.err}`;
  const waitFor = async <Found>(what: string, look: () => Found) =>
    until(what, look, LONG_MS).catch((error) => {
      throw new Error(told(String(error)));
    });
  return {
    pid: child.pid,
    get out() {
      return seen.out;
    },
    get err() {
      return seen.err;
    },
    exited: child.exited,
    events,
    listens: () => waitFor("an address", () => /listens on (http:\S+)/.exec(seen.err)?.[1]),
    logged: (event, count) =>
      waitFor(`${count} × ${event}`, () => {
        const found = events(event);
        return found.length >= count ? found : null;
      }),
    signal: (name) => void child.kill(name),
    signalGroup: (name) => void process.kill(-child.pid, name),
    end() {
      try {
        process.kill(-child.pid, "SIGKILL");
      } catch {
        // The group has already ended.
      }
    },
  };
}

async function collect(stream: ReadableStream<Uint8Array>, take: (text: string) => void): Promise<void> {
  const decoder = new TextDecoder();
  for await (const bytes of stream) take(decoder.decode(bytes, { stream: true }));
}
