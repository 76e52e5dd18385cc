// The gateway's side of tool servers for tests: real calls over loopback, by a clock that moves on command.
import { afterEach } from "bun:test";
import type { ToolReply } from "../../../src/core/tools/tool-reply.ts";
import type { ToolServer } from "../../../src/core/tools/tool-server.ts";
import type { ToolSessionPlace, ToolSessions } from "../../../src/core/tools/tool-sessions.ts";
import { Ending } from "../../../src/core/world/ending.ts";
import type { Deadline, Deadlines, Fetch, Latecomer, LogEvent } from "../../../src/core/world/world.ts";
import { makeToolBreaker } from "../../../src/health/breaker/tool.ts";
import { createAuthorize } from "../../../src/transport/auth/authorize.ts";
import type { ServerCall } from "../../../src/transport/tool-servers/call.ts";
import type { ToolServerPorts } from "../../../src/transport/tool-servers/ports.ts";
import { ToolServers } from "../../../src/transport/tool-servers/tool-servers.ts";
import { ManualClock } from "../../harness/manual-clock.ts";
import { ToolServerFake, type ToolServerOptions } from "../../simulator/tools/tool-server.ts";

/** The port's rules in memory: the first session that is kept counts. */
export class SessionsInMemory implements ToolSessions {
  readonly rows = new Map<string, string>();

  #key({ server, owner, passDigest }: ToolSessionPlace): string {
    return JSON.stringify([server, owner, passDigest]);
  }

  async find(place: ToolSessionPlace): Promise<string | null> {
    return this.rows.get(this.#key(place)) ?? null;
  }

  async keep(place: ToolSessionPlace, id: string): Promise<string> {
    return this.rows.getOrInsertComputed(this.#key(place), () => id);
  }

  async forget(place: ToolSessionPlace, id: string): Promise<void> {
    if (this.rows.get(this.#key(place)) === id) this.rows.delete(this.#key(place));
  }
}

export function makeServer(url: string, more: Partial<ToolServer> = {}): ToolServer {
  return {
    name: "fake",
    url,
    auth: { kind: "none" },
    tools: ["*"],
    timeoutMs: 60_000,
    parallel: 32,
    pricePerCall: 0,
    prices: new Map(),
    resources: false,
    prompts: false,
    ...more,
  };
}

const send: Fetch = (url, init) => fetch(url, init);

/** Deadlines by the manual clock, noticed when its time has passed: a sweep of an hour would take seconds. */
class ManualDeadlines implements Deadlines {
  readonly #clock: ManualClock;
  readonly #watched = new Set<Deadline & { readonly latecomer: Latecomer }>();

  constructor(clock: ManualClock) {
    this.#clock = clock;
  }

  nowMs(): number {
    return this.#clock.monotonicMs();
  }

  watch(atMs: number, latecomer: Latecomer): Deadline {
    const one = { atMs, latecomer, clear: () => void this.#watched.delete(one) };
    this.#watched.add(one);
    return one;
  }

  sweep(): void {
    const late = [...this.#watched].filter(({ atMs }) => atMs <= this.nowMs());
    for (const one of late) {
      one.clear();
      one.latecomer.late();
    }
  }
}

/** A node of the gateway. Several may share the sessions. */
export class ToolNode {
  readonly clock = new ManualClock();
  readonly deadlines = new ManualDeadlines(this.clock);
  readonly sessions: SessionsInMemory;
  readonly logged: LogEvent[] = [];
  readonly ports: ToolServerPorts;
  readonly servers: ToolServers;

  constructor(servers: readonly ToolServer[], sessions = new SessionsInMemory()) {
    this.sessions = sessions;
    const { clock, deadlines } = this;
    this.ports = {
      clock,
      deadlines,
      random: { bytes: (count) => crypto.getRandomValues(new Uint8Array(count)) },
      fetch: send,
      authorize: createAuthorize({ clock, deadlines, fetch: send, readFile: async () => "" }),
      sessions,
      digest: (text) => String(Bun.hash(text)),
      makeBreaker: makeToolBreaker,
      log: (event) => this.logged.push(event),
      version: "9.9.9",
    };
    this.servers = new ToolServers(this.ports);
    this.servers.replace(servers);
  }

  call(target: string, given: ServerCall["arguments"] = {}, more: CallOptions = {}): Promise<ToolReply> {
    const { server = "fake", pass = null, ...call } = more;
    return this.servers.call(
      server,
      { ...DEFAULTS, client: new Ending(), target, arguments: given, ...call },
      pass,
    );
  }

  async listNames(server = "fake", pass: string | null = null): Promise<readonly string[] | null> {
    const mirror = await this.servers.list(server, pass);
    return mirror && [...mirror.tools.keys()];
  }

  /** Lets this time pass at once. */
  async pass(forMs: number): Promise<void> {
    await this.clock.move(forMs);
    this.deadlines.sweep();
    await Bun.sleep(0);
  }

  close(): Promise<void> {
    return this.servers.close();
  }
}

interface CallOptions extends Partial<ServerCall> {
  readonly server?: string;
  readonly pass?: string | null;
}

const DEFAULTS = {
  method: "tools/call",
  key: { id: "key", accountId: "acct_1", memberId: null },
  owner: "key:1",
  meta: {},
  onProgress: null,
  onSend() {},
} as const satisfies Partial<ServerCall>;

/**
 * Starts fakes and nodes that are closed behind each test of the file that calls this. Fakes first: a node waits for its
 * servers' answer by its clock, which nobody moves any more.
 */
export function openToolWorld() {
  const fakes: ToolServerFake[] = [];
  const nodes: ToolNode[] = [];
  afterEach(async () => {
    for (const fake of fakes.splice(0)) await fake.stop();
    for (const node of nodes.splice(0)) await node.close();
  });
  return {
    startFake(options: ToolServerOptions = {}): ToolServerFake {
      const fake = new ToolServerFake(options);
      fakes.push(fake);
      return fake;
    },
    startNode(servers: readonly ToolServer[], sessions?: SessionsInMemory): ToolNode {
      const node = new ToolNode(servers, sessions);
      nodes.push(node);
      return node;
    },
  };
}

/** Returns a reply's first text. */
export function readFirstText(reply: ToolReply): unknown {
  if (reply.kind === "error") return `error ${reply.error.code}: ${reply.error.message}`;
  const { content } = reply.result;
  const [first]: readonly unknown[] = Array.isArray(content) ? content : [];
  return typeof first === "object" && first !== null && "text" in first ? first.text : undefined;
}
