// Asks each tool server once, for `poundkey check --probe`.
import { version } from "../../../package.json" with { type: "json" };
import type { ToolServer } from "../../core/tools/tool-server.ts";
import type { ToolSessions } from "../../core/tools/tool-sessions.ts";
import { makeToolBreaker } from "../../health/breaker/tool.ts";
import { createAuthorize } from "../../transport/auth/authorize.ts";
import { DeadlineSweep } from "../../transport/deadlines.ts";
import { ToolServers } from "../../transport/tool-servers/tool-servers.ts";
import { clock, upstreamFetch as fetch, random, readTokenFile } from "../world.ts";

/** A tool server, and the answer that it gave. */
export interface ToolProbe {
  readonly server: string;
  readonly ok: boolean;
  /** The protocol's version that it speaks. Null if it wasn't found. */
  readonly era: string | null;
  readonly tools: number;
  /** The tools that are shown to nobody, each with the reason. */
  readonly left_out: readonly { readonly name: string; readonly reason: string }[];
  readonly error: string | null;
}

/** A list needs no session that is kept. */
const NO_SESSIONS: ToolSessions = {
  find: async () => null,
  keep: async (_place, id) => id,
  forget: async () => {},
};

/** One that takes each caller's own credential isn't asked. Never rejects. */
export async function probeTools(servers: readonly ToolServer[]): Promise<readonly ToolProbe[]> {
  const deadlines = new DeadlineSweep(clock);
  const authorize = createAuthorize({ clock, deadlines, fetch, readFile: readTokenFile });
  const ports = { clock, deadlines, random, fetch, authorize, sessions: NO_SESSIONS, version };
  const asked = new ToolServers({
    ...ports,
    digest: (text) => text,
    makeBreaker: makeToolBreaker,
    log: () => {},
  });
  asked.replace(servers);
  try {
    await Promise.all(servers.map(({ name }) => asked.list(name, null).catch(() => null)));
    return asked.describe().map(({ name, state, era, tools, leftOut, error }) => ({
      server: name,
      ok: state !== "down",
      era,
      tools,
      left_out: leftOut,
      error,
    }));
  } finally {
    await asked.close();
    deadlines.stop();
  }
}
