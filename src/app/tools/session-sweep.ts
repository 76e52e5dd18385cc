// Ends sessions at tool servers that nobody has used for an hour. Each is ended by one node.
import type { Store } from "../../core/store.ts";
import type { Clock } from "../../core/world/world.ts";
import { ENDED_MS, REST_MS, type ServerSessions } from "../../gateway/tools/server-sessions.ts";
import type { ToolServers } from "../../transport/tool-servers/tool-servers.ts";

const AT_ONCE = 100;

interface SweepParts {
  readonly store: Pick<Store, "toolSessions">;
  readonly sessions: Pick<ServerSessions, "open">;
  readonly servers: Pick<ToolServers, "endSession">;
  readonly clock: Pick<Clock, "nowMs">;
  /** False while there are no tool servers. */
  readonly isOn: () => boolean;
}

export function makeSessionSweep({ store, sessions, servers, clock, isOn }: SweepParts): () => Promise<void> {
  return async () => {
    if (!isOn()) return;
    const nowMs = clock.nowMs();
    const before = { sessionsMs: nowMs - REST_MS, endedMs: nowMs - ENDED_MS };
    const resting = await store.toolSessions.takeResting(before, AT_ONCE);
    await Promise.all(
      resting.map((row) => {
        const id = row.server === "" ? null : sessions.open(row);
        return id === null ? null : servers.endSession(row.server, id).catch(() => {});
      }),
    );
  };
}
