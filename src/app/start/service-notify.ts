// Tells systemd that the gateway listens, so that a unit of `Type=notify` counts as started only then.
import type { Log } from "../../core/world/world.ts";

/** Systemd's own program: its socket takes datagrams, which Bun can't send to a path. */
const COMMAND = ["systemd-notify", "--ready"];

/** Does nothing if this process wasn't started by such a unit. The result settles once systemd knows. */
export async function notifyReady(log: Log): Promise<void> {
  if (!process.env.NOTIFY_SOCKET) return;
  try {
    const told = Bun.spawn(COMMAND, { stdio: ["ignore", "ignore", "pipe"] });
    const [code, said] = await Promise.all([told.exited, new Response(told.stderr).text()]);
    if (code !== 0) throw new Error(said.trim() || `it exited with ${code}`);
  } catch (error) {
    const cause = error instanceof Error ? error.message : String(error);
    log({ event: "systemd_not_told", level: "error", cause });
  }
}
