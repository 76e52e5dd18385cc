// The events of a demo's month besides its requests: money, troubles, refusals, questions, batches.
import { asArray, asNumber, asObject } from "../../../core/json/json.ts";
import { FALLING, FATES } from "../../../simulator/company.ts";
import type { Company, MadeKey } from "./found.ts";
import type { Maker } from "./maker.ts";
import { DAY_MS, type Span } from "./span.ts";

interface StoryTelling {
  readonly maker: Maker;
  readonly company: Company;
  readonly span: Span;
}

interface StoryEvent {
  /** When, as a share of the month. */
  readonly at: number;
  readonly tell: (telling: StoryTelling) => Promise<unknown>;
}

const STORY: readonly StoryEvent[] = [
  {
    at: 0.05,
    tell: ({ maker }) => maker.admin("POST", "/tokens", { name: "Nightly report", role: "viewer" }),
  },
  {
    at: 0.08,
    tell: ({ maker }) =>
      maker.as("Ines Kaplan", "POST", "/aliases", { name: "drafts", target: "Mistral#mistral-large-2512" }),
  },
  { at: 0.12, tell: (telling) => changeKey(telling, FATES.paused, "PATCH", { paused: true }) },
  { at: 0.14, tell: (telling) => repeat(telling, FATES.paused, "OpenAI#gpt-5.4-mini", 5) },
  { at: 0.2, tell: (telling) => topUp(telling, "platform", 20, "Invoice 2026-118") },
  { at: 0.25, tell: (telling) => changeKey(telling, FATES.revoked, "DELETE") },
  { at: 0.26, tell: (telling) => repeat(telling, FATES.revoked, "OpenAI#gpt-5.4-mini", 3) },
  { at: 0.35, tell: (telling) => repeat(telling, "trial-of-spring", "OpenAI#gpt-6-sol", 6) },
  { at: 0.4, tell: (telling) => repeat(telling, "staging", "OpenAI#gpt-5.4-mini", 12) },
  {
    at: 0.45,
    tell: (telling) => askForMore(telling, "Sofia Brandt", "research", 4, "The evaluation of the new models"),
  },
  { at: 0.47, tell: grantFirst },
  { at: 0.5, tell: (telling) => runBatch(telling, "build-review", 60, "completed") },
  { at: 0.55, tell: (telling) => repeat(telling, "trial-of-spring", "OpenAI#gpt-9", 2) },
  {
    at: 0.6,
    tell: ({ maker, company }) =>
      maker.as("Ray Osei", "POST", `/accounts/${company.accounts.get("support")}/adjustments`, {
        amount_usd: -1.25,
        reason: "Credited twice",
      }),
  },
  { at: 0.7, tell: (telling) => topUp(telling, "support", 10, "Invoice 2026-131") },
  { at: 0.75, tell: (telling) => topUp(telling, "data", 15, "Invoice 2026-134") },
  {
    at: 0.8,
    tell: ({ maker, company, span }) =>
      maker.as("Ada Moreira", "PATCH", `/keys/${findKey(company, FATES.ending).id}`, {
        expires_at: new Date(span.endMs + 5 * DAY_MS).toISOString(),
      }),
  },
  {
    at: 0.93,
    tell: (telling) => askForMore(telling, "Grace Adeyemi", "support", 3, "The stand at the trade fair"),
  },
  { at: 0.96, tell: (telling) => spendAll(telling, "legal") },
  { at: 0.97, tell: (telling) => runBatch(telling, "contract-search", 25, "waiting") },
  { at: 0.99, tell: (telling) => runBatch(telling, "demand-forecast", 240, "running") },
];

/** The hours in which a provider fails. */
const TROUBLE = [0.62, 0.635] as const;

/** Tells what is due, each event once. */
export class Story {
  readonly #telling: StoryTelling;
  #next = 0;
  #closedMs = 0;

  constructor(telling: StoryTelling) {
    this.#telling = telling;
  }

  async tell(): Promise<void> {
    const { maker, span } = this.#telling;
    const at = (maker.clock.nowMs() - span.startMs) / (span.endMs - span.startMs);
    maker.failing = at >= TROUBLE[0] && at < TROUBLE[1] ? FALLING.provider : null;
    await this.#closeMonth();
    for (; this.#next < STORY.length; this.#next++) {
      const event = STORY[this.#next];
      if (event === undefined || event.at > at) return;
      await event.tell(this.#telling);
    }
  }

  /** A statement is closed when it is read later than a day after its month, wherever the account is. */
  async #closeMonth(): Promise<void> {
    const { maker, company, span } = this.#telling;
    const now = new Date(maker.clock.nowMs());
    const beganMs = Date.UTC(now.getUTCFullYear(), now.getUTCMonth());
    if (beganMs <= span.startMs || now.getTime() < beganMs + CLOSED_AFTER_MS || beganMs === this.#closedMs)
      return;
    this.#closedMs = beganMs;
    const month = new Date(beganMs - DAY_MS).toISOString().slice(0, "2026-11".length);
    for (const id of company.accounts.values())
      await maker.as("Ray Osei", "GET", `/accounts/${id}/statements/${month}`);
  }
}

const CLOSED_AFTER_MS = 2 * DAY_MS;

/** Without money, the account's batch waits. */
async function spendAll({ maker, company }: StoryTelling, account: string): Promise<void> {
  const id = company.accounts.get(account);
  const { balance_usd: left } = await maker.as("Ray Osei", "GET", `/accounts/${id}`);
  const body = { amount_usd: -(asNumber(left) ?? 0), reason: "Moved to the group's own contract" };
  if (body.amount_usd < 0) await maker.as("Ray Osei", "POST", `/accounts/${id}/adjustments`, body);
}

function findKey({ keys }: Company, name: string): MadeKey {
  const found = keys.find((key) => key.name === name);
  if (found === undefined) throw new Error(`There is no key ${name}.`);
  return found;
}

function changeKey({ maker, company }: StoryTelling, name: string, method: string, body?: object) {
  return maker.as("Ines Kaplan", method, `/keys/${findKey(company, name).id}`, body);
}

function topUp({ maker, company }: StoryTelling, account: string, usd: number, note: string) {
  return maker.as("Ray Osei", "POST", `/accounts/${company.accounts.get(account)}/topups`, {
    amount_usd: usd,
    note,
  });
}

/** A program that doesn't look at its refusals asks again at once. */
async function repeat(
  { maker, company }: StoryTelling,
  name: string,
  model: string,
  times: number,
): Promise<void> {
  const { secret } = findKey(company, name);
  const messages = [{ role: "user", content: "Say hello." }];
  for (let count = 0; count < times; count++) {
    await maker.ask("/v1/chat/completions", { secret, body: { model, messages } });
    maker.clock.pass(1500);
  }
}

function askForMore(
  { maker, company, span }: StoryTelling,
  person: string,
  account: string,
  amount: number,
  reason: string,
) {
  return maker.as(person, "POST", "/limit-requests", {
    account_id: company.accounts.get(account),
    budget: { per: "month" },
    amount,
    until: new Date(span.endMs + 7 * DAY_MS).toISOString(),
    reason,
  });
}

async function grantFirst({ maker }: StoryTelling): Promise<void> {
  const { data } = await maker.as("Ada Moreira", "GET", "/limit-requests?state=open");
  const { id } = asObject(asArray(data)[0]);
  await maker.as("Ada Moreira", "POST", `/limit-requests/${id}/decide`, {
    grant: true,
    note: "Until the end of the month",
  });
}

/** Batches of a shorter month are shorter. */
const USUAL_DAYS = 30;
const LINES_MIN = 8;

/** Uploads a file of lines, and waits until its batch is as it is to be seen. */
async function runBatch(
  { maker, company, span }: StoryTelling,
  name: string,
  lines: number,
  wanted: "completed" | "waiting" | "running",
): Promise<void> {
  const { secret, habits } = findKey(company, name);
  const model = habits[0]?.surface === "embeddings" ? "Anthropic#claude-haiku-5-5" : (habits[0]?.model ?? "");
  const count = Math.max(
    LINES_MIN,
    Math.round(lines * Math.min(1, (span.endMs - span.startMs) / (USUAL_DAYS * DAY_MS))),
  );
  const text = Array.from({ length: count }, (_, at) => writeLine(at, model)).join("\n");
  const form = new FormData();
  form.set("purpose", "batch");
  form.set("file", new File([text], `${name}.jsonl`, { type: "application/jsonl" }));
  const most = wanted === "running" ? Math.floor(count / 4) : undefined;
  maker.next = { tokens: "900:240:0", ...(most === undefined ? {} : { linesMax: most }) };
  const file = await maker.ask("/v1/files", { secret, body: form });
  const body = { input_file_id: file.body.id, endpoint: "/v1/chat/completions", completion_window: "7d" };
  const made = await maker.ask("/v1/batches", { secret, body });
  await maker.until(`the batch of ${name}`, async () => {
    const { body: batch } = await maker.ask(`/v1/batches/${made.body.id}`, { method: "GET", secret });
    const done = asNumber(asObject(batch.request_counts).completed) ?? 0;
    if (wanted === "running") return batch.status === "in_progress" && done === most;
    return wanted === "completed" ? batch.status === "completed" : asObject(batch.waiting).code !== undefined;
  });
}

function writeLine(at: number, model: string): string {
  const messages = [{ role: "user", content: `Describe shipment TL-${41_000 + at} in one sentence.` }];
  return JSON.stringify({
    custom_id: `line-${at}`,
    method: "POST",
    url: "/v1/chat/completions",
    body: { model, messages },
  });
}
