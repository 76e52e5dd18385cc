// A batch with real books whose end meets a kill: nodes that die at a step, settlements that come later than their nodes.
import type { Batch } from "../../src/core/batches/batch.ts";
import { hasEnded, nameLineReply } from "../../src/core/batches/batch.ts";
import { Fault } from "../../src/core/faults/fault.ts";
import type { RequestRecord } from "../../src/core/log/record.ts";
import type { Store } from "../../src/core/store.ts";
import type { Ending } from "../../src/core/world/ending.ts";
import { cancelKept, KeptBatches } from "../../src/jobs/kept-batches.ts";
import type { JobPorts, LineCall, LineResult } from "../../src/jobs/ports.ts";
import { BatchRunner } from "../../src/jobs/runner.ts";
import type { Outcome } from "../../src/ledger/outcome.ts";
import { ManualClock } from "../harness/manual-clock.ts";
import { addKey, give, makeOutcome, makeRecord, NOON } from "../harness/samples.ts";
import { openPayments, type Payments } from "../ledger/payments.ts";
import { addBatch, MemoryFiles, makeJobPorts, readIds } from "./job-world.ts";

export const WHOLE_COST = 1000;
/** A client that left before the first word owes this. */
export const LEFT_COST = 10;
export const LINES = 24;
export const PARALLEL = 4;
/** The lines that fit under the ceiling: some of their answers have no result yet as the last one ends. */
const CEILING_LINES = 16;
const ANSWER_MS = 400;
/** Some lines are answered by then, of which some have no result yet, and some are in flight. */
const END_MS = 1500;
const COUNTED_FROM_MS = 1300;
const RESTART_MS = 700;
const GIVEN_UP_MS = 3000;
const STEP_MS = 100;
const SOON_MS = 10_000;
const LAST_MS = 600_000;

export const ENDS = ["cancel", "expiry", "revocation", "closure", "ceiling"] as const;
type End = (typeof ENDS)[number];

/** A node is killed and starts again, is killed while another one runs, or is given up by that one although it lives. */
export const FATES = ["restarted", "taken over", "given up"] as const;
type Fate = (typeof FATES)[number];

export interface EndPlan {
  readonly end: End;
  readonly fate: Fate;
  /** The step at which that happens. Infinity for never. */
  readonly killAt: number;
  /** A settlement that a node has sent comes so much later, whatever becomes of the node. */
  readonly lagMs: number;
}

/** A node's process. Killed, it sees nothing any more. */
class Life {
  readonly name: string;
  isDead = false;
  readonly #onStep: () => void;

  constructor(name: string, onStep: () => void) {
    this.name = name;
    this.#onStep = onStep;
  }

  /** It may be killed before something is done, or before it learns that it is. */
  async step<T>(work: () => Promise<T>): Promise<T> {
    this.#onStep();
    if (this.isDead) return new Promise(() => {});
    const done = await work();
    this.#onStep();
    return this.isDead ? new Promise(() => {}) : done;
  }
}

/** All that the books and the files say of the batch. */
interface Sight {
  readonly batch: Batch;
  readonly output: readonly number[];
  readonly errors: readonly number[];
  readonly rows: readonly RequestRecord[];
  /** The steps from just before the end on. */
  readonly steps: number;
}

export class EndWorld {
  readonly #clock = new ManualClock();
  readonly #files = new MemoryFiles();
  readonly #store: Store;
  readonly #plan: EndPlan;
  readonly #payments: Payments;
  readonly #dead = new Set<string>();
  /** Requests that are under way, each with its node. */
  readonly #open = new Map<string, Life>();
  readonly #first: Life;
  #isEnding = false;
  #steps = 0;
  #calls = 0;
  /** Lines that were charged. */
  #paid = 0;
  #killedMs = Number.POSITIVE_INFINITY;
  #hasFollowed = false;

  constructor(store: Store, plan: EndPlan) {
    this.#store = store;
    this.#plan = plan;
    const clock = { nowMs: () => this.#nowMs };
    this.#payments = openPayments(store, { billing: { charge: "always" }, clock });
    this.#first = new Life("node-1", () => this.#countStep());
  }

  get #nowMs(): number {
    return NOON + this.#clock.nowMs();
  }

  async run(id: string): Promise<Sight> {
    await addKey(this.#store, "key_a");
    await give(this.#store, "default", LINES * 10 * WHOLE_COST);
    const kept = this.#start(this.#first);
    const batch = await addBatch(kept, { store: this.#store, files: this.#files }, id, LINES);
    await this.#clock.move(COUNTED_FROM_MS);
    // The first node has the block with all lines by now.
    if (this.#plan.fate !== "restarted") this.#start(new Life("node-2", () => {}));
    let ended: Batch | null = null;
    while (ended === null && this.#clock.nowMs() < LAST_MS) {
      if (!this.#isEnding && this.#clock.nowMs() >= END_MS) await this.#end(batch);
      await this.#clock.move(this.#clock.nowMs() < SOON_MS ? STEP_MS : 10 * STEP_MS);
      await this.#followKill();
      const found = await this.#store.batches.find(id);
      ended = found !== null && hasEnded(found) ? found : null;
    }
    if (ended === null) throw new Error("The batch didn't end.");
    const steps = this.#steps;
    await this.#clock.move(this.#plan.lagMs + 12_000);
    await this.#voidLost();
    const rows = await this.#store.requests({ batchId: id }, { limit: 500, after: null });
    const { outputFileId, errorFileId } = ended.detail;
    const [output, errors] = [await this.#read(outputFileId), await this.#read(errorFileId)];
    return { batch: ended, output, errors, rows, steps };
  }

  #countStep(): void {
    if (this.#clock.nowMs() < COUNTED_FROM_MS) return;
    if (++this.#steps !== this.#plan.killAt) return;
    if (this.#plan.fate === "given up") this.#dead.add(this.#first.name);
    else this.#first.isDead = true;
    this.#killedMs = this.#clock.nowMs();
  }

  /** The process starts again under its name, or the other node gives it up. */
  async #followKill(): Promise<void> {
    const sinceMs = this.#clock.nowMs() - this.#killedMs;
    if (this.#clock.nowMs() % 2000 === 0) await this.#voidLost();
    if (this.#plan.fate !== "restarted") {
      if (sinceMs >= GIVEN_UP_MS) this.#dead.add(this.#first.name);
    } else if (sinceMs >= RESTART_MS && !this.#hasFollowed) {
      this.#hasFollowed = true;
      this.#start(new Life(this.#first.name, () => {}));
    }
  }

  async #voidLost(): Promise<void> {
    await this.#clock.await(() => this.#payments.ledger.resolveLost(() => this.#listRunning()));
  }

  /** A node that another one gives up says nothing more of its own. */
  #listRunning(): readonly string[] {
    const isHeard = ({ name, isDead }: Life) => !isDead && !this.#dead.has(name);
    return [...this.#open].flatMap(([id, life]) => (isHeard(life) ? [id] : []));
  }

  async #end(batch: Batch): Promise<void> {
    this.#isEnding = true;
    const { end } = this.#plan;
    if (end === "cancel") await cancelKept({ store: this.#store, clock: this.#clock }, batch);
    if (end === "closure") await this.#clock.await(() => this.#store.purgeAccount("default", 1000));
    if (end !== "expiry") return;
    await this.#store.batches.change(batch, { numbers: [] }, (found) =>
      found === null
        ? { result: null }
        : { batch: { ...found, expiresAtMs: this.#clock.nowMs() }, result: null },
    );
  }

  #start(life: Life): KeptBatches {
    const ports = makeJobPorts(
      { store: this.#store, clock: this.#clock, files: this.#makeFiles(life) },
      {
        store: this.#makeStore(life),
        isBusy: () => life.isDead,
        findKey: (id) => life.step(() => this.#findKey(id)),
        call: (line) => this.#call(line, life),
        replay: ({ reply }) => life.step(async () => ({ status: 200, body: reply.sealed ?? "" })),
        log: (event) => {
          if (event.level === "error") throw new Error(JSON.stringify(event));
        },
      },
      { parallelMax: PARALLEL },
    );
    const runner = new BatchRunner(ports);
    runner.start();
    return new KeptBatches(ports, runner.wake);
  }

  #makeStore(life: Life): JobPorts["store"] {
    const { batches, request } = this.#store;
    const reach = <T>(work: () => Promise<T>) => life.step(() => this.#clock.await(work));
    const isClosed = () => this.#plan.end === "closure" && this.#isEnding;
    return {
      batches: {
        ...batches,
        list: (filter, page) => reach(() => batches.list(filter, page)),
        change: (of, wanted, decide) => reach(() => batches.change(of, wanted, decide)),
      },
      account: async (id) => {
        const account = await this.#clock.await(() => this.#store.account(id));
        return account && { ...account, closingAtMs: isClosed() ? NOON : null };
      },
      request: (id) => reach(() => request(id)),
      node: life.name,
      listDead: async (nodes) => nodes.filter((one) => this.#dead.has(one)),
    };
  }

  #makeFiles(life: Life): MemoryFiles {
    const { pieces } = this.#files;
    return this.#files.withPieces({
      write: (...given) => life.step(() => pieces.write(...given)),
      read: (...given) => life.step(() => pieces.read(...given)),
      remove: (...given) => life.step(() => pieces.remove(...given)),
    });
  }

  async #findKey(id: string) {
    const { end } = this.#plan;
    if (this.#isEnding && (end === "revocation" || end === "closure"))
      throw new Fault("invalid_api_key", "It was revoked.");
    return this.#clock.await(() => addKey(this.#store, id));
  }

  /** The gateway, as a line goes through it: admitted, asked, settled. */
  async #call(line: LineCall, life: Life): Promise<LineResult> {
    line.placing.plan([]);
    const { batchId } = line.terms;
    const running = this.#listRunning().length;
    if (this.#plan.end === "ceiling" && this.#paid + running >= CEILING_LINES)
      return refuseUnpaid(line, running);
    const id = `${batchId}-${++this.#calls}`;
    const replyId = nameLineReply(batchId, line.line);
    const ticket = this.#payments.ticket(id, line.key, WHOLE_COST, {
      idempotency: { replyId, bodyDigest: "" },
      nowMs: this.#nowMs,
    });
    this.#open.set(id, life);
    for (;;) {
      const admit = () => this.#clock.await(() => this.#payments.ledger.admit(ticket));
      const admitted = await life.step(admit);
      if (admitted.kind === "granted") break;
      this.#open.delete(id);
      if (admitted.kind === "replayed") return { ...DONE, body: admitted.sealed };
      // Its first try is lost with its node, or under way there.
      await this.#sleep(500);
      if (line.ending.reason !== null) return refuse(new Fault("client_gone", "It left."));
      this.#open.set(id, life);
    }
    const isLeft = await life.step(() => this.#work(line.ending));
    const ask = { batchId, batchLine: line.line, customId: line.customId };
    const left = makeLeft(makeOutcome(ticket, { ...ask, costNanoUsd: LEFT_COST }));
    const done = makeOutcome(ticket, { ...ask, costNanoUsd: WHOLE_COST });
    const sealedReply = JSON.stringify({ line: line.line });
    const outcome = isLeft ? left : { ...done, sealedReply, makeUnread: () => left };
    const sent = this.#sleep(this.#plan.lagMs).then(async () => {
      const settle = () => this.#payments.ledger.settle(ticket, outcome);
      if ((await this.#clock.await(settle)).chargedNanoUsd > 0) this.#paid++;
    });
    await life.step(() => sent);
    this.#open.delete(id);
    return isLeft ? refuse(new Fault("client_gone", "It left.")) : { ...DONE, body: sealedReply };
  }

  #work(ending: Ending): Promise<boolean> {
    return new Promise((resolve) => {
      ending.tell({ end: () => resolve(true) });
      this.#clock.after(ANSWER_MS, () => resolve(ending.reason !== null));
    });
  }

  #sleep(ms: number): Promise<void> {
    return ms === 0 ? Promise.resolve() : new Promise((resolve) => this.#clock.after(ms, resolve));
  }

  /** Returns the numbers of the lines in a file of results. */
  async #read(id: string | null): Promise<readonly number[]> {
    const ids = await readIds({ store: this.#store, files: this.#files }, id);
    return ids.map((one) => Number(one.slice("line-".length)) + 1);
  }
}

const DONE = {
  requestId: "req",
  status: 200,
  fault: null,
  costNanoUsd: WHOLE_COST,
  chargedNanoUsd: WHOLE_COST,
} as const;

function refuse(fault: Fault): LineResult {
  return { requestId: "req", status: fault.row.status, body: "{}", fault, costNanoUsd: 0, chargedNanoUsd: 0 };
}

/** The ceiling leaves nothing for this line: if nothing is in flight, for none that is left. */
function refuseUnpaid({ terms }: LineCall, running: number): LineResult {
  const name = running === 0 ? terms.batchId : "another";
  const limit = { scope: "account", name, kind: "budget", limit: 1, used: 1 } as const;
  const code = running === 0 ? "budget_exceeded" : "budget_reserved";
  return refuse(new Fault(code, "Refused.", { limit }));
}

function makeLeft({ record, giveBack }: Outcome): Outcome {
  const left = { ...makeRecord(record.id), ...record, ended: "client_gone", status: 499 } as const;
  return { record: left, giveBack, produced: false, isDue: true, sealedReply: null };
}
