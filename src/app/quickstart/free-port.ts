// The port of a quick start for which none was chosen: the next free one if another program has the usual one.
import { asObject } from "../../core/json/json.ts";
import type { ServerRules } from "../../core/settings.ts";
import { checkPort } from "../workers/workers.ts";

/** The usual port, and the last that is tried in its place. */
const USUAL = 8080;
const LAST = 8089;

/** Returns the port of a quick start that names none: the configuration's, or the one in its place, which is then said. */
export async function chooseFreePort(
  server: Pick<ServerRules, "host" | "port">,
  say: (line: string) => void,
  isTaken = isInUse,
): Promise<number> {
  const free = await findFreePort(server, isTaken);
  if (free !== server.port) say(`poundkey: port ${server.port} is in use, so this is port ${free}`);
  return free;
}

/** Returns the first free port in place of the usual one. The usual one if all are in use: the start then says so. */
async function findFreePort(
  { host, port }: Pick<ServerRules, "host" | "port">,
  isTaken: typeof isInUse,
): Promise<number> {
  if (port !== USUAL) return port;
  for (let next = USUAL; next <= LAST; next++) if (!(await isTaken(host, next))) return next;
  return port;
}

/** True if another program listens at the address. */
async function isInUse(host: string, port: number): Promise<boolean> {
  try {
    await checkPort(host, port);
    return false;
  } catch (error) {
    return asObject(error).code === "EADDRINUSE";
  }
}
