// A demo as a command runs it: its folder, its port, what it prints, and its end.
import { VISITED } from "../../simulator/company.ts";
import { CHANNELS } from "../channels.ts";
import { chooseFreePort } from "../quickstart/free-port.ts";
import { EXIT, type Io } from "../terminal.ts";
import { type RunningDemo, startDemo } from "./demo.ts";
import { type DemoFolder, findDemosFolder, makeDemoFolder } from "./demo-folder.ts";

/** The days of a demo's month. */
export const DAYS = { least: 7, most: 90, usual: 30 } as const;
const USUAL_PORT = 8080;
/** The lines that tell how far the making is. */
const TOLD = 4;
/** A day that was named ends in the afternoon, so that it is the same whenever it is made. */
const END_OF_DAY = "T17:00:00Z";
/** Until the package is published, everybody starts from a clone. */
const START = CHANNELS.npm === null ? "npm start" : `npx ${CHANNELS.npm}`;

interface DemoCommand {
  readonly host: string;
  /** Null for the usual one, or the next that is free. */
  readonly port: number | null;
  readonly publicUrl: string | null;
  readonly trustedProxies: readonly string[];
  readonly days: number;
  readonly seed: number;
  /** As `2026-11-28`. Null for today. */
  readonly today: string | null;
  readonly isJson: boolean;
}

export async function runDemo(command: DemoCommand, io: Io): Promise<number> {
  const parent = findDemosFolder((name) => process.env[name]);
  if (parent === null) {
    io.err("poundkey: there is no home for the demo's folder: set HOME or XDG_CACHE_HOME");
    return EXIT.failed;
  }
  const stopped = waitForSignal();
  try {
    const folder = makeDemoFolder(parent);
    process.on("exit", folder.remove);
    return await show(command, folder, stopped, io);
  } catch (error) {
    io.err(`poundkey: ${error instanceof Error ? error.message : String(error)}`);
    return EXIT.failed;
  }
}

async function show(
  command: DemoCommand,
  folder: DemoFolder,
  stopped: Promise<void>,
  io: Io,
): Promise<number> {
  const { host, today, days } = command;
  try {
    const port = command.port ?? (await chooseFreePort({ host, port: USUAL_PORT }, io.err));
    io.err(`poundkey: making ${days} days of a company, which takes about half a minute`);
    const onDay = (day: number) => {
      if (day % Math.ceil(days / TOLD) === 0) io.err(`poundkey: ${day} of ${days} days are made`);
    };
    const endMs = today === null ? Date.now() : Date.parse(today + END_OF_DAY);
    const making = startDemo({ ...command, port, endMs, folder: folder.path, start: START, onDay });
    const demo = await Promise.race([making, stopped.then(() => null)]);
    if (demo === null) return EXIT.done;
    announce(command, demo, io);
    await stopped;
    await demo.stop();
    return EXIT.done;
  } finally {
    folder.remove();
  }
}

function announce({ publicUrl, isJson }: DemoCommand, { url, secret }: RunningDemo, io: Io): void {
  const address = publicUrl ?? url;
  const people = Object.entries(VISITED).map(([role, name]) => ({ role, name }));
  if (isJson) {
    io.out(
      JSON.stringify({ address, base_url: `${address}/v1`, api_key: secret, console: `${address}/`, people }),
    );
    return;
  }
  io.err(
    [
      `Poundkey listens on ${url}`,
      "",
      "Demo data, simulated answers: nothing can be changed. Ctrl-C ends it, and all of it is gone then.",
      "",
      `  Console    ${address}/`,
      `  Manual     ${address}/docs`,
      `  Base URL   ${address}/v1`,
      `  API key    ${secret}`,
      "",
    ].join("\n"),
  );
}

/** A second signal ends the process at once. Its folder goes all the same. */
function waitForSignal(): Promise<void> {
  return new Promise((resolve) => {
    for (const signal of ["SIGTERM", "SIGINT", "SIGHUP"] as const)
      process.once(signal, () => {
        process.once(signal, () => process.exit(EXIT.failed));
        resolve();
      });
  });
}
