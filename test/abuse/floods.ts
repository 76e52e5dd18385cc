// `bun test/abuse/floods.ts [SHARE]`: floods a gateway with each thing that one person or stranger could have much of, while
// others go on. SHARE (1) makes all of it smaller. Prints for each flood what others had meanwhile and the gateway's memory.
// Exits with 1 if others were stopped, something was made twice, or memory grew by more than 50 MB.
import { readFileSync } from "node:fs";
import { asArray, asObject } from "../../src/core/json/json.ts";
import { newPlace, startServe } from "../harness/serve-process.ts";
import type { Browser } from "../people/sign-in/browser.ts";
import { startFront } from "../people/sign-in/front.ts";
import { startProvider } from "../people/sign-in/provider.ts";
import { askAs, oidcYaml, signInAs } from "../people/sign-in/world.ts";
import { startSimulator } from "../simulator/server.ts";
import { Others } from "./flood-others.ts";

const problems: string[] = [];
const SHARE = Number(process.argv[2] ?? 1);
const CODES = Math.ceil(10_000 * SHARE);
const LISTENERS = 20;
const MAKINGS = Math.ceil(500 * SHARE);
const REPEATS = Math.max(5, Math.ceil(100 * SHARE));
const ENDLESS_BYTES = Math.ceil(1_000_000_000 * SHARE);
const GROWTH_MAX_MB = 50;
const AT_ONCE = 16;
const ADMIN_TOKEN = "an-admin-token-of-the-floods";

const simulator = await startSimulator({ host: "127.0.0.1", port: 0 });
const front = startFront();
const provider = await startProvider(front.url);
const CHUNK = new Uint8Array(1_000_000);
/** Servers that answer with 1 GB, as long as somebody reads. */
const endless = Bun.serve({
  port: 0,
  hostname: "127.0.0.1",
  idleTimeout: 0,
  fetch() {
    let left = ENDLESS_BYTES;
    const body = new ReadableStream<Uint8Array>({
      pull(controller) {
        controller.enqueue(CHUNK);
        left -= CHUNK.length;
        if (left <= 0) controller.close();
      },
    });
    return new Response(body, { headers: { "content-type": "application/json" } });
  },
});
const alerts: number[] = [];
const receiver = Bun.serve({
  port: 0,
  hostname: "127.0.0.1",
  async fetch(request) {
    const { type } = asObject(await request.json());
    if (type === "budget.warned") alerts.push(Date.now());
    return new Response(null, { status: 204 });
  },
});
const secret = `whsec_${Buffer.alloc(32, 1).toString("base64")}`;
const place =
  newPlace(`server: { port: 0, admin_token: "${ADMIN_TOKEN}", public_url: "${front.url}", trusted_proxies: ["127.0.0.1/32"] }
store: "sqlite:poundkey.db"
${oidcYaml(provider.issuer, "rules: [{ group: staff, role: member, accounts: [default] }], members: { keys: 10, keys_per_hour: 1000 }")}
providers:
  Local:
    keys: [k]
    dialect: openai
    base_url: "${simulator.url}/openai/v1"
    models: [{ name: echo, context: 128000, price: { input: 1000, output: 1000 } }]
webhooks:
  - { url: "http://127.0.0.1:${receiver.port}/", secret: "${secret}", events: ["budget.*"] }
  - { url: "http://127.0.0.1:${endless.port}/", secret: "${secret}", events: ["key.*", "audit.*"] }
`);
const serving = startServe(place);
const url = await serving.listens();
front.lead(url);

async function admin(
  method: string,
  path: string,
  body?: object,
  more: Readonly<Record<string, string>> = {},
) {
  const headers = { authorization: `Bearer ${ADMIN_TOKEN}`, "content-type": "application/json", ...more };
  const sent = { method, headers, ...(body === undefined ? {} : { body: JSON.stringify(body) }) };
  const answer = await fetch(`${url}/admin/v1${path}`, sent);
  const text = await answer.text();
  return { status: answer.status, body: asObject(text === "" ? {} : JSON.parse(text)) };
}

function readMemoryMb(): number {
  const [, kb = "0"] = /VmRSS:\s+(\d+)/.exec(readFileSync(`/proc/${serving.pid}/status`, "utf8")) ?? [];
  return Number(kb) / 1024;
}

async function chat(bearer: string): Promise<number> {
  const headers = { authorization: `Bearer ${bearer}`, "content-type": "application/json" };
  const body = JSON.stringify({
    model: "Local#echo",
    max_tokens: 5,
    messages: [{ role: "user", content: "say: good day" }],
  });
  const answer = await fetch(`${url}/v1/chat/completions`, { method: "POST", headers, body });
  await answer.text();
  return answer.status;
}

async function runAll(count: number, task: (at: number) => Promise<unknown>): Promise<void> {
  let next = 0;
  const work = async () => {
    for (let at = next++; at < count; at = next++) await task(at);
  };
  await Promise.all(Array.from({ length: AT_ONCE }, work));
}

/** From few networks of 256 addresses, 20 each. */
async function floodCodes(): Promise<string> {
  const statuses = new Map<number, number>();
  await runAll(CODES, async (at) => {
    const forwarded = `198.51.${Math.floor(at / 5120) % 256}.${Math.floor(at / 20) % 256}`;
    const answer = await fetch(`${url}/oauth/device_authorization`, {
      method: "POST",
      body: new URLSearchParams({ client_id: "claude-code" }),
      headers: { "x-forwarded-for": forwarded },
    });
    await answer.text();
    statuses.set(answer.status, (statuses.get(answer.status) ?? 0) + 1);
  });
  const elsewhere = await fetch(`${url}/oauth/device_authorization`, {
    method: "POST",
    body: new URLSearchParams({ client_id: "claude-code" }),
    headers: { "x-forwarded-for": "203.0.113.9" },
  });
  if (elsewhere.status !== 200) problems.push(`an agent elsewhere gets ${elsewhere.status}`);
  return `${CODES} codes: ${JSON.stringify(Object.fromEntries(statuses))}`;
}

async function floodListeners(member: Browser): Promise<string> {
  const leaving = new AbortController();
  const at = `${url}/admin/v1/requests/live`;
  const headers = { cookie: member.cookies(`${front.url}/admin/v1/requests/live`), origin: front.url };
  const own = await Promise.all(
    Array.from({ length: LISTENERS }, () => fetch(at, { headers, signal: leaving.signal })),
  );
  const theirs = { authorization: `Bearer ${ADMIN_TOKEN}` };
  const admins = await fetch(at, { headers: theirs, signal: leaving.signal });
  if (admins.status !== 200) problems.push(`an admin's listener gets ${admins.status}`);
  await Bun.sleep(2000);
  leaving.abort();
  return `${LISTENERS} listeners of a member: ${own.map(({ status }) => status).join(" ")}`;
}

async function floodMakings(member: Browser): Promise<string> {
  let made = 0;
  let slowed = 0;
  for (let at = 0; at < MAKINGS; at++) {
    const { status, body } = await askAs(member, front.url, "/keys", {
      method: "POST",
      body: JSON.stringify({ name: `made ${at}`, account_id: "default" }),
    });
    if (status !== 201) {
      slowed++;
      continue;
    }
    made++;
    await askAs(member, front.url, `/keys/${asObject(body).id}`, { method: "DELETE" });
  }
  return `${MAKINGS} makings: ${made} made, ${slowed} slowed down`;
}

/** Each POST that makes something, again and again under its own Idempotency-Key. */
async function floodRepeats(): Promise<string> {
  const account = await admin("POST", "/accounts", { name: "Repeats" });
  const key = await admin("POST", "/keys", { name: "repeats" });
  const token = await admin("POST", "/tokens", { name: "repeats", role: "viewer" });
  const posts: readonly (readonly [string, object])[] = [
    ["/accounts", { name: "Twin" }],
    ["/keys", { name: "twin" }],
    [`/keys/${key.body.id}/rotate`, {}],
    ["/tokens", { name: "twin", role: "viewer" }],
    [`/tokens/${token.body.id}/take`, {}],
    ["/aliases", { name: "twin", target: "Local#echo" }],
    [`/accounts/${account.body.id}/topups`, { amount_usd: 5 }],
    [`/accounts/${account.body.id}/adjustments`, { amount_usd: 1, reason: "a flood" }],
  ];
  const words: string[] = [];
  for (const [path, body] of posts) {
    const answers: string[] = [];
    await runAll(REPEATS, async () => {
      const { status, body: made } = await admin("POST", path, body, { "idempotency-key": `flood${path}` });
      answers.push(`${status} ${JSON.stringify(made)}`);
    });
    const kinds = new Set(answers);
    const [first = ""] = answers;
    if (kinds.size !== 1 || !first.startsWith("20"))
      problems.push(`${path} is answered in ${kinds.size} ways: ${first.slice(0, 200)}`);
    words.push(`${path.split("/").at(-1)} ${first.slice(0, 3)}`);
  }
  const { body } = await admin("GET", `/accounts/${account.body.id}`);
  if (body.balance_usd !== 6) problems.push(`the balance is ${body.balance_usd}`);
  for (const list of ["/accounts", "/keys", "/tokens"]) {
    const rows = asArray((await admin("GET", `${list}?limit=200`)).body.data).map(asObject);
    if (rows.filter(({ name }) => name === "twin" || name === "Twin").length !== 1)
      problems.push(`${list} has twins`);
  }
  return `${REPEATS} repeats each: ${words.join(", ")}`;
}

/** The webhook has had endless answers all the time. Now the issuer has them, too. */
async function floodAnswers(member: Browser): Promise<string> {
  provider.lead(`http://127.0.0.1:${endless.port}`);
  const statuses: number[] = [];
  await runAll(AT_ONCE * 4, async () => {
    const answer = await fetch(`${url}/auth/oidc/start`, { redirect: "manual" });
    await answer.text();
    statuses.push(answer.status);
  });
  for (let at = 0; at < 20; at++) await admin("POST", "/keys", { name: `told of ${at}` });
  await Bun.sleep(3000);
  provider.rest(false);
  const { status } = await askAs(member, front.url, "/keys");
  return `endless answers: starts are ${[...new Set(statuses)].join(" ")}, a session ${status}`;
}

/** Runs a flood beside the others and prints what became of both. */
async function play(bearer: string, flood: () => Promise<string>, signsIn = true): Promise<void> {
  const beforeMb = readMemoryMb();
  let peakMb = beforeMb;
  const sampling = setInterval(() => {
    peakMb = Math.max(peakMb, readMemoryMb());
  }, 250);
  const others = new Others({ url: front.url, alerts, chat, admin }, bearer);
  const words = await flood();
  await Bun.sleep(5000);
  await others.stop();
  clearInterval(sampling);
  const times = others.times.toSorted((one, other) => one - other);
  const p99 = times[Math.floor(times.length * 0.99)] ?? 0;
  // While the issuer can't be read, sign-ins are refused: that is what is played.
  const wrong = signsIn ? others.wrong : others.wrong.filter((one) => !one.startsWith("a sign-in"));
  problems.push(...wrong.map((one) => `${words}: ${one}`));
  console.log(words);
  console.log(
    `  others: ${times.length} answers, p99 ${p99.toFixed(0)} ms, ${others.signIns} sign-ins, alerts within ${others.alertMs} ms`,
  );
  console.log(
    `  memory: ${beforeMb.toFixed(0)} → ${readMemoryMb().toFixed(0)} MB, at most ${peakMb.toFixed(0)}`,
  );
}

provider.people.set("ann", { name: "Ann", groups: ["staff"] });
provider.people.set("mia", { name: "Mia", groups: ["staff"] });
const { body: own } = await admin("POST", "/keys", { name: "others", requests_per_day: null });
const bearer = String(own.secret);
const { browser: member } = await signInAs({ url: front.url }, "mia");
await play(bearer, async () => {
  for (let at = 0; at < 300; at++) await chat(bearer);
  return "warm-up";
});
const firstMb = readMemoryMb();
await play(bearer, floodCodes);
await play(bearer, () => floodListeners(member));
await play(bearer, () => floodMakings(member));
await play(bearer, floodRepeats);
await play(bearer, () => floodAnswers(member), false);
await Bun.sleep(10_000);
const grownMb = readMemoryMb() - firstMb;
console.log(`memory grew by ${grownMb.toFixed(0)} MB in all`);
if (grownMb > GROWTH_MAX_MB) problems.push(`memory grew by ${grownMb.toFixed(0)} MB`);
for (const problem of problems) console.log(`(fail) ${problem}`);
console.log(problems.length === 0 ? "1 passed, 0 failed" : "0 passed, 1 failed");
serving.end();
place.remove();
await provider.stop();
await front.stop();
await receiver.stop(true);
await endless.stop(true);
await simulator.stop();
process.exit(problems.length === 0 ? 0 : 1);
