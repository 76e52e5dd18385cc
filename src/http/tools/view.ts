// One key's view at one of the addresses: the servers of which it may use anything, and their lists as one.
import type { Fault } from "../../core/faults/fault.ts";
import type { GatewayKey } from "../../core/keys/key.ts";
import type { AllowedTools } from "../../core/limits/member-limits.ts";
import { holdsPoundkeySecret } from "../../core/text/secret-form.ts";
import { mayUseSome } from "../../core/tools/patterns.ts";
import type { ToolServer } from "../../core/tools/tool-server.ts";
import { makeCredentialMissing, makeUnavailable } from "../../tools/failures.ts";
import { type MergedList, MergedLists, type ServerLists } from "../../tools/merged-list.ts";
import type { Mirror } from "../../tools/mirror.ts";
import type { ToolPorts } from "./ports.ts";

/** The sender, and the address. */
export interface Viewer {
  readonly key: GatewayKey;
  readonly headers: Headers;
  /** The server of the address. Null for the address of all. */
  readonly server: ToolServer | null;
  readonly levels: readonly AllowedTools[];
}

interface ToolListView {
  readonly list: MergedList;
  /** The servers whose lists are not to be had at the moment. */
  readonly unavailable: readonly string[];
}

export class ToolViews {
  readonly #ports: Pick<ToolPorts, "toolServers" | "toolRules">;
  readonly #merged = new MergedLists();

  constructor(ports: Pick<ToolPorts, "toolServers" | "toolRules">) {
    this.#ports = ports;
  }

  /** Servers are asked together, and none is waited for long. `servers` are all that the viewer may use, if missing. */
  async find(viewer: Viewer, servers = this.listServers(viewer)): Promise<ToolListView> {
    const lists = await Promise.all(servers.map((server) => this.#findLists(server, viewer)));
    const list = this.#merged.get(lists, viewer.levels, viewer.server === null);
    const unavailable = lists.flatMap(({ server, mirror }) => (mirror === null ? [server.name] : []));
    return { list, unavailable };
  }

  /** Returns the server if the key may use any of its tools. */
  findServer(name: string, levels: readonly AllowedTools[]): ToolServer | null {
    for (const server of this.#ports.toolRules()?.servers ?? [])
      if (server.name === name) return mayUseSome(levels, name) ? server : null;
    return null;
  }

  isConfigured(name: string): boolean {
    return this.#ports.toolRules()?.servers.some((one) => one.name === name) === true;
  }

  listServers({ server, levels }: Pick<Viewer, "server" | "levels">): readonly ToolServer[] {
    if (server !== null) return [server];
    return (this.#ports.toolRules()?.servers ?? []).filter(({ name }) => mayUseSome(levels, name));
  }

  async #findLists(server: ToolServer, viewer: Viewer): Promise<ServerLists> {
    return { server, mirror: await this.findMirror(server, viewer) };
  }

  /** Returns a server's lists. Null if they are not to be had at the moment. */
  async findMirror(server: ToolServer, { headers }: Viewer): Promise<Mirror | null> {
    const pass = readPass(server, headers);
    if (pass === null && server.auth.kind === "pass") return null;
    // A reload may have taken the server away meanwhile.
    return this.#ports.toolServers.list(server.name, pass).catch(() => null);
  }

  /** Returns the fault of a server whose lists are not to be had. */
  explainMissing(server: ToolServer, headers: Headers): Fault {
    const { auth, name } = server;
    const pass = readPass(server, headers);
    if (auth.kind === "pass" && pass === null) return makeCredentialMissing(name, auth.header);
    return this.#ports.toolServers.findRefusal(name, pass) ?? makeUnavailable(name);
  }

  /** The same if they are known, and the server need not be asked. */
  peekMirror(server: ToolServer, { headers }: Viewer): Mirror | null {
    return this.#ports.toolServers.peek(server.name, readPass(server, headers));
  }
}

const PASSED_CHARACTERS_MAX = 4096;

/** Returns the caller's own credential for the server. Null if there is none, and for a secret of this gateway, which never goes on. */
export function readPass({ auth }: Pick<ToolServer, "auth">, headers: Headers): string | null {
  if (auth.kind !== "pass") return null;
  const value = headers.get(auth.header)?.trim() ?? "";
  if (value === "" || value.length > PASSED_CHARACTERS_MAX) return null;
  return holdsPoundkeySecret(value) ? null : value;
}
