// One request's life: admit → plan → attempt → settle. Read this first.
import type { ChatChunk, ChatReply, ChatRequest } from "../core/chat.ts";
import { Fault, faultOf } from "../core/fault.ts";
import type { GatewayKey } from "../core/key.ts";
import type { RouterRules } from "../core/settings.ts";
import type { Log, Random } from "../core/world.ts";
import type { Grant, Ledger } from "../ledger/ledger.ts";
import { type Attempt, planOf, type Selection } from "../router/plan.ts";
import { unfold } from "../wire/fold.ts";
import type { AttemptCall } from "./attempt.ts";
import { streamChoices, wholeChoices } from "./choices.ts";
import { opening } from "./opening.ts";
import { Settlements } from "./settlements.ts";
import { Tally } from "./tally.ts";
import type { Ports, Upstream } from "./upstream.ts";

/** A checked request of a known key, with all that the operator has decided for it. */
export interface Call {
  /** The completion's id: ours, unique. */
  readonly id: string;
  readonly requestId: string;
  readonly key: GatewayKey;
  readonly request: ChatRequest;
  readonly selection: Selection;
  readonly upstreams: ReadonlyMap<string, Upstream>;
  readonly rules: RouterRules;
  readonly markup: number;
  /** What the client allows for all attempts together; null: the provider's own limit. */
  readonly timeoutMs: number | null;
  /** The share of the best quality that the client asks of `Router#fair`; null: the operator's. */
  readonly quality: number | null;
  /** Aborted when nobody waits for the answer: the client is gone, or its reason is the Fault that tells why. */
  readonly ending: AbortController;
}

/** What the client is told about its request beside the answer, filled in as it becomes known. */
export interface Facts {
  limits: Grant["limits"];
  selector: string | null;
  model: string | null;
  attempts: number;
  dropped: readonly string[];
}

export function noFacts(): Facts {
  return { limits: null, selector: null, model: null, attempts: 0, dropped: [] };
}

export interface GatewayPorts extends Ports {
  readonly ledger: Ledger;
  readonly random: Random;
  readonly log: Log;
}

const LOOK_MS = 10;

export class Gateway {
  readonly #ports: GatewayPorts;
  readonly #settlements: Settlements;
  /** Of each request under way, by what it can be ended. */
  readonly #underWay = new Set<AbortController>();

  constructor(ports: GatewayPorts) {
    this.#ports = ports;
    this.#settlements = new Settlements(ports);
  }

  /** Requests under way. */
  get open(): number {
    return this.#underWay.size;
  }

  /** Ends what is under way: its clients are told the fault. */
  end(fault: Fault): void {
    for (const ending of this.#underWay) ending.abort(fault);
  }

  /** Resolves when nothing is under way and all is written down, at the latest after `withinMs`. */
  async settled(withinMs: number): Promise<void> {
    const untilMs = this.#ports.deadlines.nowMs() + withinMs;
    const { promise, resolve } = Promise.withResolvers<void>();
    const look = () => {
      const idle = this.open === 0 && this.#settlements.waiting === 0;
      if (idle || this.#ports.deadlines.nowMs() >= untilMs) return resolve();
      this.#ports.clock.after(LOOK_MS, look);
    };
    look();
    await promise;
  }

  /** The whole answer. Throws the Fault that the client is to see. */
  async complete(call: Call, facts: Facts): Promise<ChatReply> {
    for await (const reply of this.#live(call, facts, (life) => this.#whole(life))) return reply;
    throw new Fault("internal_error", "The gateway gave no answer.");
  }

  /**
   * The answer as it arrives, in batches; the last one holds the usage. The first batch comes with the first part of
   * the answer: until then other attempts may take over, and `facts` is complete with it. Whoever leaves early calls
   * `return()` and fires the call's signal.
   */
  stream(call: Call, facts: Facts): AsyncGenerator<readonly ChatChunk[]> {
    return this.#live(call, facts, (life) => this.#streamed(life));
  }

  /** The one way through: however the answer ends, the request is settled once, before its last part leaves. */
  async *#live<Part>(
    call: Call,
    facts: Facts,
    answer: (life: Life) => AsyncGenerator<Part>,
  ): AsyncGenerator<Part> {
    const { ledger, clock, deadlines } = this.#ports;
    const plan = this.#planOf(call);
    const atMs = clock.nowMs();
    const tally = new Tally(call, facts, atMs, deadlines.nowMs());
    let settle = async () => {};
    this.#underWay.add(call.ending);
    try {
      const grant = await ledger.admit({ id: call.id, key: call.key, nowMs: atMs });
      facts.limits = grant.limits;
      settle = once(() => this.#settle(grant, tally));
      yield* answer({ call, facts, plan, tally, settle });
    } catch (thrown) {
      tally.failed(thrown);
      throw thrown;
    } finally {
      this.#underWay.delete(call.ending);
      await settle();
    }
  }

  async *#whole(life: Life): AsyncGenerator<ChatReply> {
    const { tally, settle } = life;
    const reply = await this.#walk(life, async (attempt, attemptCall) => {
      const reply = await wholeChoices(this.#ports, attemptCall);
      tally.answeredBy(attempt, this.#ports.deadlines.nowMs());
      return reply;
    });
    tally.saw(unfold(reply));
    const usage = tally.finished(reply.usage ?? null);
    await settle();
    yield { ...reply, usage };
  }

  async *#streamed(life: Life): AsyncGenerator<readonly ChatChunk[]> {
    const { tally, settle } = life;
    const { first, rest } = await this.#walk(life, async (attempt, attemptCall) => {
      const opened = await opening(streamChoices(this.#ports, attemptCall));
      tally.answeredBy(attempt, this.#ports.deadlines.nowMs());
      return opened;
    });
    try {
      tally.saw(first);
      yield first;
      let step = await rest.next();
      for (; !step.done; step = await rest.next()) {
        tally.saw(step.value);
        yield step.value;
      }
      const usage = tally.finished(step.value);
      await settle();
      yield [{ choices: [], usage }];
    } finally {
      void rest.return(null).catch(() => {});
    }
  }

  /** Goes through the plan until an attempt answers, or fails in a way that no other attempt would mend. */
  async #walk<Result>(
    { call, facts, plan }: Life,
    run: (attempt: Attempt, attemptCall: AttemptCall) => Promise<Result>,
  ): Promise<Result> {
    const startedMs = this.#ports.deadlines.nowMs();
    if (call.selection.kind === "selector") facts.selector = `Router#${call.selection.selector}`;
    let last: Fault | null = null;
    for (const attempt of plan) {
      const upstream = call.upstreams.get(attempt.card.provider);
      if (!upstream) continue;
      const attemptCall = attemptCallOf(call, facts, attempt, upstream, startedMs);
      facts.attempts++;
      facts.model = attempt.card.id;
      try {
        return await run(attempt, attemptCall);
      } catch (thrown) {
        last = faultOf(thrown);
        this.#logAttempt(call, attempt, last);
        const late = this.#ports.deadlines.nowMs() >= attemptCall.totalAtMs;
        if (!mayGoOn(last, call) || call.ending.signal.aborted || late) break;
      }
    }
    throw last ?? new Fault("no_provider_available", "No provider of this model is on.");
  }

  #planOf(call: Call): readonly Attempt[] {
    const { request, selection, rules, quality, upstreams } = call;
    return planOf({
      request,
      selection,
      rules,
      quality,
      credentialsOf: (provider) => upstreams.get(provider)?.setup.credentials ?? [],
      roll: () => (this.#ports.random.bytes(1)[0] ?? 0) / 256,
    });
  }

  #logAttempt(call: Call, attempt: Attempt, fault: Fault): void {
    this.#ports.log({
      event: "attempt_failed",
      level: fault.row.blame === "client" ? "debug" : "warn",
      request_id: call.requestId,
      model: attempt.card.id,
      fault: fault.code,
      upstream_status: fault.details.upstreamStatus ?? null,
      cause: causeOf(fault.details.cause),
    });
  }

  /** Waits a little for the row: an answer that was free of charge is not withheld until the store can be used again. */
  async #settle(grant: Grant, tally: Tally): Promise<void> {
    const record = tally.record(this.#ports.deadlines.nowMs());
    this.#ports.log({ event: "request", level: "info", record });
    await this.#settlements.add(grant, { counted: tally.produced, record });
  }
}

interface Life {
  readonly call: Call;
  readonly facts: Facts;
  readonly plan: readonly Attempt[];
  readonly tally: Tally;
  /** May be called more than once, settles once. */
  readonly settle: () => Promise<void>;
}

/** Whether the plan's next attempt may succeed where this one failed. */
function mayGoOn({ row }: Fault, { selection }: Call): boolean {
  return row.elsewhere === true || (row.otherModel === true && selection.kind === "selector");
}

function attemptCallOf(
  call: Call,
  facts: Facts,
  { card, credential }: Attempt,
  upstream: Upstream,
  startedMs: number,
): AttemptCall {
  const totalMs = Math.min(upstream.setup.timeouts.totalMs, call.timeoutMs ?? Number.POSITIVE_INFINITY);
  const onDropped = (fields: readonly string[]) => {
    facts.dropped = [...new Set(fields)];
  };
  const { request, ending } = call;
  const totalAtMs = startedMs + totalMs;
  return {
    card,
    credential,
    upstream,
    request,
    choiceOffset: 0,
    client: ending.signal,
    totalAtMs,
    onDropped,
  };
}

/** What the log may say of a cause: a system error's text names the host. */
function causeOf(cause: unknown): string | null {
  if (typeof cause === "string") return cause;
  if (!(cause instanceof Error)) return null;
  return "code" in cause ? String(cause.code) : cause.name;
}

function once(task: () => Promise<void>): () => Promise<void> {
  let running: Promise<void> | null = null;
  return () => {
    running ??= task();
    return running;
  };
}
