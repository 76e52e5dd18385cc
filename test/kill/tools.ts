// Clients of tools, of whose gateway the end may come at any moment, and what they were answered.
import { asNumber, asObject, type JsonObject, parseJson } from "../../src/core/json/json.ts";
import { askModel, type Owner, PATIENT, type Sent } from "../http/tools/days/clients.ts";
import { post } from "../store/nodes/gateway.ts";

/** Twenty clients make two hundred calls a second. */
export const CLIENTS = 20;
const PERIOD_MS = 100;
/** As many more ask models that call tools. */
export const LOOPS = 4;
/** Begins their names, and the texts of their calls. */
export const LOOP = "loop";
/** Each fifth call may be sent again by its client. */
const KEYED_EVERY = 5;

/** One sending of a call. */
export interface SentCall {
  readonly text: string;
  readonly requestId: string;
  /** USD, or null without an answer. */
  readonly charged: number | null;
}

export class ToolClient {
  readonly name: string;
  readonly secret: string;
  readonly sent: SentCall[] = [];
  /** Answers that nothing explains. */
  readonly wrong: string[] = [];
  session = "";
  #calls = 0;
  /** A call with an Idempotency-Key that has no answer yet. */
  #unanswered: string | null = null;

  constructor(name: string, secret: string) {
    this.name = name;
    this.secret = secret;
  }

  /** Opens the session that it keeps over all kills. */
  async begin(url: string): Promise<void> {
    this.session = await openSession(url, this.secret);
    await this.#call(url);
  }

  /** Calls on until the gateway is gone. */
  async run(url: string): Promise<void> {
    for (let isThere = true; isThere; ) {
      const startedMs = performance.now();
      isThere = await this.#call(url);
      await Bun.sleep(Math.max(0, PERIOD_MS - (performance.now() - startedMs)));
    }
  }

  async #call(url: string): Promise<boolean> {
    const number = ++this.#calls;
    const isKeyed = this.#unanswered !== null || number % KEYED_EVERY === 0;
    const text = this.#unanswered ?? `${this.name}-${number}${isKeyed ? "-keyed" : ""}`;
    const requestId = `${text}.${number}`;
    const params = { name: "old_echo", arguments: { text } };
    const headers = {
      "mcp-session-id": this.session,
      "x-request-id": requestId,
      ...(isKeyed ? { "idempotency-key": text } : {}),
    };
    if (isKeyed) this.#unanswered = text;
    try {
      const message = { jsonrpc: "2.0", id: number, method: "tools/call", params };
      const response = await post(`${url}/mcp`, this.secret, message, headers);
      const read = await response.text();
      if (!read.includes(`"echo: ${text}"`)) this.wrong.push(`${requestId}: ${response.status} ${read}`);
      const charged = asNumber(Number(response.headers.get("x-poundkey-charged"))) ?? null;
      const isRepeat = response.headers.has("x-poundkey-replayed");
      this.sent.push({ text, requestId, charged: isRepeat ? null : charged });
      if (isKeyed) this.#unanswered = null;
      return true;
    } catch {
      this.sent.push({ text, requestId, charged: null });
      return false;
    }
  }
}

export async function openSession(url: string, secret: string): Promise<string> {
  const params = { protocolVersion: "2025-11-25" };
  const begin = { jsonrpc: "2.0", id: 0, method: "initialize", params };
  const response = await post(`${url}/mcp`, secret, begin);
  await response.text();
  return response.headers.get("mcp-session-id") ?? "";
}

/** A client whose models call tools, two or three to a response. */
export class LoopClient {
  readonly owner: Owner;
  readonly sent: Sent[] = [];

  constructor(name: string, secret: string) {
    this.owner = { name, secret, session: null, token: "" };
  }

  get answered(): number {
    return this.sent.filter(({ outcome }) => outcome?.kind === "answer").length;
  }

  /** Asks on until the gateway is gone. */
  async run(url: string): Promise<void> {
    const node = { url, life: { signal: new AbortController().signal, isOver: false } };
    for (let isThere = true; isThere; ) {
      const number = this.sent.length;
      const { owner } = this;
      const requestId = `${owner.name}-${number}`;
      const texts = Array.from({ length: 2 + (number % 2) }, (_, at) => `${requestId}-${at}`);
      const asked = { requestId, node, owner, server: "old", manner: PATIENT, texts, isLoop: true };
      const one: Sent = { ...asked, isShaken: false, mayCall: true, outcome: null };
      this.sent.push(one);
      one.outcome = await askModel(one, "OpenAI#gpt-5.4", number % 4 < 2);
      isThere = one.outcome.kind !== "cut";
    }
  }
}

/** Returns the server's sessions by the client whose calls came in them. */
export function listSessions(
  seen: readonly { readonly params: JsonObject; readonly headers: Readonly<Record<string, string>> }[],
): ReadonlyMap<string, ReadonlySet<string>> {
  const sessions = new Map<string, Set<string>>();
  for (const { params, headers } of seen) {
    const [client = ""] = String(asObject(params.arguments).text).split("-");
    const own = sessions.get(client) ?? new Set();
    own.add(headers["mcp-session-id"] ?? "none");
    sessions.set(client, own);
  }
  return sessions;
}

/** Returns the status of a list that is asked for within a session. */
export async function tryList(url: string, secret: string, session: string): Promise<number> {
  const ask = { jsonrpc: "2.0", id: 1, method: "tools/list" };
  const response = await post(`${url}/mcp`, secret, ask, { "mcp-session-id": session });
  parseJson(await response.text());
  return response.status;
}

/** True for the arguments of a call that a model has made. */
export function isOfLoop(params: JsonObject): boolean {
  return String(asObject(params.arguments).text).startsWith(LOOP);
}
