// A gateway as a separate process whose every sync to disk fails while a tracer makes its system calls fail.
import { readdirSync, readFileSync } from "node:fs";
import { until } from "../http/until.ts";
import { PROGRAM, startVictim } from "../kill/process.ts";
import { newKillWorld } from "../kill/world.ts";
import { LONG_MS } from "../serve-process.ts";
import { type Clients, newClients } from "./clients.ts";

const SYNCS = "fsync,fdatasync";

export interface TracedWorld extends Clients {
  /** Makes all syncs fail until the returned function is called. */
  failSyncs(): Promise<() => Promise<void>>;
  stop(): Promise<void>;
}

export async function startTracedWorld(): Promise<TracedWorld> {
  const world = await newKillWorld();
  const gateway = startVictim(PROGRAM, world.directory);
  const { database, simulator } = world;
  const secrets = { free: world.secrets.free, paid: world.secrets.payer };
  const clients = newClients({ url: await gateway.listens, database, simulator, secrets });
  return {
    ...clients,
    failSyncs: () => failSyncsOf(gateway.pid),
    async stop() {
      gateway.signal("SIGTERM");
      await gateway.exited;
      await world.stop({ keep: false });
    },
  };
}

async function failSyncsOf(pid: number): Promise<() => Promise<void>> {
  const command = [
    "strace",
    "-f",
    "-p",
    String(pid),
    "-e",
    `trace=${SYNCS}`,
    "-e",
    `inject=${SYNCS}:error=EIO`,
  ];
  const tracer = Bun.spawn(command, { stdout: "ignore", stderr: "ignore" });
  await until("all threads are traced", () => tracer.exitCode !== null || areTraced(pid), LONG_MS);
  if (tracer.exitCode !== null) throw new Error(`strace ended with exit code ${tracer.exitCode}`);
  return async () => {
    tracer.kill("SIGTERM");
    await tracer.exited;
  };
}

function areTraced(pid: number): boolean {
  return readdirSync(`/proc/${pid}/task`).every(
    (task) => !/^TracerPid:\s+0$/m.test(readFileSync(`/proc/${pid}/task/${task}/status`, "utf8")),
  );
}

/** True if a tracer is installed and may trace another process. */
export async function canFailSyncs(): Promise<boolean> {
  if (!Bun.which("strace")) return false;
  const sleeper = Bun.spawn(["sleep", "60"]);
  try {
    const restore = await failSyncsOf(sleeper.pid);
    await restore();
    return true;
  } catch {
    return false;
  } finally {
    sleeper.kill("SIGKILL");
  }
}
