// Asks tool servers without a gateway, for commands: each for its tools, with the credentials of the configuration.
import { version } from "../../../package.json" with { type: "json" };
import type { Settings } from "../../core/settings.ts";
import type { ToolDirectory } from "../../core/tools/tool-directory.ts";
import type { ToolSessions } from "../../core/tools/tool-sessions.ts";
import { makeToolBreaker } from "../../health/breaker/tool.ts";
import { createAuthorize } from "../../transport/auth/authorize.ts";
import { DeadlineSweep } from "../../transport/deadlines.ts";
import { ToolServers } from "../../transport/tool-servers/tool-servers.ts";
import { clock, random, readTokenFile, upstreamFetch } from "../world.ts";
import { createToolDirectory } from "./directory.ts";

/** No client is served here, so none has a session. */
const NO_SESSIONS: ToolSessions = {
  find: async () => null,
  keep: async (_, id) => id,
  forget: async () => {},
};

/** Calls `use` with the configured servers. They are asked when it asks for them, and let go of at its end. */
export async function withToolServers<Result>(
  { tools }: Pick<Settings, "tools">,
  use: (directory: ToolDirectory) => Promise<Result>,
): Promise<Result> {
  const deadlines = new DeadlineSweep(clock);
  const fetch = upstreamFetch;
  const servers = new ToolServers({
    clock,
    deadlines,
    random,
    fetch,
    authorize: createAuthorize({ clock, deadlines, fetch, readFile: readTokenFile }),
    sessions: NO_SESSIONS,
    // Only values that clients send are digested.
    digest: (text) => text,
    makeBreaker: makeToolBreaker,
    log: () => {},
    version,
  });
  servers.replace(tools?.servers ?? []);
  try {
    return await use(createToolDirectory(servers));
  } finally {
    await servers.close();
    deadlines.stop();
  }
}
