// Compares each request's row with its providers' records and its client's answer: the calls behind it, and the cost.
import type { CallTruth } from "./call-truth.ts";
import { addCounts, computeBill, findModel } from "./cards.ts";
import type { Seen } from "./client.ts";
import type { DayRecord } from "./day.ts";
import type { Model } from "./model.ts";
import { readMarkupParts } from "./model-money.ts";
import type { ModelRow } from "./model-rows.ts";
import { possible, type RequestRow, requestRows } from "./request-rows.ts";

/** Bytes per token in the documented estimate. */
const BYTES_PER_TOKEN = 4;
/** The longest that a call may run after its client left, including one sweep of deadlines. */
const ENDED_WITHIN_MS = 1000;

export function auditAnswers(day: DayRecord, model: Model): readonly string[] {
  const rows = requestRows(day.database);
  const audit = new AnswerAudit(day, model, rows);
  for (const seen of day.seen.values()) audit.seen(seen);
  for (const row of rows.values()) audit.row(row);
  for (const call of day.calls) audit.call(call);
  return audit.problems;
}

class AnswerAudit {
  readonly problems: string[] = [];
  readonly #day: DayRecord;
  readonly #model: Model;
  readonly #rows: ReadonlyMap<string, RequestRow>;
  readonly #calls = new Map<string, CallTruth[]>();

  constructor(day: DayRecord, model: Model, rows: ReadonlyMap<string, RequestRow>) {
    this.#day = day;
    this.#model = model;
    this.#rows = rows;
    for (const call of day.calls) {
      const calls = this.#calls.get(call.requestId) ?? [];
      this.#calls.set(call.requestId, calls);
      calls.push(call);
    }
  }

  /** Checks that a client's answer is one provider's answer, billed once, and posted before its last part was sent. */
  seen(seen: Seen): void {
    if (seen.facts.replayed) {
      if (seen.whole) this.#replayed(seen, seen.facts.replayed.id);
      return;
    }
    if (seen.texts.size > 0 && !seen.synced && this.#placeOf(seen.id) === "balance")
      this.#wrong(seen.id, "the first part left before the hold would have survived a power failure");
    if (seen.whole) this.#delivered(seen);
    else this.#partly(seen);
  }

  #delivered(seen: Seen): void {
    const row = this.#rows.get(seen.id);
    const isPaid = this.#placeOf(seen.id) === "balance";
    const held = this.#model.admitted.get(seen.id);
    if (!row || !held) {
      this.#wrong(seen.id, "was answered without a row");
      return;
    }
    if (this.#isExcused(row, isPaid)) return;
    if (row.ended !== "done" || row.status !== 200)
      this.#wrong(seen.id, `was answered whole, its row says ${row.ended} ${row.status}`);
    if (isPaid && seen.rowAtEnd?.ended !== "done")
      this.#wrong(seen.id, `was not posted when its last part left: ${JSON.stringify(seen.rowAtEnd)}`);
    const choices = this.#choicesOf(seen.id);
    if (seen.texts.size !== choices) this.#wrong(seen.id, `has ${seen.texts.size} of ${choices} choices`);
    const said = this.#answering(row).flatMap(({ texts }) => texts);
    for (const text of seen.texts.values())
      if (!said.includes(text)) this.#wrong(seen.id, `was given what no provider said whole: ${text}`);
    const shown = { cost: row.cost, charged: row.charged };
    const told = { cost: nanoOf(seen.usage?.cost), charged: nanoOf(seen.usage?.charged) };
    // If the row was written late, the answer stated no cost and nothing is charged.
    if (told.cost !== shown.cost || told.charged !== shown.charged)
      this.#wrong(seen.id, `was told ${JSON.stringify(told)}, its row says ${JSON.stringify(shown)}`);
  }

  /** A free answer doesn't wait long for its row. Even a node that others consider dead writes it, while it lives. */
  #isExcused(row: RequestRow, isPaid: boolean): boolean {
    const node = this.#model.admitted.get(row.id)?.node ?? "";
    return row.ended === "lost" && row.charged === 0 && !isPaid && this.#day.dead.has(node);
  }

  /** The client received only a part. That part at least must be paid, unless its node died or its store failed. */
  #partly(seen: Seen): void {
    const row = this.#rows.get(seen.id);
    const bytes = bytesOf([...seen.texts.values()]);
    // The commit's outcome was lost and the store stayed away: the answer is kept for a repeat.
    const isUnheard = this.#day.unheard.has(seen.id);
    // A prompt sent to a provider is owed if the client's own limit ended the answer, or after too many refusals.
    const isExpected = seen.fault?.code === "client_timeout" || this.#isRefusedTooOften(seen.id);
    if (bytes === 0 && seen.fault && row && row.charged > 0 && !isUnheard && !isExpected)
      this.#wrong(seen.id, `was told ${seen.fault.code} and nothing else, and paid ${row.charged}`);
    if (bytes === 0 || seen.cut) return;
    if (!row) {
      this.#wrong(seen.id, "was answered in part without a row");
      return;
    }
    if (row.ended === "lost" && this.#day.dead.has(seen.node)) return;
    if (row.source !== "provider" && row.completion < Math.ceil(bytes / BYTES_PER_TOKEN))
      this.#wrong(seen.id, `was given ${bytes} bytes, its row says ${row.completion} tokens, ${row.ended}`);
    const said = (this.#calls.get(seen.id) ?? []).flatMap(({ texts }) => texts);
    for (const text of seen.texts.values())
      if (text !== "" && !said.some((one) => one.startsWith(text)))
        this.#wrong(seen.id, `was given a mixture: ${text}`);
  }

  #isRefusedTooOften(id: string): boolean {
    const row = this.#model.rows.get(id);
    return row?.isOwed === true && row.settlement.giveBack.beyond !== null;
  }

  #replayed(seen: Seen, firstId: string): void {
    const first = this.#day.seen.get(firstId);
    const row = this.#rows.get(firstId);
    if (this.#rows.has(seen.id) || this.#calls.has(seen.id))
      this.#wrong(seen.id, `is a replay of ${firstId}, and was called or recorded itself`);
    if (row?.ended !== "done") {
      this.#wrong(seen.id, `replays ${firstId}, which is not done`);
      return;
    }
    const said = this.#answering(row).flatMap(({ texts }) => texts);
    for (const text of seen.texts.values())
      if (!said.includes(text)) this.#wrong(seen.id, `replays what ${firstId} was not: ${text}`);
    if (!first?.whole || first.facts.replayed) return;
    const answerOf = ({ texts, usage }: Seen) =>
      JSON.stringify([[...texts].toSorted(([a], [b]) => a - b), usage]);
    const isToldLater = row.charged !== nanoOf(first.usage?.charged);
    const isOtherJson = first.json !== null && seen.json !== null && first.json !== seen.json;
    if ((answerOf(first) !== answerOf(seen) || isOtherJson) && !isToldLater)
      this.#wrong(seen.id, `replays ${firstId} as ${answerOf(seen)}, it was ${answerOf(first)}`);
  }

  row(row: RequestRow): void {
    const booked = this.#model.rows.get(row.id);
    if (!booked) {
      this.#wrong(row.id, "has a row that was never decided");
      return;
    }
    const hasUsage = row.source !== "none";
    const due = hasUsage ? this.#listBills(row) : [0n];
    if (!due.includes(BigInt(row.cost)))
      this.#wrong(row.id, `costs ${row.cost}, by the price table ${due.join(" or ")}`);
    const { settlement, isOwed } = booked;
    const { sealedReply, record } = settlement;
    if (sealedReply !== null && record.ended !== "done") this.#wrong(row.id, "a broken answer was kept");
    if (!isOwed && (row.charged !== 0 || (row.ended === "done" && hasUsage)))
      this.#wrong(row.id, "what was produced was not counted");
    if (row.ended === "done") this.#done(row, booked);
    else if (row.ended === "lost") this.#lost(row, booked);
    else this.#broken(row, booked);
  }

  /** The provider's own count is the bill. */
  #done(row: RequestRow, { hold, settlement, writtenOff, isLate }: ModelRow): void {
    const calls = this.#answering(row);
    if (calls.length === 0 || calls.some(({ whole }) => !whole)) {
      this.#wrong(row.id, "is done, though its provider did not finish");
      return;
    }
    const reports = calls.map(({ reported }) => reported);
    const known = reports.filter((report) => report !== null);
    if (known.length === reports.length) {
      const invoice = possible(addCounts(known), calls);
      const same = COUNTS.every((count) => invoice[count] === row[count]);
      if (!same || row.source !== "provider")
        this.#wrong(
          row.id,
          `is billed ${JSON.stringify(row)}, the provider counts ${JSON.stringify(invoice)}`,
        );
    } else {
      const least = Math.ceil(bytesOf(calls.flatMap(({ texts }) => texts)) / BYTES_PER_TOKEN);
      const most = Math.max(least, addCounts(known).completion);
      if (row.source !== "estimate" || row.completion < least || row.completion > most)
        this.#wrong(row.id, `is estimated at ${row.completion} ${row.source}, not ${least} to ${most}`);
    }
    if (hold.replyId !== null && settlement.sealedReply === null) this.#wrong(row.id, "was not kept");
    const honest = calls.every((call) => call.honest) && hold.place.kind === "balance";
    if (honest && (BigInt(row.cost) > hold.nano || (writtenOff > 0n && !isLate)))
      this.#wrong(row.id, `costs ${row.cost}, ${hold.nano} was held, and the provider kept to its limit`);
  }

  /** A request is lost only if its node died, was considered dead, or its store failed. Nothing is charged. */
  #lost(row: RequestRow, { hold, by }: ModelRow): void {
    const { dead, frozen, retired, storeFaults } = this.#day;
    if (row.charged !== 0) this.#wrong(row.id, "is lost, and was charged");
    const isOurs = by === hold.node;
    if (isOurs && storeFaults === 0) this.#wrong(row.id, "was given up by a node with a sound store");
    if (retired.has(hold.node)) this.#wrong(row.id, `was left behind by ${hold.node}, which ended in order`);
    if (!isOurs && !dead.has(hold.node) && !frozen.has(hold.node))
      this.#wrong(row.id, `was taken from ${hold.node}, which lives`);
  }

  /** Charges what was produced, or the prompt if nothing was and the client left or the provider kept refusing it. */
  #broken(row: RequestRow, { settlement, isOwed }: ModelRow): void {
    const last = this.#answering(row);
    const sent = bytesOf(last.flatMap((call) => call.sent));
    const calls = this.#calls.get(row.id) ?? [];
    const wasAsked = calls.some(({ unconnected }) => !unconnected);
    const isByClient = row.fault === "client_gone" || row.fault === "client_timeout";
    if (sent === 0) {
      if (isByClient && wasAsked !== isOwed)
        this.#wrong(
          row.id,
          `was left by its client, ${wasAsked ? "asked" : "not asked"}, and it costs ${row.cost}`,
        );
      if (!isByClient && isOwed && settlement.giveBack.beyond === null)
        this.#wrong(row.id, `nothing was produced, and it costs ${row.cost}`);
      if (isOwed && (row.completion > 0 || (row.source !== "estimate" && row.source !== "none")))
        this.#wrong(row.id, `nothing was produced, and ${row.completion} tokens of it are billed`);
    }
    const limitMs = this.#day.seen.get(row.id)?.plan.timeoutMs ?? null;
    if (row.fault === "client_timeout" && limitMs === null)
      this.#wrong(row.id, "ended by a limit that its client did not set");
    // The whole count may have arrived before the answer broke off or its client left.
    if (row.source === "provider" && last.some(({ reported, invoice }) => reported !== invoice))
      this.#wrong(row.id, "is billed by a count that was not whole");
    const reported = addCounts(last.map((call) => call.reported).filter((report) => report !== null));
    const most = Math.max(Math.ceil(sent / BYTES_PER_TOKEN), reported.completion);
    if (row.completion > most)
      this.#wrong(row.id, `is billed ${row.completion} tokens, at most ${most} were made`);
    if (!isOwed && row.completion > 0) this.#wrong(row.id, "something was produced, and it does not count");
  }

  /** Checks that the call is recorded, ended with its request, and was allowed no more than is held. */
  call(call: CallTruth): void {
    const { requestId: id, asked, cardId } = call;
    const row = this.#rows.get(id);
    if (!row) {
      this.#wrong(id, "called a provider, and has no row");
      return;
    }
    if (call.endedAtMs === null) this.#wrong(id, `call ${call.number} was never ended`);
    const seen = this.#day.seen.get(id);
    const leftAtMs = seen?.plan.idempotencyKey === null ? seen.leftAtMs : null;
    if (
      leftAtMs !== null &&
      leftAtMs !== undefined &&
      (call.endedAtMs ?? 0) > leftAtMs + ENDED_WITHIN_MS &&
      !call.whole
    )
      this.#wrong(id, `call ${call.number} went on after its client had left`);
    const hold = this.#model.admitted.get(id);
    if (hold?.place.kind !== "balance") return;
    const { price } = findModel(cardId);
    const choices = this.#choicesOf(id);
    if (price === null) {
      this.#wrong(id, `a call of ${cardId}, which has no price, is paid for`);
      return;
    }
    // Without a limit in the request, the model's own applies.
    const limit = asked.limit ?? findModel(cardId).outputTokensMax ?? 0;
    const worst = { prompt: 0, completion: choices * limit, cached: 0, cacheWrite: 0, reasoning: 0 };
    const terms = { choices, markupParts: readMarkupParts(this.#day.scenario), atMs: this.#findTime(call) };
    const due = computeBill(cardId, worst, terms);
    if (due > hold.nano) this.#wrong(id, `call ${call.number} may cost ${due}, ${hold.nano} is held`);
  }

  /** Returns what the row may cost: by the price of the time at which its model was called. */
  #listBills(row: RequestRow): readonly bigint[] {
    const { model } = row;
    if (model === null) return [0n];
    const calls = (this.#calls.get(row.id) ?? []).filter(({ cardId }) => cardId === model);
    const terms = { choices: this.#choicesOf(row.id), markupParts: readMarkupParts(this.#day.scenario) };
    return calls.map((call) => computeBill(model, row, { ...terms, atMs: this.#findTime(call) }));
  }

  /** Returns when a call was made by its request's clock: the whole second of the request's start, and what has passed since. */
  #findTime({ requestId, monotonicMs }: CallTruth): number {
    const { atMs = 0, monotonicMs: startedMs = monotonicMs } = this.#day.seen.get(requestId) ?? {};
    return Math.floor(atMs / SECOND_MS) * SECOND_MS + monotonicMs - startedMs;
  }

  /** The calls that together produced the row's answer. */
  #answering(row: RequestRow): readonly CallTruth[] {
    const calls = this.#calls.get(row.id) ?? [];
    return calls.filter(({ attempt, unconnected }) => attempt === row.attempts && !unconnected);
  }

  #choicesOf(id: string): number {
    return this.#day.seen.get(id)?.request.n ?? 1;
  }

  #placeOf(id: string): string | undefined {
    return this.#model.admitted.get(id)?.place.kind;
  }

  #wrong(id: string, what: string): void {
    this.problems.push(`${id} ${what}`);
  }
}

const SECOND_MS = 1000;
const COUNTS = ["prompt", "completion", "cached", "cacheWrite", "reasoning"] as const;

function bytesOf(texts: readonly string[]): number {
  return texts.reduce((sum, text) => sum + Buffer.byteLength(text), 0);
}

function nanoOf(usd: unknown): number {
  return typeof usd === "number" ? Math.round(usd * 1e9) : -1;
}
