// Batches of both payers on virtual time: the gateway's own runner of lines over one store, whose lines go through its core.
import { toFault } from "../../../src/core/faults/fault.ts";
import type { GatewayKey } from "../../../src/core/keys/key.ts";
import type { Selection } from "../../../src/gateway/plan/plan.ts";
import { KeptBatches } from "../../../src/jobs/kept-batches.ts";
import type { LineCall, LineResult } from "../../../src/jobs/ports.ts";
import { BatchRunner } from "../../../src/jobs/runner.ts";
import { addOwnBatch, MemoryFiles, makeJobPorts } from "../../jobs/job-world.ts";
import type { CoreWorld } from "../core-world.ts";
import type { PlannedBatch } from "./plans.ts";

/** Lines that take turns in time have ended by then. */
const END_MS = 12_000;
/** Two members of an account share its lines: there is room for both. */
const RULES = {
  apart: { parallelMax: 16, perAccountMax: 8 },
  together: { parallelMax: 200, perAccountMax: 200 },
};
const DONE = { status: 200, body: "{}", fault: null, costNanoUsd: 0, chargedNanoUsd: 0 };

/** The last try of a line. */
export interface TriedLine {
  readonly line: number;
  readonly kind: string;
  /** Null for a line that has none. */
  readonly requestId: string | null;
  readonly status: string;
}

interface LineParts {
  readonly world: CoreWorld;
  readonly selection: Selection;
  readonly model: string;
  readonly isOneAccount: boolean;
}

export class SideLines {
  readonly #parts: LineParts;
  readonly #batches = new Map<string, PlannedBatch>();
  readonly #keys = new Map<string, GatewayKey>();
  readonly #files = new MemoryFiles();
  readonly #kept: KeptBatches;
  /** By batch and line. */
  readonly #last = new Map<string, { readonly requestId: string; readonly status: string }>();
  #tries = 0;

  constructor(parts: LineParts) {
    this.#parts = parts;
    const { store, clock } = parts.world;
    const rules = parts.isOneAccount ? RULES.together : RULES.apart;
    const own = {
      findKey: async (id: string) => this.#findKey(id),
      call: (line: LineCall) => this.#call(line),
    };
    const ports = makeJobPorts({ store, clock: clock.forLife(() => false), files: this.#files }, own, rules);
    const runner = new BatchRunner(ports);
    this.#kept = new KeptBatches(ports, runner.wake);
    runner.start();
    clock.after(END_MS, () => void parts.world.count(runner.stop(0)));
  }

  async add(key: GatewayKey, batch: PlannedBatch): Promise<void> {
    this.#batches.set(batch.id, batch);
    this.#keys.set(key.id, key);
    const { id, kinds } = batch;
    const plan = { id, lines: kinds.length, modelOf: () => this.#parts.model };
    await addOwnBatch(key, this.#kept, this.#files, plan);
  }

  /** Returns the last try of each line of a batch. */
  list({ id, kinds }: PlannedBatch): readonly TriedLine[] {
    return kinds.map((kind, at) => {
      const last = this.#last.get(`${id} ${at + 1}`);
      return { line: at + 1, kind, requestId: last?.requestId ?? null, status: last?.status ?? "none" };
    });
  }

  #findKey(id: string): GatewayKey {
    const key = this.#keys.get(id);
    if (key === undefined) throw new Error(`There is no key ${id}.`);
    return key;
  }

  async #call(call: LineCall): Promise<LineResult> {
    const { key, terms, line, ending } = call;
    const { model, selection, world } = this.#parts;
    const id = `${terms.batchId}-${line}-${++this.#tries}`;
    const kind = this.#batches.get(terms.batchId)?.kinds[line - 1] ?? "good";
    const content = `say ${kind} ${id.replaceAll("-", "_")}`;
    const request = { model, messages: [{ role: "user" as const, content }] };
    const { ended, leave } = world.send({ id, key, selection, request, line: call });
    ending.tell({ end: leave });
    const requestId = `req-${id}`;
    const result = await ended.then(
      () => DONE,
      (thrown: unknown) => refuse(thrown),
    );
    this.#last.set(`${terms.batchId} ${line}`, { requestId, status: `${result.status}` });
    return { requestId, ...result };
  }
}

function refuse(thrown: unknown): Omit<LineResult, "requestId"> {
  const fault = toFault(thrown);
  if (fault.code === "internal_error") throw thrown;
  return { ...DONE, status: fault.row.status, fault };
}
