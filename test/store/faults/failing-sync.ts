// A gateway as a separate process whose every sync to disk fails while a tracer makes its system calls fail.
import { PROGRAM } from "../../harness/program.ts";
import { startVictim } from "../../kill/process.ts";
import { newKillWorld } from "../../kill/world.ts";
import { type Clients, newClients } from "./clients.ts";
import { trace } from "./tracer.ts";

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
    failSyncs: () => trace(gateway.pid, "-e", `trace=${SYNCS}`, "-e", `inject=${SYNCS}:error=EIO`),
    async stop() {
      gateway.signal("SIGTERM");
      await gateway.exited;
      await world.stop({ keep: false });
    },
  };
}
