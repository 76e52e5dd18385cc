// A day of tools by a seed: nodes that come and go, servers that fail, clients that leave, and rights that change.
import { asArray, asObject, type JsonObject } from "../../../../src/core/json/json.ts";
import { providersYaml } from "../../../harness/harness.ts";
import type { Dice } from "../../../sim/dice.ts";
import type { Simulator } from "../../../simulator/server.ts";
import type { ToolFault } from "../../../simulator/tools/faults.ts";
import { type ServedEra, ToolServerFake } from "../../../simulator/tools/tool-server.ts";
import { TOOLS } from "../../../simulator/tools/tools.ts";
import { ADMIN_TOKEN, operate } from "../../../store/nodes/gateway.ts";
import { askModel, callTool, type Manner, type Owner, PASS_HEADER, PATIENT, type Sent } from "./clients.ts";
import { MortalNode } from "./mortal.ts";

const STEPS = 50;
const NODES_MAX = 4;
/** Of a call in nano-dollars, with the markup. */
export const PRICE = 3_000_000;
/** In USD. The poor account's balance ends within the day, and so does the budget of the frugal key. */
const BALANCES = { rich: 100, poor: 0.06 };
export const BUDGET_USD = 0.03;
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
  readonly #dice: Dice;
  readonly #store: string;
  readonly #simulator: Simulator;
  readonly servers = {
    old: new ToolServerFake({ era: "older", sessions: true }),
    other: new ToolServerFake({ era: "newer" }),
    guarded: new ToolServerFake({ era: "older", sessions: true }),
  };
  readonly sent: Sent[] = [];
  readonly accounts: { readonly id: string; readonly usd: number }[] = [];
  readonly nodes: MortalNode[] = [];
  frugalKeyId = "";
  #narrowKeyId = "";
  #owners: Owner[] = [];
  #mayCall = true;
  #hasOther = true;
  readonly #running: Promise<unknown>[] = [];
  readonly #listening: AbortController[] = [];
  #down: ToolServerFake | null = null;

  constructor(dice: Dice, store: string, simulator: Simulator) {
    this.#dice = dice;
    this.#store = store;
    this.#simulator = simulator;
  }

  #compose(): string {
    const { old, other, guarded } = this.servers;
    const terms = "price_per_call: 0.002, timeout: 1s";
    const servers = [
      `old: { url: "${old.url}", ${terms} }`,
      `guarded: { url: "${guarded.url}", auth: { pass: ${PASS_HEADER} }, ${terms} }`,
      ...(this.#hasOther ? [`other: { url: "${other.url}", ${terms} }`] : []),
    ];
    return `server: { port: 0, admin_token: "${ADMIN_TOKEN}", drain: 1s }
store: "${this.#store}"
${providersYaml(this.#simulator.url)}
billing: { charge: always, markup: 1.5 }
quota: { requests_per_day: 0 }
mcp: { allowed_tools: ["*"], loop: { rounds: 4, total: 10s }, servers: { ${servers.join(", ")} } }
`;
  }

  async begin(): Promise<void> {
    await this.#join();
    await this.#join();
    const { url } = this.#pickNode();
    const rich = await this.#makeAccount(url, "rich", BALANCES.rich);
    const poor = await this.#makeAccount(url, "poor", BALANCES.poor);
    const budgets = [{ usd: BUDGET_USD, per: "day", models: ["mcp:*"] }];
    const frugal = await this.#makeOwner("frugal", rich, { budgets });
    const narrow = await this.#makeOwner("narrow", rich);
    const one = await this.#makeOwner("one", rich);
    const other = await this.#makeOwner("other", rich);
    const last = await this.#makeOwner("poor", poor);
    this.frugalKeyId = frugal.id;
    this.#narrowKeyId = narrow.id;
    const keys = [one, other, frugal, narrow, last].map(({ owner }) => owner);
    const sessions = [one, one, other].map(({ owner }, at) => this.#openSession(owner, at));
    this.#owners = [...keys, ...(await Promise.all(sessions))];
  }

  async #makeAccount(url: string, name: string, usd: number): Promise<string> {
    const id = String((await operate(url, "/accounts", { name })).id);
    await operate(url, `/accounts/${id}/topups`, { amount_usd: usd });
    this.accounts.push({ id, usd });
    return id;
  }

  async #makeOwner(name: string, account_id: string, fields: JsonObject = {}) {
    const made = await operate(this.#pickNode().url, "/keys", { name, account_id, ...fields });
    return { id: String(made.id), owner: { name, secret: String(made.secret), session: null, token: name } };
  }

  async #openSession(key: Owner, at: number): Promise<Owner> {
    const params = { protocolVersion: "2025-11-25" };
    const response = await fetch(`${this.#pickNode().url}/mcp`, {
      method: "POST",
      headers: { authorization: `Bearer ${key.secret}`, "content-type": "application/json" },
      body: JSON.stringify({ jsonrpc: "2.0", id: 1, method: "initialize", params }),
    });
    const name = `${key.name}-${at}`;
    return { ...key, name, token: name, session: response.headers.get("mcp-session-id") };
  }

  async run(): Promise<void> {
    for (let at = 0; at < STEPS; at++) {
      if (this.#alive.length === 0) await this.#join();
      await this.#step(at);
      await Bun.sleep(this.#dice.int(0, 15));
    }
    this.#down?.restart();
    await Promise.all(this.#running);
    for (const listener of this.#listening) listener.abort();
    if (this.#alive.length === 0) await this.#join();
  }

  async #step(at: number): Promise<void> {
    const dice = this.#dice.int(0, 99);
    if (dice < 40) this.#call(at);
    else if (dice < 58) this.#ask(at);
    else if (dice < 68) this.#pickServer().plan(this.#dice.pick(METHODS), this.#dice.pick(FAULTS));
    else if (dice < 71) this.#shake();
    else if (dice < 74) this.#changeEra();
    else if (dice < 80) await this.#endNode();
    else if (dice < 84 && this.#alive.length < NODES_MAX) await this.#join();
    else if (dice < 87) this.#reload();
    else if (dice < 90) this.#changeTools();
    else if (dice < 94) this.#listen();
    else if (dice < 97) await this.#changeRights();
    else await Promise.all(this.#running.splice(0));
  }

  get #alive(): readonly MortalNode[] {
    return this.nodes.filter(({ takesRequests }) => takesRequests);
  }

  /** A living node. */
  get url(): string {
    return this.#pickNode().url;
  }

  #pickNode(): MortalNode {
    return this.#dice.pick(this.#alive);
  }

  #pickServer(): ToolServerFake {
    return this.#dice.pick(Object.values(this.servers));
  }

  async #join(): Promise<void> {
    this.nodes.push(await MortalNode.start(this.#compose()));
  }

  #draw(): Manner {
    const dice = this.#dice.int(0, 9);
    if (dice === 0) return { ...PATIENT, leavesMs: this.#dice.int(0, 40) };
    if (dice === 1) return { ...PATIENT, cancelsMs: this.#dice.int(0, 40) };
    if (dice === 2) return { ...PATIENT, limitSeconds: this.#dice.int(1, 100) / 1000 };
    return PATIENT;
  }

  #note(owner: Owner, fields: Pick<Sent, "requestId" | "server" | "manner" | "texts" | "isLoop">): Sent {
    const mayCall = owner.name === "narrow" ? this.#mayCall : true;
    const node = this.#pickNode();
    const one: Sent = { ...fields, node, owner, isShaken: false, mayCall, outcome: null };
    this.sent.push(one);
    return one;
  }

  #call(at: number): void {
    const owner = this.#dice.pick(this.#owners);
    const server = this.#dice.pick(Object.keys(this.servers));
    const isSlow = this.#dice.chance(0.15);
    const manner = this.#draw();
    const once = this.#dice.chance(0.15) ? `once-${at}` : null;
    const call = { server, manner: { ...manner, once }, texts: [`${owner.name} ${at}`], isLoop: false };
    for (let times = once === null ? 1 : 2; times > 0; times--) {
      const one = this.#note(owner, { ...call, requestId: `call-${at}.${times}` });
      this.#follow(one, callTool(one, isSlow ? "slow" : "echo"));
    }
  }

  #ask(at: number): void {
    const owner = this.#dice.pick(this.#owners.filter(({ session }) => session === null));
    const server = this.#dice.pick(["old", "old", "guarded"]);
    const texts = Array.from({ length: this.#dice.int(0, 6) }, (_, number) => `${owner.name} ${at}-${number}`);
    const model = this.#dice.pick(this.#dice.chance(0.2) ? TROUBLES : MODELS);
    const stream = this.#dice.chance(0.5);
    const once = this.#dice.chance(0.15) ? `once-${at}` : null;
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
      this.#down = this.#pickServer();
      void this.#down.stop();
    } else {
      this.#down.restart();
      this.#down = null;
    }
  }

  #changeEra(): void {
    this.#shakeAll();
    const sessions = this.#dice.chance(0.5);
    this.#pickServer().options = { era: this.#dice.pick(ERAS), sessions };
  }

  async #endNode(): Promise<void> {
    const node = this.#pickNode();
    const dice = this.#dice.int(0, 3);
    if (dice === 0) this.#running.push(node.drain());
    else if (dice === 1) node.life.end();
    else node.life.endAt(this.#dice.int(1, 30), this.#dice.chance(0.5));
  }

  #reload(): void {
    this.#hasOther = !this.#hasOther;
    const yaml = this.#compose();
    for (const node of this.#alive) node.reload(yaml);
  }

  #changeTools(): void {
    const added = { name: `added${this.#dice.int(0, 9)}`, inputSchema: { type: "object" } };
    this.#pickServer().change([...TOOLS, added]);
  }

  #listen(): void {
    const { secret, session } = this.#dice.pick(this.#owners.filter((owner) => owner.session !== null));
    const node = this.#pickNode();
    const leaving = new AbortController();
    this.#listening.push(leaving);
    const headers = { authorization: `Bearer ${secret}`, accept: "text/event-stream", "mcp-session-id": session ?? "" };
    const signal = AbortSignal.any([leaving.signal, node.life.signal]);
    void fetch(`${node.url}/mcp`, { headers, signal, keepalive: false })
      .then((response) => response.text())
      .catch(() => {});
    if (this.#dice.chance(0.3)) setTimeout(() => leaving.abort(), this.#dice.int(0, 50));
  }

  async #changeRights(): Promise<void> {
    const doubt = () => {
      for (const one of this.sent) if (one.owner.name === "narrow" && one.outcome === null) one.mayCall = null;
    };
    doubt();
    const mayCall = !this.#mayCall;
    const changed = await this.#patch({ allowed_tools: mayCall ? null : [] });
    if (changed) this.#mayCall = mayCall;
    doubt();
  }

  /** Returns false if the node ended meanwhile. */
  async #patch(fields: JsonObject): Promise<boolean> {
    const node = this.#pickNode();
    try {
      const response = await fetch(`${node.url}/admin/v1/keys/${this.#narrowKeyId}`, {
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

  async readRows(): Promise<readonly JsonObject[]> {
    const rows: JsonObject[] = [];
    for (let after: unknown = ""; after !== null; ) {
      const from = after === "" ? "" : `&after=${encodeURIComponent(String(after))}`;
      const page = await operate(this.url, `/requests?limit=200${from}`);
      rows.push(...asArray(page.data).map(asObject));
      after = page.next ?? null;
    }
    return rows;
  }

  async end(): Promise<void> {
    await Promise.all(this.#alive.map((node) => node.drain()));
    for (const server of Object.values(this.servers)) await server.stop();
  }
}
