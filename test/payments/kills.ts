// `bun test/payments/kills.ts [--times N] [--seed N] [--engine sqlite|postgres]`: kills a gateway that opens checkouts and
// takes Stripe's events, N times.
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { asArray, asObject, type JsonObject } from "../../src/core/json/json.ts";
import { PROGRAM } from "../harness/program.ts";
import { runCommand, startVictim } from "../kill/process.ts";
import { Dice } from "../sim/dice.ts";
import { startPostgres } from "../store/postgres/server.ts";
import { SECRET_KEY, signAt, startSimulatedStripe, WEBHOOK_SECRET } from "./simulated.ts";

const CENTS = 1000;
const ADMIN = "admin-token-of-the-tests";
const KILL_AFTER_MAX_MS = 120;
/** More than a process that is killed takes to be gone, and the next to serve. */
const DRAINED_MAX = 20;

const { values } = parseArgs({
  options: {
    times: { type: "string", default: "40" },
    seed: { type: "string", default: "1" },
    engine: { type: "string", default: "sqlite" },
  },
});
const times = Number(values.times);
const dice = new Dice(Number(values.seed));
const postgres = values.engine === "postgres" ? await startPostgres() : null;
const env = { POUNDKEY_MASTER_KEY: Buffer.alloc(32, 7).toString("base64") };
const stripe = startSimulatedStripe();
const { simulated } = stripe;
const directory = mkdtempSync(join(tmpdir(), "poundkey-card-kills-"));
await Bun.write(
  join(directory, "poundkey.yaml"),
  `server: { port: 0, admin_token: ${ADMIN}, public_url: "https://gateway.example.com" }
store: "${postgres?.url ?? "sqlite:./poundkey.db"}"
topups:
  stripe: { secret_key: ${SECRET_KEY}, webhook_secret: ${WEBHOOK_SECRET}, api_base: "${stripe.url}" }
`,
);

let victim = startVictim(PROGRAM, directory, env);
let url = await victim.listens;

async function startAgain(): Promise<void> {
  await victim.exited;
  victim = startVictim(PROGRAM, directory, env);
  url = await victim.listens;
}

async function ask(method: string, path: string, body?: object, more: Record<string, string> = {}) {
  const headers = { authorization: `Bearer ${ADMIN}`, "content-type": "application/json", ...more };
  const init = { method, headers, ...(body ? { body: JSON.stringify(body) } : {}) };
  const response = await fetch(`${url}/admin/v1${path}`, init);
  return { status: response.status, body: asObject(await response.json()) };
}

/** Checkouts whose answer hasn't come, by their Idempotency-Key, and events that Stripe must send again. */
const unopened = new Set<string>();
let unsent: object[] = [];
const expected = { cents: 0, checkouts: 0, repeats: 0 };

/** Opens a page, and then has it paid, and perhaps refunded or disputed. */
async function open(key: string): Promise<void> {
  const made = await ask(
    "POST",
    "/accounts/default/checkout",
    { amount_usd: 10 },
    { "idempotency-key": key },
  );
  if (made.status !== 201 || !unopened.delete(key)) return;
  expected.checkouts++;
  const payment = simulated.pay(simulated.makeSession(String(made.body.id), CENTS), { twins: 2 });
  expected.cents += CENTS;
  if (dice.chance(0.4)) {
    const fails = dice.chance(0.3);
    simulated.refund(payment, 300, { fails, twins: 2 });
    if (!fails) expected.cents -= 300;
  }
  if (dice.chance(0.3)) {
    const dispute = simulated.dispute(payment, 500, { twins: 2 });
    const isWon = dice.chance(0.5);
    if (isWon) simulated.close(dispute, "won");
    else expected.cents -= 500;
  }
}

async function send(event: object): Promise<void> {
  const body = JSON.stringify(event);
  const signature = await signAt(body, Math.floor(Date.now() / 1000));
  const sent = fetch(`${url}/hooks/stripe`, {
    method: "POST",
    headers: { "stripe-signature": signature },
    body,
  });
  if ((await sent).status === 200) unsent = unsent.filter((one) => one !== event);
  else expected.repeats++;
}

/** Everything that waits, in any order and at once. Calls that a kill cuts off are made again later. */
async function work(): Promise<void> {
  unsent.push(...simulated.events.splice(0));
  const calls = [...[...unopened].map((key) => () => open(key)), ...unsent.map((event) => () => send(event))];
  calls.sort(() => dice.next() - 0.5);
  await Promise.all(calls.map((call) => call().catch(() => expected.repeats++)));
}

for (let kill = 1; kill <= times; kill++) {
  for (let at = 0; at < 4; at++) unopened.add(`order-${kill}-${at}`);
  const working = work().then(work);
  await Bun.sleep(dice.int(0, KILL_AFTER_MAX_MS));
  victim.signal("SIGKILL");
  await working;
  await startAgain();
}
for (let at = 0; at < DRAINED_MAX && unopened.size + unsent.length + simulated.events.length > 0; at++)
  await work();
const account = (await ask("GET", "/accounts/default")).body;
const rows: JsonObject[] = [];
for (let after = ""; ; ) {
  const page = (await ask("GET", `/accounts/default/journal?limit=200${after}`)).body;
  rows.push(...asArray(page.data).map(asObject));
  if (typeof page.next !== "string") break;
  after = `&after=${encodeURIComponent(page.next)}`;
}
const credits = rows.filter(({ kind }) => kind === "topup").map(({ note }) => note);
victim.signal("SIGTERM");
await victim.exited;
const verified = await runCommand(PROGRAM, directory, ["ledger", "verify"], env);
await stripe.stop();
await postgres?.remove();

const leftCents = Math.round((Number(account.balance_usd) - Number(account.due_usd)) * 100);
const problems = [
  ...(unopened.size + unsent.length > 0 ? [`${unopened.size} pages and ${unsent.length} events wait`] : []),
  ...(leftCents === expected.cents ? [] : [`${leftCents} cents are left, not ${expected.cents}`]),
  ...(new Set(credits).size === credits.length ? [] : ["a checkout was credited twice"]),
  ...(credits.length === expected.checkouts ? [] : [`${credits.length} credits`]),
  ...(verified.code === 0 ? [] : [verified.text]),
];
for (const problem of problems) console.log(`(fail) ${problem}`);
if (problems.length === 0) rmSync(directory, { recursive: true });
const { checkouts, repeats } = expected;
console.log(
  `${values.engine}: ${times} kills, ${checkouts} checkouts, ${rows.length} entries, ${repeats} calls made again`,
);
console.log(`ledger verify: ${verified.text.trim()}`);
console.log(problems.length === 0 ? "passed" : `failed: the store is in ${directory}`);
process.exitCode = problems.length === 0 ? 0 : 1;
