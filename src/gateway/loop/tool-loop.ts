// A response whose model may call tools that the gateway runs: the model is asked, its calls are made, and it is asked again,
// until it calls none. Each question and each call is a request of its own.
import { type Fault, toFault } from "../../core/faults/fault.ts";
import type { ToolLoopBounds } from "../../core/tools/rules.ts";
import type { Ending } from "../../core/world/ending.ts";

/** Calls of one turn that are made at once. */
const CALLS_AT_ONCE = 4;

/** A model's answer: its calls of tools that the gateway runs. */
interface LoopTurn<Call> {
  readonly calls: readonly Call[];
  /** True if the client goes on after it. */
  readonly isLast: boolean;
}

interface LoopWork<Call> {
  /** Asks the model. Null if nothing is left of the client's limit on the output. */
  ask(mayCall: boolean): Promise<LoopTurn<Call> | null>;
  /** Makes a call. Never rejects: the model reads of a failure. */
  run(call: Call): Promise<void>;
  /** Takes note of a call beyond the bounds, which isn't made. */
  refuse(call: Call): void | Promise<void>;
}

/** The end of a loop that came early. Null if the model has said all that it would. */
export type EarlyEnd = { readonly kind: "fault"; readonly fault: Fault } | { readonly kind: "output" } | null;

type LoopParts<Call> = LoopWork<Call> & {
  readonly bounds: Pick<ToolLoopBounds, "roundsMax" | "callsMax">;
  /** Ends all of it. */
  readonly ending: Ending;
};

export class ToolLoop<Call> {
  readonly #parts: LoopParts<Call>;
  #asked = 0;
  #called = 0;
  /** False once the model was asked without tools: whatever it answers is its last answer. */
  #hadTools = true;

  constructor(parts: LoopParts<Call>) {
    this.#parts = parts;
  }

  /** False for the last question, and once no call may be made any more. */
  get mayCall(): boolean {
    const { roundsMax, callsMax } = this.#parts.bounds;
    return this.#asked < roundsMax - 1 && this.#called < callsMax;
  }

  /** Throws what the first question to the model fails with. A later failure ends the response with what there is. */
  async run(): Promise<EarlyEnd> {
    let turn = await this.#ask();
    while (turn !== null) {
      const isOver = turn.isLast || turn.calls.length === 0 || !this.#hadTools;
      await this.#runAll(turn.calls);
      const { reason } = this.#parts.ending;
      if (reason !== null) return { kind: "fault", fault: reason };
      if (isOver) return null;
      try {
        turn = await this.#ask();
      } catch (thrown) {
        return { kind: "fault", fault: toFault(thrown) };
      }
    }
    return { kind: "output" };
  }

  #ask(): Promise<LoopTurn<Call> | null> {
    this.#hadTools = this.mayCall;
    this.#asked++;
    return this.#parts.ask(this.#hadTools);
  }

  async #runAll(calls: readonly Call[]): Promise<void> {
    const { run, refuse, bounds } = this.#parts;
    const left = Math.max(0, bounds.callsMax - this.#called);
    const waiting = this.#hadTools ? calls.slice(0, left) : [];
    const refused = calls.slice(waiting.length);
    this.#called += waiting.length;
    const next = async () => {
      for (let call = waiting.shift(); call !== undefined; call = waiting.shift()) await run(call);
    };
    await Promise.all(Array.from({ length: CALLS_AT_ONCE }, next));
    for (const call of refused) await refuse(call);
  }
}
