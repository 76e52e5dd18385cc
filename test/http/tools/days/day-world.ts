// The parts of a day of tools: nodes on one store, tool servers, accounts, and keys with and without sessions.
import { asArray, asObject, type JsonObject } from "../../../../src/core/json/json.ts";
import { providersYaml } from "../../../harness/harness.ts";
import type { Dice } from "../../../sim/dice.ts";
import type { Simulator } from "../../../simulator/server.ts";
import { ToolServerFake } from "../../../simulator/tools/tool-server.ts";
import { ADMIN_TOKEN, operate } from "../../../store/nodes/gateway.ts";
import { type Owner, PASS_HEADER } from "./clients.ts";
import { MortalNode } from "./mortal.ts";

/** Of a call in nano-dollars, with the markup. */
export const PRICE = 3_000_000;
/** In USD. The poor account's balance ends within the day, and so does the budget of the frugal key. */
const BALANCES = { rich: 100, poor: 0.06 };
export const BUDGET_USD = 0.03;

export class DayWorld {
  readonly dice: Dice;
  readonly #store: string;
  readonly #simulator: Simulator;
  readonly servers = {
    old: new ToolServerFake({ era: "older", sessions: true }),
    other: new ToolServerFake({ era: "newer" }),
    guarded: new ToolServerFake({ era: "older", sessions: true }),
  };
  readonly accounts: { readonly id: string; readonly usd: number }[] = [];
  readonly nodes: MortalNode[] = [];
  owners: readonly Owner[] = [];
  frugalKeyId = "";
  narrowKeyId = "";
  /** False while the configuration lacks one of the servers. */
  hasOther = true;

  constructor(dice: Dice, store: string, simulator: Simulator) {
    this.dice = dice;
    this.#store = store;
    this.#simulator = simulator;
  }

  compose(): string {
    const { old, other, guarded } = this.servers;
    const terms = "price_per_call: 0.002, timeout: 1s";
    const servers = [
      `old: { url: "${old.url}", ${terms} }`,
      `guarded: { url: "${guarded.url}", auth: { pass: ${PASS_HEADER} }, ${terms} }`,
      ...(this.hasOther ? [`other: { url: "${other.url}", ${terms} }`] : []),
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
    await this.join();
    await this.join();
    const { url } = this.pickNode();
    const rich = await this.#makeAccount(url, "rich", BALANCES.rich);
    const poor = await this.#makeAccount(url, "poor", BALANCES.poor);
    const budgets = [{ usd: BUDGET_USD, per: "day", models: ["mcp:*"] }];
    const frugal = await this.#makeOwner("frugal", rich, { budgets });
    const narrow = await this.#makeOwner("narrow", rich);
    const one = await this.#makeOwner("one", rich);
    const other = await this.#makeOwner("other", rich);
    const last = await this.#makeOwner("poor", poor);
    this.frugalKeyId = frugal.id;
    this.narrowKeyId = narrow.id;
    const keys = [one, other, frugal, narrow, last].map(({ owner }) => owner);
    const sessions = [one, one, other].map(({ owner }, at) => this.#openSession(owner, at));
    this.owners = [...keys, ...(await Promise.all(sessions))];
  }

  async #makeAccount(url: string, name: string, usd: number): Promise<string> {
    const id = String((await operate(url, "/accounts", { name })).id);
    await operate(url, `/accounts/${id}/topups`, { amount_usd: usd });
    this.accounts.push({ id, usd });
    return id;
  }

  async #makeOwner(name: string, account_id: string, fields: JsonObject = {}) {
    const made = await operate(this.pickNode().url, "/keys", { name, account_id, ...fields });
    return { id: String(made.id), owner: { name, secret: String(made.secret), session: null, token: name } };
  }

  async #openSession(key: Owner, at: number): Promise<Owner> {
    const params = { protocolVersion: "2025-11-25" };
    const response = await fetch(`${this.pickNode().url}/mcp`, {
      method: "POST",
      headers: { authorization: `Bearer ${key.secret}`, "content-type": "application/json" },
      body: JSON.stringify({ jsonrpc: "2.0", id: 1, method: "initialize", params }),
    });
    const name = `${key.name}-${at}`;
    return { ...key, name, token: name, session: response.headers.get("mcp-session-id") };
  }

  get alive(): readonly MortalNode[] {
    return this.nodes.filter(({ takesRequests }) => takesRequests);
  }

  /** A living node. */
  get url(): string {
    return this.pickNode().url;
  }

  pickNode(): MortalNode {
    return this.dice.pick(this.alive);
  }

  pickServer(): ToolServerFake {
    return this.dice.pick(Object.values(this.servers));
  }

  async join(): Promise<void> {
    this.nodes.push(await MortalNode.start(this.compose()));
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

  async drain(): Promise<void> {
    await Promise.all(this.alive.map((node) => node.drain()));
  }

  async end(): Promise<void> {
    for (const server of Object.values(this.servers)) await server.stop();
  }
}
