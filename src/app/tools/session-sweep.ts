// Ends sessions at tool servers that nobody has used for an hour, each by one node alone, and forgets the ends of clients' sessions
// that are too old to be used.
import type { Store } from "../../core/store.ts";
import type { Clock } from "../../core/world/world.ts";
import { REST_MS, SESSION_MS, type ServerSessions } from "../../gateway/tools/server-sessions.ts";
import type { ToolServers } from "../../transport/tool-servers/tool-servers.ts";

/** Sessions that are ended at their servers at the same time. */
const AT_ONCE = 100;
/** The most sessions of one sweep: a key that opens and leaves them without end stays bounded, and so does the sweep. */
const SWEPT_MAX = 10_000;
const ROWS_MAX = 2000;
/** A node's clock may be so far behind that of the node that opened the session. */
const CLOCKS_MS = 86_400_000;

interface SweepParts {
  readonly store: Pick<Store, "toolSessions">;
  readonly sessions: Pick<ServerSessions, "open">;
  readonly servers: Pick<ToolServers, "endSession">;
  readonly clock: Pick<Clock, "nowMs">;
  /** False while there are no tool servers. */
  readonly isOn: () => boolean;
}

export function makeSessionSweep(parts: SweepParts): () => Promise<void> {
  return async () => {
    if (!parts.isOn()) return;
    const endedMs = parts.clock.nowMs() - SESSION_MS - CLOCKS_MS;
    while ((await parts.store.toolSessions.dropEnded(endedMs, ROWS_MAX)) === ROWS_MAX);
    await endResting(parts);
  };
}

async function endResting({ store, sessions, servers, clock }: SweepParts): Promise<void> {
  for (let swept = 0; swept < SWEPT_MAX; swept += AT_ONCE) {
    const resting = await store.toolSessions.takeResting(clock.nowMs() - REST_MS, AT_ONCE);
    await Promise.all(
      resting.map((row) => {
        const id = sessions.open(row);
        return id === null ? null : servers.endSession(row.server, id).catch(() => {});
      }),
    );
    // Another node that sweeps at the same time may have taken some of them.
    if (resting.length === 0) return;
  }
}
