// All tool servers of this process: their lists, their state, and calls to them.
import type { Fault } from "../../core/faults/fault.ts";
import type { ToolReply } from "../../core/tools/tool-reply.ts";
import type { ToolServer } from "../../core/tools/tool-server.ts";
import { makeUnavailable } from "../../tools/failures.ts";
import { areSameLeftOut, compareMirrors, type Mirror, type ToolChanges } from "../../tools/mirror.ts";
import type { ServerCall } from "./call.ts";
import { CallerSessions } from "./caller-sessions.ts";
import type { ToolServerPorts } from "./ports.ts";
import { RequestIds } from "./request-ids.ts";
import { type ServerDescription, ServerState } from "./server-state.ts";

/**
 * A server's lists have changed, or are there for the first time: then all of its tools are added. No tool is named if only
 * prompts, resources or what is left out has changed.
 */
export interface ServerChange extends ToolChanges {
  readonly server: string;
  readonly isFirst: boolean;
}

type OnChange = (change: ServerChange) => void;

const LEFT_OUT_LOGGED_MAX = 20;
/** The longest that a process which ends waits for servers. A session that is left there ends by the server's own rules. */
const CLOSE_MS = 1000;
const NO_MIRROR: Mirror = {
  tools: new Map(),
  prompts: [],
  resources: [],
  templates: [],
  leftOut: [],
  bytes: 0,
};

export class ToolServers {
  readonly #ports: ToolServerPorts;
  readonly #ids: RequestIds;
  readonly #sessions: CallerSessions;
  #states: ReadonlyMap<string, ServerState> = new Map();
  readonly #listeners = new Set<OnChange>();
  #watchers = 0;

  constructor(ports: ToolServerPorts) {
    this.#ports = ports;
    this.#ids = new RequestIds(ports.random);
    this.#sessions = new CallerSessions(ports);
  }

  get servers(): readonly ToolServer[] {
    return [...this.#states.values()].map(({ server }) => server);
  }

  /**
   * Swaps the servers. One that is the same keeps what is known of it; calls under way end on the old ones.
   */
  replace(servers: readonly ToolServer[]): void {
    const before = this.#states;
    const after = new Map<string, ServerState>();
    for (const server of servers) {
      const old = before.get(server.name);
      const isSame = old !== undefined && writeServer(old.server) === writeServer(server);
      after.set(server.name, isSame ? old : this.#makeState(server));
    }
    this.#states = after;
    const kept = new Set(after.values());
    for (const state of before.values()) if (!kept.has(state)) void state.close();
    if (this.#watchers > 0) for (const state of kept) state.listening?.start();
  }

  #makeState(server: ToolServer): ServerState {
    const onMirror = (name: string, before: Mirror | null, after: Mirror) => {
      // A server that a reload has swapped may still be answering.
      if (this.#states.get(name) === state) this.#tell(name, before, after);
    };
    const parts = { ports: this.#ports, ids: this.#ids, sessions: this.#sessions, onMirror };
    const state = new ServerState(server, parts);
    return state;
  }

  #tell(server: string, before: Mirror | null, after: Mirror): void {
    const { leftOut } = after;
    if (leftOut.length > 0 && !areSameLeftOut(before ?? NO_MIRROR, after)) {
      const tools = leftOut.slice(0, LEFT_OUT_LOGGED_MAX).map(({ name, reason }) => `${name}: ${reason}`);
      this.#ports.log({ event: "tools_left_out", level: "warn", server, count: leftOut.length, tools });
    }
    const change = { server, isFirst: before === null, ...compareMirrors(before ?? NO_MIRROR, after) };
    for (const onChange of this.#listeners) onChange(change);
  }

  /**
   * Returns a server's lists: at once if they are known, within 5 s otherwise. Null if the server doesn't give them. Rejects with
   * `tool_credential_missing` if the server takes the client's own value and `pass` is null.
   */
  list(server: string, pass: string | null): Promise<Mirror | null> {
    return this.#states.get(server)?.list(pass) ?? Promise.reject(makeMissing(server));
  }

  /** Returns a server's lists if they are known, and the server need not be asked again. */
  peek(server: string, pass: string | null): Mirror | null {
    return this.#states.get(server)?.peek(pass) ?? null;
  }

  /** Returns the fault if the server refused the credential when it was last asked for its lists. Null if it didn't. */
  findRefusal(server: string, pass: string | null): Fault | null {
    return this.#states.get(server)?.findRefusal(pass) ?? null;
  }

  /** Sends a call once. Rejects with a fault of the table, or with the reason that the client has ended. */
  call(server: string, call: ServerCall, pass: string | null): Promise<ToolReply> {
    return this.#states.get(server)?.call(call, pass) ?? Promise.reject(makeMissing(server));
  }

  describe(): readonly ServerDescription[] {
    return [...this.#states.values()].map((state) => state.describe());
  }

  /** Returns the server's own instructions as far as they are known: a list finds them. */
  findInstructions(server: string, pass: string | null): string | null {
    return this.#states.get(server)?.findInstructions(pass) ?? null;
  }

  /** Ends a session at its server, whose row is gone. */
  async endSession(server: string, session: string): Promise<void> {
    await this.#states.get(server)?.endSession(session);
  }

  /** Tells `onChange` of all changes that are noticed, by a list or a stream. Returns a function that ends it. */
  hear(onChange: OnChange): () => void {
    this.#listeners.add(onChange);
    return () => {
      this.#listeners.delete(onChange);
    };
  }

  /** Keeps a stream to each server that announces changes, as long as somebody watches. Returns a function that ends it. */
  watch(): () => void {
    if (this.#watchers++ === 0) for (const state of this.#states.values()) state.listening?.start();
    let isEnded = false;
    return () => {
      if (isEnded) return;
      isEnded = true;
      if (--this.#watchers === 0) for (const state of this.#states.values()) state.listening?.stop();
    };
  }

  /** Resolves once the servers have heard that the gateway's own sessions are over, or after a second. */
  async close(): Promise<void> {
    const closing = [...this.#states.values()].map((state) => state.close());
    this.#states = new Map();
    const { promise: late, resolve } = Promise.withResolvers<void>();
    const cancel = this.#ports.clock.after(CLOSE_MS, resolve);
    await Promise.race([Promise.all(closing), late]);
    cancel();
  }
}

function makeMissing(server: string): Fault {
  return makeUnavailable(server, { reason: "no such server" });
}

/** Maps have no JSON of their own. */
function writeServer(server: ToolServer): string {
  return JSON.stringify(server, (_key, value: unknown) => (value instanceof Map ? [...value] : value));
}
