// A day of tools by a seed: nodes that come and go, servers that fail, clients that leave, and rights that change.
import type { JsonObject } from "../../../../src/core/json/json.ts";
import type { ToolFault } from "../../../simulator/tools/faults.ts";
import type { ServedEra, ToolServerFake } from "../../../simulator/tools/tool-server.ts";
import { TOOLS } from "../../../simulator/tools/tools.ts";
import { ADMIN_TOKEN } from "../../../store/nodes/gateway.ts";
import { askModel, callTool, type Manner, type Owner, PATIENT, type Sent } from "./clients.ts";
import type { DayWorld } from "./day-world.ts";

const STEPS = 50;
const NODES_MAX = 4;
const MODELS = ["OpenAI#gpt-5.4", "Local#m", "Anthropic#claude-sonnet-4-6", "Google#gemini-3.6-flash"];
const TROUBLES = ["OpenAI#gpt-5.4~cut", "Local#m~trouble=500", "Local#m~flaky=1", "OpenAI#gpt-5.4~error-mid"];
const METHODS = ["tools/call", "tools/call", "tools/call", "tools/list", "initialize", "server/discover"];
const ERAS: readonly ServedEra[] = ["older", "newer", "both"];
const FAULTS: readonly ToolFault[] = [
  { kind: "status", status: 500 },
  { kind: "status", status: 401 },
  { kind: "status", status: 302 },
  { kind: "break" },
  { kind: "cut" },
  { kind: "garble" },
  { kind: "forget" },
  { kind: "twice" },
  { kind: "ask", method: "sampling/createMessage" },
  { kind: "answer", message: { error: { code: -32001, message: "no" } } },
];

export class Day {
  readonly #world: DayWorld;
  readonly sent: Sent[] = [];
  /** Null once a node was killed that may have changed it. */
  #mayCall: boolean | null = true;
  readonly #running: Promise<unknown>[] = [];
  readonly #listening: AbortController[] = [];
  #down: ToolServerFake | null = null;

  constructor(world: DayWorld) {
    this.#world = world;
  }

  async run(): Promise<void> {
    for (let at = 0; at < STEPS; at++) {
      if (this.#world.alive.length === 0) await this.#world.join();
      await this.#step(at);
      await Bun.sleep(this.#world.dice.int(0, 15));
    }
    this.#down?.restart();
    await Promise.all(this.#running);
    for (const listener of this.#listening) listener.abort();
    // The judge asks them.
    for (const { life } of this.#world.alive) life.spare();
    if (this.#world.alive.length === 0) await this.#world.join();
  }

  async #step(at: number): Promise<void> {
    const dice = this.#world.dice.int(0, 99);
    if (dice < 40) this.#call(at);
    else if (dice < 58) this.#ask(at);
    else if (dice < 68)
      this.#world.pickServer().plan(this.#world.dice.pick(METHODS), this.#world.dice.pick(FAULTS));
    else if (dice < 71) this.#shake();
    else if (dice < 74) this.#changeEra();
    else if (dice < 80) await this.#endNode();
    else if (dice < 84 && this.#world.alive.length < NODES_MAX) await this.#world.join();
    else if (dice < 87) this.#reload();
    else if (dice < 90) this.#changeTools();
    else if (dice < 94) this.#listen();
    else if (dice < 97) await this.#changeRights();
    else await Promise.all(this.#running.splice(0));
  }

  #draw(): Manner {
    const dice = this.#world.dice.int(0, 9);
    if (dice === 0) return { ...PATIENT, leavesMs: this.#world.dice.int(0, 40) };
    if (dice === 1) return { ...PATIENT, cancelsMs: this.#world.dice.int(0, 40) };
    if (dice === 2) return { ...PATIENT, limitSeconds: this.#world.dice.int(1, 100) / 1000 };
    return PATIENT;
  }

  #note(owner: Owner, fields: Pick<Sent, "requestId" | "server" | "manner" | "texts" | "isLoop">): Sent {
    const mayCall = owner.name === "narrow" ? this.#mayCall : true;
    const node = this.#world.pickNode();
    const one: Sent = { ...fields, node, owner, isShaken: false, mayCall, outcome: null };
    this.sent.push(one);
    return one;
  }

  #call(at: number): void {
    const owner = this.#world.dice.pick(this.#world.owners);
    const server = this.#world.dice.pick(Object.keys(this.#world.servers));
    const isSlow = this.#world.dice.chance(0.15);
    const manner = this.#draw();
    const once = this.#world.dice.chance(0.15) ? `once-${at}` : null;
    const call = { server, manner: { ...manner, once }, texts: [`${owner.name} ${at}`], isLoop: false };
    for (let times = once === null ? 1 : 2; times > 0; times--) {
      const one = this.#note(owner, { ...call, requestId: `call-${at}.${times}` });
      this.#follow(one, callTool(one, isSlow ? "slow" : "echo"));
    }
  }

  #ask(at: number): void {
    const owner = this.#world.dice.pick(this.#world.owners.filter(({ session }) => session === null));
    const server = this.#world.dice.pick(["old", "old", "guarded"]);
    const texts = Array.from(
      { length: this.#world.dice.int(0, 6) },
      (_, number) => `${owner.name} ${at}-${number}`,
    );
    const model = this.#world.dice.pick(this.#world.dice.chance(0.2) ? TROUBLES : MODELS);
    const stream = this.#world.dice.chance(0.5);
    const once = this.#world.dice.chance(0.15) ? `once-${at}` : null;
    const manner = { ...this.#draw(), cancelsMs: null, once };
    for (let times = once === null ? 1 : 2; times > 0; times--) {
      const requestId = `loop-${at}.${times}`;
      const one = this.#note(owner, { requestId, server, manner, texts, isLoop: true });
      this.#follow(one, askModel(one, model, stream));
    }
  }

  #follow(one: Sent, work: Promise<NonNullable<Sent["outcome"]>>): void {
    this.#running.push(
      work.then((outcome) => {
        one.outcome = outcome;
      }),
    );
  }

  #shakeAll(): void {
    for (const one of this.sent) if (one.outcome === null) one.isShaken = true;
  }

  /** Stops a server, or starts the one that was stopped. */
  #shake(): void {
    this.#shakeAll();
    if (this.#down === null) {
      this.#down = this.#world.pickServer();
      void this.#down.stop();
    } else {
      this.#down.restart();
      this.#down = null;
    }
  }

  #changeEra(): void {
    this.#shakeAll();
    const sessions = this.#world.dice.chance(0.5);
    const server = this.#world.pickServer();
    const era = this.#world.dice.pick(ERAS);
    server.options = { era, sessions };
    if (era === "newer") server.sessions.clear();
  }

  async #endNode(): Promise<void> {
    const node = this.#world.pickNode();
    const dice = this.#world.dice.int(0, 3);
    if (dice === 0) this.#running.push(node.drain());
    else if (dice === 1) node.life.end();
    else node.life.endAt(this.#world.dice.int(1, 30), this.#world.dice.chance(0.5));
  }

  #reload(): void {
    this.#world.hasOther = !this.#world.hasOther;
    const yaml = this.#world.compose();
    for (const node of this.#world.alive) node.reload(yaml);
  }

  #changeTools(): void {
    const added = { name: `added${this.#world.dice.int(0, 9)}`, inputSchema: { type: "object" } };
    this.#world.pickServer().change([...TOOLS, added]);
  }

  #listen(): void {
    const { secret, session } = this.#world.dice.pick(
      this.#world.owners.filter((owner) => owner.session !== null),
    );
    const node = this.#world.pickNode();
    const leaving = new AbortController();
    this.#listening.push(leaving);
    const headers = {
      authorization: `Bearer ${secret}`,
      accept: "text/event-stream",
      "mcp-session-id": session ?? "",
    };
    const signal = AbortSignal.any([leaving.signal, node.life.signal]);
    void fetch(`${node.url}/mcp`, { headers, signal, keepalive: false })
      .then((response) => response.text())
      .catch(() => {});
    if (this.#world.dice.chance(0.3)) setTimeout(() => leaving.abort(), this.#world.dice.int(0, 50));
  }

  async #changeRights(): Promise<void> {
    const doubt = () => {
      for (const one of this.sent)
        if (one.owner.name === "narrow" && one.outcome === null) one.mayCall = null;
    };
    doubt();
    const mayCall = this.#mayCall !== true;
    const isChanged = await this.#patch({ allowed_tools: mayCall ? null : [] });
    this.#mayCall = isChanged ? mayCall : null;
    doubt();
  }

  /** Returns false if nobody knows, because the node ended meanwhile. */
  async #patch(fields: JsonObject): Promise<boolean> {
    const node = this.#world.pickNode();
    try {
      const response = await fetch(`${node.url}/admin/v1/keys/${this.#world.narrowKeyId}`, {
        method: "PATCH",
        headers: { authorization: `Bearer ${ADMIN_TOKEN}`, "content-type": "application/json" },
        body: JSON.stringify(fields),
        signal: node.life.signal,
        keepalive: false,
      });
      return response.ok;
    } catch {
      return false;
    }
  }
}
