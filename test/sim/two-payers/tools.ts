// A tool server that both payers call on virtual time: the gateway's own state of it, its breakers and its places.
import { asObject, asString, parseJson } from "../../../src/core/json/json.ts";
import type { GatewayKey } from "../../../src/core/keys/key.ts";
import type { Ending } from "../../../src/core/world/ending.ts";
import { makeToolBreaker } from "../../../src/health/breaker/tool.ts";
import { createAuthorize } from "../../../src/transport/auth/authorize.ts";
import { DeadlineSweep } from "../../../src/transport/deadlines.ts";
import { ToolServers } from "../../../src/transport/tool-servers/tool-servers.ts";
import { NO_TOKENS } from "../../harness/no-tokens.ts";
import { makeServer, SessionsInMemory } from "../../transport/tool-servers/tool-world.ts";
import type { CoreWorld } from "../core-world.ts";
import { Dice } from "../dice.ts";
import { answerBadly } from "./bad-answers.ts";

const VERSION = "2026-07-28";
const SERVER = "tools";
const ANSWER_MS = 20;
const TIMEOUT_MS = 6000;
/** Payers of one account share its places, and two others can fill those of a server: there are enough for all then. */
const PARALLEL = { apart: 4, together: 400 };

interface ToolCall {
  readonly key: GatewayKey;
  readonly node: number;
  readonly kind: string;
  readonly client: Ending;
}

export class SideTools {
  readonly #nodes: readonly ToolServers[];

  constructor(world: CoreWorld, nodes: number, sharesPlaces: boolean) {
    this.#nodes = Array.from({ length: nodes }, (_, at) => makeNode(world, at, sharesPlaces));
  }

  /** Resolves with the kind of the reply. Rejects with the Fault that the client is shown. */
  async call({ key, node, kind, client }: ToolCall): Promise<string> {
    const call = {
      method: "tools/call",
      key,
      owner: `key:${key.id}`,
      target: "work",
      arguments: { kind },
      meta: {},
      client,
      onProgress: null,
      onSend: () => {},
    } as const;
    const reply = await this.#nodes[node]?.call(SERVER, call, null);
    return reply?.kind ?? "none";
  }
}

function makeNode(world: CoreWorld, at: number, sharesPlaces: boolean): ToolServers {
  const clock = world.clock.forLife(() => false);
  const dice = new Dice(at);
  const servers = new ToolServers({
    clock,
    deadlines: new DeadlineSweep(clock),
    random: { bytes: (count) => dice.bytes(count) },
    fetch: (_url, init) => world.rest(answer(world, init)),
    authorize: createAuthorize(NO_TOKENS),
    sessions: new SessionsInMemory(),
    digest: (text) => text,
    makeBreaker: makeToolBreaker,
    log: () => {},
    version: "1.0.0",
  });
  const parallel = sharesPlaces ? PARALLEL.together : PARALLEL.apart;
  servers.replace([
    makeServer("http://tools.example/mcp", { name: SERVER, timeoutMs: TIMEOUT_MS, parallel }),
  ]);
  return servers;
}

async function answer({ clock }: CoreWorld, init: RequestInit): Promise<Response> {
  const signal = init.signal ?? null;
  signal?.throwIfAborted();
  await clock.wait(ANSWER_MS);
  const { id, method, params } = asObject(parseJson(String(init.body)));
  const kind = asString(asObject(asObject(params).arguments).kind) ?? "good";
  const results: Readonly<Record<string, object>> = {
    "server/discover": { supportedVersions: [VERSION], capabilities: { tools: {} } },
    "tools/list": { tools: [{ name: "work", inputSchema: { type: "object" } }] },
  };
  const result = results[asString(method) ?? ""] ?? { content: [{ type: "text", text: "done" }] };
  const well = Response.json({ jsonrpc: "2.0", id, result: { resultType: "complete", ...result } });
  return method === "tools/call" ? (answerBadly(kind, signal) ?? well) : well;
}
