// Startup: the time to the first answer, the memory of an idle gateway, the size of the binary.
import { statSync } from "node:fs";
import { join } from "node:path";
import { computeMedian, shown, spread } from "../figures.ts";
import { preparedGateway } from "../peers/gateways.ts";
import { freePort, residentBytes, run, type Start, start } from "../processes.ts";
import type { Finding } from "../report.ts";
import { nothingSeen } from "./answer.ts";
import { Connection } from "./client.ts";
import { askGateway, type Scenario, type Stage } from "./stage.ts";

const SCENARIO: Scenario = { speech: "openai", manner: "", chunks: null };
const MB = 1024 ** 2;

interface Born {
  readonly firstAnswerMs: number;
  readonly idleBytes: number;
}

/** From the start of the process to the end of its first answer. */
async function born(gateway: Start, idleMs: number): Promise<Born> {
  const port = await freePort();
  const startedMs = performance.now();
  const running = start({ ...gateway, command: [...gateway.command, "--port", String(port)] });
  const connection = await connected(port);
  await connection.ask(askGateway(port, SCENARIO), nothingSeen(), startedMs);
  const firstAnswerMs = performance.now() - startedMs;
  connection.hangUp();
  const { pid, stop } = await running;
  await Bun.sleep(idleMs);
  const idleBytes = residentBytes(pid);
  await stop();
  return { firstAnswerMs, idleBytes };
}

async function connected(port: number): Promise<Connection> {
  for (;;) {
    try {
      return await Connection.open(port);
    } catch {
      await Bun.sleep(1);
    }
  }
}

/** A binary of an empty program: its path, and the time from its start to its end. */
async function emptyBinary(directory: string, starts: number): Promise<{ path: string; times: number[] }> {
  const source = join(directory, "empty.ts");
  const path = join(directory, "empty");
  await Bun.write(source, "export {};\n");
  const flags = ["--compile", "--bytecode", "--format=esm", "--sourcemap"];
  await run([process.execPath, "build", ...flags, source, "--outfile", path], directory);
  const times: number[] = [];
  for (let at = 0; at < starts; at++) {
    const startedMs = performance.now();
    await Bun.spawn([path], { stdio: ["ignore", "ignore", "ignore"] }).exited;
    times.push(performance.now() - startedMs);
  }
  return { path, times };
}

export async function benchStart(stage: Stage): Promise<Finding> {
  const starts = stage.size(15, 2);
  const gateway = await preparedGateway({ name: "start" }, stage);
  const lives: Born[] = [];
  for (let at = 0; at < starts; at++) lives.push(await born(gateway, stage.size(at === 0 ? 3000 : 100, 10)));
  const empty = await emptyBinary(stage.directory, starts);
  const sizes = [stage.binary, empty.path].map((path) => statSync(path).size / MB);
  const [size = 0, emptySize = 0] = sizes;
  const firstAnswers = lives.map(({ firstAnswerMs }) => firstAnswerMs);
  const idle = (lives[0]?.idleBytes ?? 0) / MB;
  return {
    title: "Start",
    note: `From the start of the process to the end of its first answer, on a store that is there; ${starts} starts.`,
    tables: [
      {
        head: ["", "Poundkey", "empty Bun binary"],
        rows: [
          ["first answer after (empty: its end), ms", spread(firstAnswers), spread(empty.times)],
          ["idle memory after one answer, MB", shown(idle), ""],
          ["binary, MB", size.toFixed(1), emptySize.toFixed(1)],
        ],
      },
    ],
    aims: [
      {
        what: "Cold start to the first answer",
        measured: computeMedian(firstAnswers),
        unit: "ms",
        atMost: 60,
      },
      { what: "Binary over an empty one", measured: size - emptySize, unit: "MB", atMost: 12 },
      { what: "Idle memory", measured: idle, unit: "MB", atMost: null },
    ],
    bars: [],
  };
}
