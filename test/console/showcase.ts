// A gateway with believable people, money and a month of traffic, for pictures and tours of the console.
import { Database } from "bun:sqlite";
import { join } from "node:path";
import type { JsonObject } from "../../src/core/json/json.ts";
import type { UnderTest } from "../harness/harness.ts";
import { SocketClient } from "../http/sockets/client.ts";
import { createOperator, type Operator } from "../whole/world/operator.ts";
import { until } from "../whole/world/until.ts";
import { type PeopleWorld, startPeopleWorld } from "./people.ts";
import type { Items } from "./views.ts";

const DAY_MS = 86_400_000;
const DAYS = 30;
/** Sums are there for twice as long, so that there is a period to compare with. */
const SUMMED_DAYS = 2 * DAYS + 1;
/** A sum stands for as many times the requests that were sent. */
const SCALE = 25;
/** The most that a provider waits before its first byte. */
const LATENCY_MS = 160;
const inDays = (days: number) => new Date(Date.now() + days * DAY_MS).toISOString();
const CONFIGURATION = `log: { content: true }
aliases:
  house: "Router#fair"
  fast: "OpenAI#gpt-5.4-mini"
  team: [{ model: "OpenAI#gpt-5.4", weight: 3 }, { model: "Anthropic#claude-sonnet-5", weight: 1 }]
models: { "Google#gemini-3.5-flash": { fallbacks: ["OpenAI#gpt-5.4-mini"] } }
webhooks: [{ url: "http://127.0.0.1:9/hook", secret: "whsec_MDEyMzQ1Njc4OWFiY2RlZjAxMjM0NTY3ODlhYmNkZWY=" }]
router: { rules: [{ category: coding, at_least: 0.9, models: ["Anthropic#claude-sonnet-5"] }], explore: 0.01 }`;

const PROMPTS = [
  "Summarise the incident report of last night in five lines.",
  "Prove that there are infinitely many primes.",
  "Write a function in Python that merges two sorted lists.",
  "Translate the following sentence into Portuguese: the parcel is on its way.",
  "Which of these three error messages would a new user understand best, and why?",
];
const MODELS = [
  "OpenAI#gpt-5.4",
  "Anthropic#claude-sonnet-5",
  "Router#fair",
  "OpenAI#gpt-5.4-mini",
  "house",
  "Router#best",
  "Mistral#mistral-large-2512",
  "Router#light",
  "team",
];

const CACHED = 6;
const CACHED_MESSAGE = { role: "user", content: PROMPTS[0] };
const CACHED_BODY = { model: MODELS[0], messages: [CACHED_MESSAGE] };

export interface Showcase extends PeopleWorld {
  readonly items: Items;
  readonly operator: Operator;
  /** Ends the provider's trouble, and returns once nothing needs anybody for it. */
  readonly recover: () => Promise<void>;
  /** The id of a personal key of `items.person`, who is a member. */
  readonly memberKey: string;
}

interface Key {
  readonly id: string;
  readonly secret: string;
}
type Keys = Readonly<Record<"web" | "support" | "agents" | "nightly", Key>>;

/** Google's API answers with 503 while it is in trouble. */
export async function startShowcase(): Promise<Showcase> {
  const trouble = { isOn: true };
  let calls = 0;
  const world = await startPeopleWorld({
    more: CONFIGURATION,
    fetch: async (url, init) =>
      trouble.isOn && url.includes("/gemini/")
        ? Response.json(
            { error: { code: 503, status: "UNAVAILABLE", message: "The model is overloaded." } },
            { status: 503 },
          )
        : fetch(url, slow(init, 40 + ((calls++ * 37) % LATENCY_MS))),
  });
  const operator = createOperator(world.gateway);
  const team = await addAccounts(world.gateway, operator);
  const keys = await addKeys(world.gateway, team);
  const own = await addPeople(world, team);
  const request = await sendRequests(world.gateway, operator, [keys.web, keys.support, keys.agents, own]);
  const socket = await openSocket(world.gateway, keys.agents);
  const [turn] = await operator.all("/requests?transport=ws", 100);
  await refuseSome(world.gateway, keys);
  await spreadOverDays(world.gateway, operator);
  await operator.post("/tokens", { name: "Nightly report", role: "viewer" });
  await operator.post("/aliases", { name: "drafts", target: "Mistral#mistral-large-2512" });
  return {
    ...world,
    items: { request, turn: String(turn?.id), account: team, key: keys.web.id, person: "mem_grace" },
    operator,
    stop: () => {
      socket.close();
      return world.stop();
    },
    recover: async () => {
      trouble.isOn = false;
      const isOver = async () => {
        await (
          await world.gateway.chat({ model: "Google#gemini-3.5-flash", messages: [CACHED_MESSAGE] })
        ).text();
        return !(await operator.get("/problems")).text.includes("Google");
      };
      await until("the provider answers again", isOver, RECOVERY_MS);
    },
    memberKey: own.id,
  };
}

const RECOVERY_MS = 120_000;

/** Asks the simulator to take its time. */
function slow(init: RequestInit | undefined, latencyMs: number): RequestInit {
  const headers = new Headers(init?.headers);
  headers.set("x-sim", `~latency=${latencyMs}~pace=14`);
  return { ...init, headers };
}

/** Returns the id of the account that has people. */
async function addAccounts(gateway: UnderTest, operator: Operator): Promise<string> {
  const research = await gateway.newAccount("Research");
  const support = await gateway.newAccount("Customer support, Europe");
  await operator.patch(`/accounts/${research}`, {
    time_zone: "Europe/Berlin",
    balance_low_usd: 20,
    budgets: [{ usd: 200, per: "month" }],
    member_defaults: { parallel: 4, budgets: [{ usd: 50, per: "month", models: ["OpenAI#*"] }] },
  });
  await operator.post(`/accounts/${research}/topups`, { amount_usd: 250, note: "Invoice 2026-118" });
  await operator.post(`/accounts/${research}/adjustments`, { amount_usd: -12.5, reason: "Credited twice" });
  await operator.post(`/accounts/${support}/topups`, { amount_usd: 0.75 });
  await operator.post("/accounts/default/topups", { amount_usd: 40, note: "First deposit" });
  return research;
}

async function addKeys(gateway: UnderTest, team: string): Promise<Keys> {
  const keys = {
    web: await gateway.newKey({
      name: "web-frontend",
      account_id: team,
      requests_per_day: null,
      tags: { team: "search", env: "prod" },
      budgets: [{ usd: 0.02, per: "day" }],
      requests_per_minute: 600,
      notes: "Ask Ann before changing",
    }),
    support: await gateway.newKey({
      name: "support-bot",
      tags: { team: "support" },
      requests_per_day: 60,
      spend_limit_usd: 5,
    }),
    agents: await gateway.newKey({ name: "claude-code", account_id: team, requests_per_day: null }),
    nightly: await gateway.newKey({
      name: "nightly-evaluation-of-all-models-and-prompts",
      requests_per_day: 2,
      allowed_models: ["OpenAI#*"],
      expires_at: inDays(5),
    }),
  };
  const operator = createOperator(gateway);
  await operator.patch(`/keys/${(await gateway.newKey({ name: "intern-2025" })).id}`, { paused: true });
  await operator.delete(`/keys/${(await gateway.newKey({ name: "leaked-in-a-gist" })).id}`);
  return keys;
}

/** Returns the key of a member, who has asked for more. */
async function addPeople(world: PeopleWorld, team: string): Promise<Key> {
  const signedIn = { createdAtMs: Date.now() - 90 * DAY_MS };
  await world.add("Ada", [{ role: "admin", accountId: null }], signedIn);
  await world.add("Lin", [{ role: "manager", accountId: team }], signedIn);
  await world.add("Ray", [{ role: "billing", accountId: null }], { ...signedIn, isDisabled: true });
  const id = await world.add("Grace", [{ role: "member", accountId: team }], signedIn);
  const grace = await world.openAs(id);
  const post = (path: string, body: JsonObject) =>
    grace.page.evaluate(
      async ([url, text]) => {
        const headers = { "content-type": "application/json" };
        return (await fetch(url, { method: "POST", headers, body: text })).json();
      },
      [`/admin/v1${path}`, JSON.stringify(body)] as const,
    );
  await post("/limit-requests", {
    account_id: team,
    budget: { per: "month", models: ["OpenAI#*"] },
    amount: 20,
    until: inDays(7),
    reason: "The demo for the trade fair",
  });
  const key = await post("/keys", { name: "My laptop", account_id: team, kind: "personal" });
  await grace.leave();
  return key;
}

/** Returns the id of a request whose first attempt failed. */
async function sendRequests(
  gateway: UnderTest,
  operator: Operator,
  senders: readonly Key[],
): Promise<string> {
  for (let count = 0; count < CACHED; count++)
    await (
      await gateway.chat(CACHED_BODY, {
        headers: { "x-poundkey-cache": "on" },
        secret: senders[0]?.secret ?? "",
      })
    ).text();
  for (let count = 0; count < 60; count++) {
    const sender = senders[count % senders.length];
    const model = count % 12 === 7 ? "Google#gemini-3.5-flash" : MODELS[count % MODELS.length];
    const messages = [{ role: "user", content: PROMPTS[count % PROMPTS.length] }];
    const session: Record<string, string> =
      sender === senders[2] ? { "session-id": `agent-${count % 4}` } : {};
    const init = { headers: session, ...(sender ? { secret: sender.secret } : {}) };
    await (await gateway.chat({ model, messages, stream: count % 3 !== 0 }, init)).text();
  }
  const rows = await operator.all("/requests", 100);
  const found = rows.find(({ attempts, status }) => Number(attempts) > 1 && status === 200);
  return String((found ?? rows[0])?.id);
}

/** Opens a WebSocket on which an agent works, and has its conversation summarised once. It stays open. */
async function openSocket({ url }: UnderTest, { secret }: Key): Promise<SocketClient> {
  const socket = await new SocketClient(url, secret, { "session-id": "agent-socket" }).open();
  const model = "Anthropic#claude-sonnet-5";
  const message = (content: string) => ({ type: "message", role: "user", content });
  for (const prompt of PROMPTS.slice(0, 4)) await socket.create({ model, input: [message(prompt)] });
  await socket.create({ model, input: [message("Go on."), { type: "compaction_trigger" }] });
  return socket;
}

/** Sends requests that are refused, and one that fails. */
async function refuseSome(gateway: UnderTest, { nightly, web }: Keys): Promise<void> {
  const messages = [{ role: "user", content: "Hello!" }];
  const ask = async (model: string, secret: string) =>
    (await gateway.chat({ model, messages }, { secret })).text();
  for (let count = 0; count < 8; count++) await ask("OpenAI#gpt-5.4", nightly.secret);
  await ask("Anthropic#claude-sonnet-5", nightly.secret);
  await ask("OpenAI#gpt-5.4", "sk-unknown-to-this-gateway");
  for (let count = 0; count < 3; count++) await ask("OpenAI#gpt-5.4", `${web.secret.slice(0, 12)}`);
  await (await gateway.chat({ model: "OpenAI#sim-mini~trouble=500", messages })).text();
}

/** Copies today's requests and their sums over the days before, fewer of them at weekends. */
async function spreadOverDays(gateway: UnderTest, operator: Operator): Promise<void> {
  await until("today's requests are summed", async () => {
    const { body } = await operator.get("/usage?group_by=day");
    return /"requests":[678]\d,"errors":[1-9]/.test(JSON.stringify(body));
  });
  const file = new Database(join(gateway.directory, "poundkey.db"));
  file.run("PRAGMA busy_timeout = 5000");
  const copy: Copy = (table, changed, where) => {
    const names = file
      .query<{ name: string }, []>(`SELECT name FROM pragma_table_info('${table}')`)
      .all()
      .map(({ name }) => name);
    const values = names.map((name) => changed[name] ?? name).join(", ");
    file.run(`INSERT OR IGNORE INTO ${table} (${names.join(", ")}) SELECT ${values} FROM ${table} ${where}`);
  };
  const latest = file.query<{ ms: number }, []>("SELECT max(hour_ms) AS ms FROM hourly_usage").get()?.ms ?? 0;
  for (let hours = 1; hours < SUMMED_DAYS * 24; hours++) copySums(copy, latest, hours);
  file.run("CREATE TEMP TABLE first AS SELECT id FROM request");
  const id = "'chatcmpl-' || lower(hex(randomblob(16)))";
  for (let days = 1; days < DAYS; days++)
    copy(
      "request",
      {
        id,
        at_ms: `at_ms - ${days * DAY_MS} + abs(random() % 20000000)`,
        session: "NULL",
        socket_id: "NULL",
      },
      "WHERE id IN (SELECT id FROM first)",
    );
  file.close();
}

type Copy = (table: string, changed: Readonly<Record<string, string>>, where: string) => void;

const SUMS = [
  ...(["requests", "errors", "prompt_tokens", "completion_tokens"] as const),
  ...(["cost_nano", "charged_nano", "cached", "saved_nano"] as const),
];

/** Copies the sums of the latest hour to an hour before. */
function copySums(copy: Copy, latest: number, hours: number): void {
  const at = new Date(latest - hours * 3_600_000);
  const isQuiet = at.getUTCDay() % 6 === 0 || at.getUTCHours() < 6 || at.getUTCHours() > 19;
  const wave = 0.6 + 0.4 * Math.sin(hours / 9) ** 2;
  const share = SCALE * (isQuiet ? 0.1 : 1) * wave * (1 - hours / (SUMMED_DAYS * 40));
  const scaled = SUMS.map((name) => [name, `CAST(round(${name} * ${share}) AS INTEGER)`]);
  const shifted = { hour_ms: `hour_ms - ${hours * 3_600_000}` };
  const where = `WHERE hour_ms = ${latest}`;
  copy("hourly_usage", { ...shifted, ...Object.fromEntries(scaled) }, where);
  const slower = Math.round(1.5 * Math.sin(hours / 60));
  copy("first_token_hour", { ...shifted, bucket: `bucket + ${slower}` }, where);
}
