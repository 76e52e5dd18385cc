// Top-ups by card on a running gateway: a page to pay on, Stripe's signed events, and what the operator sees of them.
import { afterAll, beforeAll, beforeEach, expect, test } from "bun:test";
import { asArray, asObject, type JsonObject } from "../../../src/core/json/json.ts";
import { SECRET_KEY, signAt, startSimulatedStripe, WEBHOOK_SECRET } from "../../payments/simulated.ts";
import { createOperator } from "../world/operator.ts";
import { until } from "../world/until.ts";
import { asking, type HttpWorld, startHttpWorld } from "../world/world.ts";

const stripe = startSimulatedStripe();
const { simulated } = stripe;
let world: HttpWorld;
let operator: ReturnType<typeof createOperator>;
beforeAll(async () => {
  const card = `secret_key: ${SECRET_KEY}, webhook_secret: ${WEBHOOK_SECRET}, api_base: "${stripe.url}"`;
  world = await startHttpWorld({
    server: `public_url: "https://gateway.example.com"`,
    more: `topups: { stripe: { ${card}, amounts_usd: [10, 25.5] } }\nbilling: { charge: always }`,
  });
  operator = createOperator(world);
});
afterAll(async () => {
  await world.stop();
  await stripe.stop();
});
beforeEach(() => {
  simulated.events.length = 0;
  simulated.requests.length = 0;
  stripe.answer = (request) => simulated.answer(request);
});

const nowSeconds = () => Math.floor(Date.now() / 1000);

interface Sent {
  readonly at?: number;
  readonly secret?: string;
  readonly signature?: string | null;
}

async function post(body: string, { at = nowSeconds(), secret, signature }: Sent = {}) {
  const signed = signature === undefined ? await signAt(body, at, secret) : signature;
  const headers = {
    "content-type": "application/json; charset=utf-8",
    ...(signed ? { "stripe-signature": signed } : {}),
  };
  const response = await fetch(`${world.url}/hooks/stripe`, { method: "POST", headers, body });
  return { status: response.status, body: asObject(await response.json()) };
}

/** Sends what has happened, and returns the statuses. */
async function deliver(): Promise<readonly number[]> {
  const statuses: number[] = [];
  for (const event of simulated.events.splice(0)) statuses.push((await post(JSON.stringify(event))).status);
  return statuses;
}

const checkout = (account: string, usd: number, headers: Record<string, string> = {}) =>
  operator.post(`/accounts/${account}/checkout`, { amount_usd: usd }, headers);

async function newAccount(name: string): Promise<string> {
  return String(asObject((await operator.post("/accounts", { name })).body).id);
}

const sessionOf = (made: JsonObject) => simulated.makeSession(String(made.id), 1000);

async function show(account: string) {
  const { balance_usd, due_usd, state, paused_by } = (await operator.get(`/accounts/${account}`)).body;
  const { data } = (await operator.get(`/accounts/${account}/journal`)).body;
  return {
    balance_usd,
    due_usd,
    state,
    paused_by,
    kinds: asArray(data).map((row) => `${asObject(row).kind} ${asObject(row).amount_usd}`),
  };
}

test("a page is opened once per Idempotency-Key, for the configured amounts alone", async () => {
  const key = { "idempotency-key": "order-1" };
  const made = await checkout("default", 25.5, key);
  expect(made.status).toBe(201);
  expect(String(made.body.id)).toMatch(/^chk_\w+$/);
  expect(String(made.body.url)).toStartWith("https://checkout.stripe.test/");
  expect((await checkout("default", 25.5, key)).body).toEqual(made.body);
  expect((await checkout("default", 10, key)).status).toBe(409);
  expect((await checkout("default", 11)).body).toMatchObject({ error: { param: "amount_usd" } });
  expect((await checkout("acct_none", 10)).status).toBe(404);
  const [{ headers, form } = { headers: new Headers(), form: new URLSearchParams() }, ...others] =
    simulated.requests;
  expect(others).toEqual([]);
  expect(headers.get("idempotency-key")).toBe(String(made.body.id));
  const fields = Object.fromEntries(form);
  expect(fields["metadata[poundkey_checkout]"]).toBe(String(made.body.id));
  expect(fields["payment_intent_data[metadata][poundkey_checkout]"]).toBe(String(made.body.id));
  expect(fields["line_items[0][price_data][unit_amount]"]).toBe("2550");
  expect(fields.success_url).toStartWith("https://gateway.example.com/?session_id={CHECKOUT_SESSION_ID}#");
  expect((await operator.get("/accounts/default/checkout")).body).toEqual({ amounts_usd: [10, 25.5] });
});

test("after a failure of Stripe's, the same checkout is opened again", async () => {
  const key = { "idempotency-key": "order-2" };
  stripe.answer = () => new Response("oops", { status: 500 });
  const failed = await checkout("default", 10, key);
  expect([failed.status, asObject(failed.body.error).code]).toEqual([502, "upstream_error"]);
  stripe.answer = (request) =>
    simulated.answer(new Request(request, { headers: { authorization: "Bearer x" } }));
  const denied = await checkout("default", 10, key);
  expect(denied.status).toBe(502);
  expect(JSON.stringify(denied.body)).not.toContain(SECRET_KEY);
  // The answer is lost, though the page was opened: the repeat gets it.
  stripe.answer = async (request) => {
    await simulated.answer(request);
    return new Response(null, { status: 302, headers: { location: "https://elsewhere.example.com" } });
  };
  expect((await checkout("default", 10, key)).status).toBe(502);
  stripe.answer = (request) => simulated.answer(request);
  expect((await checkout("default", 10, key)).status).toBe(201);
  const forms = simulated.requests.map(({ form }) => form.toString());
  expect([forms.length, new Set(forms).size]).toEqual([3, 1]);
});

test("a payment is credited once, refunded once, and a dispute with money due pauses the account", async () => {
  const account = await newAccount("Payers");
  const session = sessionOf((await checkout(account, 10)).body);
  const payment = simulated.pay(session, { twins: 2 });
  simulated.events.push(...simulated.events);
  expect(await deliver()).toEqual([200, 200, 200, 200]);
  simulated.refund(payment, 250, { twins: 2 });
  expect(await deliver()).toEqual([200, 200, 200]);
  expect(await show(account)).toMatchObject({ balance_usd: 7.5, kinds: ["refund -2.5", "topup 10"] });
  const { secret } = await world.newKey({ account_id: account });
  await operator.post(`/accounts/${account}/adjustments`, { amount_usd: -7, reason: "spent" });
  const dispute = simulated.dispute(payment, 1000);
  expect(await deliver()).toEqual([200, 200]);
  expect(await show(account)).toMatchObject({
    balance_usd: 0,
    due_usd: 7,
    state: "paused",
    paused_by: ["dispute"],
    kinds: ["dispute -0.5", "adjustment -7", "refund -2.5", "topup 10"],
  });
  expect((await operator.get("/accounts/receivable")).body.balance_usd).toBe(-7);
  const ask = () =>
    fetch(`${world.url}/v1/chat/completions`, {
      method: "POST",
      headers: { authorization: `Bearer ${secret}`, "content-type": "application/json" },
      body: JSON.stringify(asking("Acme#cheap")),
    });
  const refused = await ask();
  expect([refused.status, asObject((await refused.json()).error).code]).toEqual([403, "account_paused"]);
  simulated.close(dispute, "won", 2);
  expect(await deliver()).toEqual([200, 200, 200, 200]);
  expect(await show(account)).toMatchObject({ balance_usd: 0.5, due_usd: 0, state: "open", paused_by: [] });
});

test("a refund that comes before its payment is taken after it", async () => {
  const account = await newAccount("Early");
  const payment = simulated.pay(sessionOf((await checkout(account, 10)).body));
  simulated.refund(payment, 1000);
  simulated.events.reverse();
  expect(await deliver()).toEqual([200, 200, 200]);
  expect(await show(account)).toMatchObject({ balance_usd: 0, kinds: ["refund -10", "topup 10"] });
});

test("events that aren't Stripe's, or of another mode, are refused before anything is read", async () => {
  const account = await newAccount("Strangers");
  simulated.pay(sessionOf((await checkout(account, 10)).body));
  const [event] = simulated.events;
  const body = JSON.stringify(event);
  const wrong: readonly Sent[] = [
    { at: nowSeconds() - 310 },
    { at: nowSeconds() + 310 },
    { secret: "whsec_another" },
    { signature: null },
    { signature: "t=1,v1=00" },
    { signature: `t=${nowSeconds()},v1=${"0".repeat(64)}` },
    { signature: (await signAt(body, nowSeconds())).replace("v1=", "v0=") },
    { signature: await signAt(`${body} `, nowSeconds()) },
  ];
  for (const sent of wrong) expect([sent, (await post(body, sent)).status]).toEqual([sent, 400]);
  expect((await post(JSON.stringify({ ...event, livemode: true }))).body).toMatchObject({
    error: { param: "livemode" },
  });
  expect((await post("{")).status).toBe(400);
  expect((await post(`{${" ".repeat(262_144)}}`)).status).toBe(400);
  expect(await show(account)).toMatchObject({ kinds: [] });
  const signature = `${await signAt(body, nowSeconds(), "whsec_the_next_one")},v1=${"0".repeat(64)}`;
  const both = `${signature},${(await signAt(body, nowSeconds())).split(",")[1]}`;
  expect((await post(body, { signature: both })).status).toBe(200);
  expect(await show(account)).toMatchObject({ kinds: ["topup 10"] });
});

test("others' events are accepted and ignored; an unknown checkout of ours, and odd payments, need somebody", async () => {
  simulated.tell("checkout.session.completed", { ...simulated.makeSession("x", 5), metadata: {} });
  simulated.tell("invoice.paid", { id: "in_1" });
  simulated.tell("refund.created", { id: "re_x", payment_intent: null, amount: 5, currency: "usd" });
  expect(await deliver()).toEqual([200, 200, 200]);
  const account = await newAccount("Odd");
  simulated.pay(simulated.makeSession("chk_unknown", 500));
  expect(await deliver()).toEqual([500]);
  const made = (await checkout(account, 10)).body;
  simulated.pay(sessionOf(made), { cents: 999 });
  const euro = (await checkout(account, 10)).body;
  simulated.pay(simulated.makeSession(String(euro.id), 1000, { currency: "eur" }));
  expect(await deliver()).toEqual([200, 200]);
  expect(await show(account)).toMatchObject({ balance_usd: 9.99 });
  const problems = asArray((await operator.get("/problems")).body.data).map(asObject);
  const messages = problems.filter(({ kind }) => kind === "payment").map(({ message }) => String(message));
  expect(messages.join(" ")).toContain("9.99 USD were paid, not 10");
  expect(messages.join(" ")).toContain("not in USD");
  expect(messages.join(" ")).toContain("that the store doesn't have");
  const ready = asObject(await (await fetch(`${world.url}/readyz`)).json());
  expect(JSON.stringify(ready)).toContain("payments: ");
  expect(JSON.stringify(ready)).not.toContain(String(made.id));
});

test("a closed account's late credit is booked, and told", async () => {
  const account = await newAccount("Gone");
  const session = sessionOf((await checkout(account, 10)).body);
  await operator.post(`/accounts/${account}/close`, {});
  expect((await checkout(account, 10)).status).toBe(409);
  simulated.pay(session);
  expect(await deliver()).toEqual([200]);
  expect(await show(account)).toMatchObject({ balance_usd: 10, state: "closed" });
  const problems = JSON.stringify((await operator.get("/problems")).body);
  expect(problems).toContain("its account is closed");
});

test("it is on record who opened a checkout, and that Stripe moved the money", async () => {
  const account = await newAccount("Recorded");
  const made = (await checkout(account, 10)).body;
  const payment = simulated.pay(sessionOf(made));
  simulated.refund(payment, 100);
  await deliver();
  await until("the entries are chained", async () => {
    const rows = asArray((await operator.get(`/audit?account=${account}&limit=50`)).body.data).map(asObject);
    return rows.some(({ action }) => action === "topup.refunded");
  });
  const rows = asArray((await operator.get(`/audit?account=${account}&limit=50`)).body.data).map(asObject);
  const shown = rows.map(({ action, actor, after }) => [
    action,
    asObject(actor).kind,
    asObject(actor).id,
    asObject(after).amount_usd,
  ]);
  expect(shown.slice(0, 3)).toEqual([
    ["topup.refunded", "system", "stripe", -1],
    ["topup.made", "system", "stripe", 10],
    ["checkout.created", "admin", expect.any(String), 10],
  ]);
  const [journal] = asArray((await operator.get(`/accounts/${account}/journal`)).body.data)
    .map(asObject)
    .slice(1);
  expect(journal).toMatchObject({ kind: "topup", by: { kind: "admin" }, note: `Card ${made.id}` });
});

test("one sender has five of an account's checkouts that nobody has paid, and others open theirs", async () => {
  const account = await newAccount("Shared");
  const makeSender = async (name: string) => {
    const { secret } = (await operator.post("/tokens", { name, role: "billing" })).body;
    return createOperator({ url: world.url, adminToken: String(secret) });
  };
  const open = async (sender: ReturnType<typeof createOperator>) => {
    const { status, error } = await sender.post(`/accounts/${account}/checkout`, { amount_usd: 10 });
    return error ? `${status} ${error.code}` : `${status}`;
  };
  const one = await makeSender("one");
  const outcomes = await Promise.all(Array.from({ length: 8 }, () => open(one)));
  expect(outcomes.toSorted()).toEqual([...Array(5).fill("201"), ...Array(3).fill("429 too_many_checkouts")]);
  expect(await open(await makeSender("two"))).toBe("201");
  for (let at = 0; at < 6; at++) expect(await open(operator)).toBe("201");
});
