// Connects tool servers with the configuration, the network and the store.
import { version } from "../../../package.json" with { type: "json" };
import type { Settings } from "../../core/settings.ts";
import type { Store } from "../../core/store.ts";
import type { ToolServer } from "../../core/tools/tool-server.ts";
import type { Deadlines, Fetch, Log } from "../../core/world/world.ts";
import type { Gateway, GatewayPorts } from "../../gateway/gateway.ts";
import { ServerSessions } from "../../gateway/tools/server-sessions.ts";
import { ToolRuns } from "../../gateway/tools/tool-runs.ts";
import { makeToolBreaker } from "../../health/breaker/tool.ts";
import { KnownPrompts } from "../../health/prompts.ts";
import type { HttpPorts } from "../../http/ports.ts";
import { ToolDoor } from "../../http/tools/door.ts";
import { GatewayToolRuns } from "../../http/tools/loop/gateway-tools.ts";
import type { ToolPorts } from "../../http/tools/ports.ts";
import { ClientSessions } from "../../http/tools/sessions.ts";
import { ToolViews } from "../../http/tools/view.ts";
import { createAuthorize } from "../../transport/auth/authorize.ts";
import { ToolServers } from "../../transport/tool-servers/tool-servers.ts";
import type { OpenedStore } from "../start/open-store.ts";
import { takeShare } from "../workers/worker.ts";
import { clock, random, readTokenFile } from "../world.ts";
import { KnownLevels } from "./known-levels.ts";
import { makeSessionSweep } from "./session-sweep.ts";
import { ToolRecords } from "./tool-records.ts";

interface ToolRoomParts extends Pick<GatewayPorts, "ledger" | "steps"> {
  readonly opened: Pick<OpenedStore, "vault" | "world">;
  readonly store: Store;
  readonly live: { readonly settings: Settings };
  readonly gateway: Gateway;
  readonly ports: HttpPorts;
  readonly deadlines: Deadlines;
  readonly fetch: Fetch;
  readonly log: Log;
}

/** The tool servers of a running gateway. Without any, nothing is asked and nothing is kept. */
export interface Tools {
  readonly ports: ToolPorts;
  readonly door: ToolDoor;
  /** Takes requests whose models may call tools. */
  readonly gatewayTools: GatewayToolRuns;
  readonly servers: ToolServers;
  /** Ends sessions that nobody has used for long. */
  readonly sweep: () => Promise<void>;
  /** Applies other settings. Calls under way end on the old ones. */
  put(settings: Settings): void;
  /** Resolves once the servers have heard of it, or after a second. */
  close(): Promise<void>;
}

export function createTools(parts: ToolRoomParts): Tools {
  const { opened, store, live, log } = parts;
  const kept = { store, vault: opened.vault, clock, random };
  const sessions = new ServerSessions(kept);
  const servers = createServers(parts, sessions);
  const ports = createToolPorts(parts, servers, new ClientSessions({ ...kept, servers: sessions }));
  const records = new ToolRecords({ world: opened.world, store, log });
  const put = ({ tools }: Settings) => {
    const all = tools?.servers ?? [];
    servers.replace(all.map(shareServer));
    void records.noteServers(all);
  };
  servers.hear(({ server }) => void noteTools(servers, records, server));
  put(live.settings);
  const views = new ToolViews(ports);
  const isOn = () => live.settings.tools !== undefined;
  return {
    ports,
    door: new ToolDoor(ports, views),
    gatewayTools: new GatewayToolRuns(ports, views),
    servers,
    sweep: makeSessionSweep({ store, sessions, servers, clock, isOn }),
    put,
    close: () => servers.close(),
  };
}

/** The workers of a node make its calls together, each at least one at a time. */
function shareServer(server: ToolServer): ToolServer {
  return { ...server, parallel: Math.max(1, takeShare(server.parallel)) };
}

function createServers(
  { opened: { vault }, deadlines, fetch, log }: ToolRoomParts,
  sessions: ServerSessions,
): ToolServers {
  return new ToolServers({
    clock,
    deadlines,
    random,
    fetch,
    authorize: createAuthorize({ clock, deadlines, fetch, readFile: readTokenFile }),
    sessions,
    digest: (text) => vault.digest(`tool credential ${text}`),
    makeBreaker: makeToolBreaker,
    log,
    version,
  });
}

function createToolPorts(
  { store, live, gateway, ports, deadlines, log, ledger, steps }: ToolRoomParts,
  toolServers: ToolServers,
  clientSessions: ClientSessions,
): ToolPorts {
  const runs = { clock, deadlines, ledger, log, prompts: new KnownPrompts(random), ...(steps && { steps }) };
  const levels = new KnownLevels(store, () => live.settings.ownerLimits.toolRights);
  return {
    ...ports,
    toolRules: () => live.settings.tools,
    streamsMax: () => takeShare(live.settings.tools?.streamsMax ?? 0),
    toolServers,
    toolRuns: new ToolRuns(runs, gateway.life),
    clientSessions,
    toolLevels: (key) => levels.find(key),
    version,
  };
}

/** Servers that take each caller's own credential show nothing without one. */
async function noteTools(servers: ToolServers, records: ToolRecords, server: string): Promise<void> {
  const mirror = await servers.list(server, null).catch(() => null);
  if (mirror !== null) await records.noteTools(server, mirror);
}
