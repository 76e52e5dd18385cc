// Collects an answer as its client sees it, whole or streamed, to keep it at its end.
import type { AnswerEnd, Around } from "../../gateway/step.ts";
import type { Form } from "../../operations/form.ts";
import type { Folding, Operation } from "../../operations/operation.ts";
import type { Kept } from "./kept.ts";

/** A stream's chunks are several times as long as the reply that they fold to. */
const TIMES_COLLECTED_MAX = 32;
/** The ends of an answer that has all of what was asked for. */
const ORDINARY: ReadonlySet<string> = new Set(["stop", "tool_calls"]);

interface Collecting<F extends Form> {
  readonly operation: Operation<F>;
  readonly isNative: boolean;
  /** True if the JSON says that the provider ran a tool. */
  readonly hasToolRun: (json: string) => boolean;
  /** Keeps a whole answer with an ordinary end. Called with null if there is none. */
  readonly keep: (answer: Omit<Kept<F>, "id"> | null) => Promise<void>;
}

export class Keeper<F extends Form> implements Around<F> {
  readonly #parts: Collecting<F>;
  #reply: F["reply"] | null = null;
  #folding: Folding<F> | null;
  #pieces: unknown[] = [];
  #characters = 0;

  constructor(parts: Collecting<F>) {
    this.#parts = parts;
    this.#folding = parts.operation.fold();
  }

  whole(reply: F["reply"]): F["reply"] {
    this.#reply = reply;
    return reply;
  }

  pass(pieces: readonly F["piece"][]): readonly F["piece"][] {
    const { operation, isNative } = this.#parts;
    if (this.#folding === null) return pieces;
    this.#characters += this.#folding.add(pieces);
    if (isNative) for (const one of operation.keeping?.write(pieces) ?? []) this.#pieces.push(one);
    if (this.#characters > TIMES_COLLECTED_MAX * operation.keptBytesMax) {
      this.#folding = null;
      this.#pieces = [];
    }
    return pieces;
  }

  end(): readonly F["piece"][] {
    return [];
  }

  async over({ fault, isStored, usage, record, finishes }: AnswerEnd<F>): Promise<void> {
    const { operation, isNative, hasToolRun, keep } = this.#parts;
    const reply = this.#reply ?? this.#folding?.reply() ?? null;
    const isWhole = fault === null && isStored && record?.ended === "done" && usage !== null;
    const isOrdinary = finishes.every((finish) => ORDINARY.has(finish));
    if (reply === null || !isWhole || !isOrdinary || record.amounts.searches > 0) return keep(null);
    const pieces = isNative && this.#reply === null ? this.#pieces : null;
    const shown = operation.withUsage(reply, usage);
    if (hasToolRun(JSON.stringify(shown)) || pieces?.some((one) => hasToolRun(String(one))))
      return keep(null);
    const { modelUsed, costNanoUsd } = record;
    return keep({ model: modelUsed ?? "", costNanoUsd, reply: shown, pieces });
  }
}
