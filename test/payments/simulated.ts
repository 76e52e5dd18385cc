// A Stripe for tests: it opens pages as the API does, and its payments, refunds and disputes make the events that Stripe sends.
import Stripe from "stripe";
import { isObject } from "../../src/core/json/json.ts";

export const SECRET_KEY = "sk_test_of_the_tests";
export const WEBHOOK_SECRET = "whsec_of_the_tests_0123456789";
export const VERSION = "2026-10-28.endive";

/** Signs as Stripe does, and is no code of ours. */
const stripe = new Stripe(SECRET_KEY);

export type StripeObject = Readonly<Record<string, unknown>>;

interface SentEvent {
  readonly id: string;
  readonly object: "event";
  readonly type: string;
  readonly livemode: boolean;
  readonly data: { readonly object: StripeObject };
}

interface Session extends StripeObject {
  readonly id: string;
  readonly amount_total: number;
  readonly metadata: Readonly<Record<string, string>>;
}

export interface Payment {
  readonly id: string;
  readonly session: Session;
  readonly cents: number;
}

export interface Dispute {
  readonly id: string;
  readonly payment: Payment;
  readonly cents: number;
}

/** Fields that a Checkout Session may be made with. Stripe refuses others. */
const KNOWN =
  /^(mode|client_reference_id|success_url|cancel_url|expires_at|payment_method_types\[0\]|adaptive_pricing\[enabled\]|(payment_intent_data\[metadata\]|metadata)\[\w{1,40}\]|line_items\[0\]\[(quantity|price_data\]\[(currency|unit_amount|product_data\]\[name))\])$/;
const OPEN_MIN_SECONDS = 1800;
const OPEN_MAX_SECONDS = 86_400;

/** Returns a header by which a body is known as Stripe's. */
export function signAt(payload: string, timestamp: number, secret = WEBHOOK_SECRET): Promise<string> {
  return stripe.webhooks.generateTestHeaderStringAsync({ payload, secret, timestamp });
}

export class SimulatedStripe {
  /** In the order in which they happened. Each happening may have two. */
  readonly events: SentEvent[] = [];
  readonly requests: { readonly headers: Headers; readonly form: URLSearchParams }[] = [];
  readonly #answers = new Map<string, { readonly form: string; readonly session: Session }>();
  readonly #run: string;
  #ids = 0;

  /** `run` tells the ids of one Stripe from those of another on the same store. */
  constructor(run = "0") {
    this.#run = run;
  }

  #id(prefix: string): string {
    return `${prefix}_${this.#run}n${++this.#ids}`;
  }

  /** Adds the event of a happening, or two events of the same one, as Stripe says that it may. */
  tell(type: string, object: StripeObject, twins = 1): void {
    for (let at = 0; at < twins; at++) {
      this.events.push({ id: this.#id("evt"), object: "event", type, livemode: false, data: { object } });
    }
  }

  makeSession(checkoutId: string, cents: number, more: StripeObject = {}): Session {
    const metadata = { poundkey_checkout: checkoutId };
    const id = this.#id("cs_test");
    return {
      id,
      object: "checkout.session",
      mode: "payment",
      currency: "usd",
      amount_total: cents,
      metadata,
      payment_status: "unpaid",
      payment_intent: null,
      ...more,
    };
  }

  /** Pays a session: at once, or with a method that is confirmed later. */
  pay(session: Session, { isDelayed = false, twins = 1, cents = session.amount_total } = {}): Payment {
    const payment = { id: this.#id("pi"), session, cents };
    const done = { ...session, payment_intent: payment.id, amount_total: cents };
    const paid = { ...done, payment_status: "paid" };
    this.tell("checkout.session.completed", isDelayed ? done : paid, twins);
    if (isDelayed) this.tell("checkout.session.async_payment_succeeded", paid, twins);
    return payment;
  }

  expire(session: Session): void {
    this.tell("checkout.session.expired", session);
  }

  /** Refunds carry nothing of the session but its payment. The cumulative event of the charge comes besides. */
  refund(payment: Payment, cents: number, { isPending = false, fails = false, twins = 1 } = {}): string {
    const id = this.#id("re");
    const refund = { id, object: "refund", amount: cents, currency: "usd", payment_intent: payment.id };
    const make = (status: string) => ({ ...refund, status, metadata: {} });
    this.tell("refund.created", make(isPending ? "pending" : "succeeded"), twins);
    if (isPending) this.tell("refund.updated", make("succeeded"), twins);
    this.tell("charge.refunded", { id: this.#id("ch"), object: "charge", amount_refunded: cents });
    if (fails) this.tell("refund.failed", make("failed"), twins);
    return id;
  }

  dispute(payment: Payment, cents: number, { isInquiry = false, twins = 1 } = {}): Dispute {
    const dispute = { id: this.#id("du"), payment, cents };
    const status = isInquiry ? "warning_needs_response" : "needs_response";
    this.tellDispute("created", dispute, status, twins);
    if (!isInquiry) this.tellDispute("funds_withdrawn", dispute, status, twins);
    return dispute;
  }

  /** Ends a dispute, or an inquiry as `warning_closed`. A won one gives the money back in an event of its own. */
  close(dispute: Dispute, status: "won" | "lost" | "warning_closed" | "prevented", twins = 1): void {
    this.tellDispute("closed", dispute, status, twins);
    if (status === "won") this.tellDispute("funds_reinstated", dispute, status, twins);
  }

  tellDispute(type: string, { id, payment, cents }: Dispute, status: string, twins = 1): void {
    const about = { payment_intent: { id: payment.id, object: "payment_intent", metadata: {} } };
    const dispute = { id, object: "dispute", amount: cents, currency: "usd", status, metadata: {}, ...about };
    this.tell(`charge.dispute.${type}`, dispute, twins);
  }

  /** `POST /v1/checkout/sessions`. */
  async answer(request: Request): Promise<Response> {
    const { headers } = request;
    const text = await request.text();
    const form = new URLSearchParams(text);
    this.requests.push({ headers, form });
    if (headers.get("authorization") !== `Bearer ${SECRET_KEY}`) return refuse(401, "invalid_api_key");
    const wrong = findMistake(headers, form);
    if (wrong !== null) return refuse(400, wrong);
    const key = headers.get("idempotency-key") ?? "";
    const known = this.#answers.get(key);
    if (known !== undefined && known.form !== text) return refuse(400, "idempotency_error");
    const cents = Number(form.get("line_items[0][price_data][unit_amount]"));
    const session = known?.session ?? this.makeSession(form.get("metadata[poundkey_checkout]") ?? "", cents);
    this.#answers.set(key, { form: text, session });
    return Response.json({ ...session, url: `https://checkout.stripe.test/c/pay/${session.id}` });
  }
}

function refuse(status: number, code: string): Response {
  const message = `Refused: ${code}. Invalid API Key provided: ${SECRET_KEY}`;
  return Response.json({ error: { type: "invalid_request_error", code, message } }, { status });
}

function findMistake(headers: Headers, form: URLSearchParams): string | null {
  if (headers.get("content-type") !== "application/x-www-form-urlencoded") return "content_type";
  if (headers.get("stripe-version") !== VERSION) return "version";
  if (headers.get("idempotency-key") === null) return "idempotency_key";
  const unknown = [...form.keys()].find((name) => !KNOWN.test(name));
  if (unknown !== undefined) return "parameter_unknown";
  const leftSeconds = Number(form.get("expires_at")) - Date.now() / 1000;
  if (leftSeconds < OPEN_MIN_SECONDS || leftSeconds > OPEN_MAX_SECONDS) return "expires_at";
  const amount = form.get("line_items[0][price_data][unit_amount]") ?? "";
  return /^[1-9]\d*$/.test(amount) ? null : "parameter_invalid_integer";
}

export function startSimulatedStripe() {
  const simulated = new SimulatedStripe();
  /** Set to answer otherwise. */
  const server = {
    simulated,
    answer: (request: Request): Response | Promise<Response> => simulated.answer(request),
    url: "",
    stop: () => served.stop(true),
  };
  const served = Bun.serve({
    hostname: "127.0.0.1",
    port: 0,
    fetch: (request) =>
      new URL(request.url).pathname === "/v1/checkout/sessions"
        ? server.answer(request)
        : refuse(404, "resource_missing"),
  });
  server.url = `http://127.0.0.1:${served.port}`;
  return server;
}

/** The package's own reading of a signed body, for what ours must agree with. */
export async function readAsStripe(payload: string, header: string): Promise<boolean> {
  try {
    return isObject(await stripe.webhooks.constructEventAsync(payload, header, WEBHOOK_SECRET));
  } catch {
    return false;
  }
}
