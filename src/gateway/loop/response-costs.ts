// The costs of one response: those of all its requests together, as far as they are settled.
import { type NanoUsd, toUsd } from "../../core/money/money.ts";
import type { Form } from "../../operations/form.ts";
import type { Operation } from "../../operations/operation.ts";
import type { Facts } from "../call.ts";
import type { RequestContext } from "../context.ts";

/** A request of the response: to a model, or to a tool. */
type EndedRequest = Pick<RequestContext<never>, "costs" | "record" | "settlement">;

export class ResponseCosts<F extends Form> {
  readonly #operation: Operation<F>;
  readonly #usages: F["usage"][] = [];
  cost: NanoUsd = 0;
  charged: NanoUsd = 0;

  constructor(operation: Operation<F>) {
    this.#operation = operation;
  }

  /** Adds a request that has ended, however it did: one that fails may have been charged for what it had brought. */
  async add({ costs, record, settlement }: EndedRequest): Promise<void> {
    const settled = costs === null ? await settlement : null;
    this.cost += costs?.cost ?? (settled ? (record?.costNanoUsd ?? 0) : 0);
    this.charged += costs?.charged ?? settled?.chargedNanoUsd ?? 0;
  }

  /** Adds the tokens of a question to the model. */
  addTokens(usage: F["usage"] | null): void {
    if (usage !== null) this.#usages.push(usage);
  }

  /** Returns the sum. Null if no model has reported any tokens. */
  sum(): F["usage"] | null {
    const usage = this.#operation.addUsages(this.#usages);
    const costs = { cost: toUsd(this.cost), charged: toUsd(this.charged) };
    return usage && this.#operation.withCost(usage, costs);
  }

  /** Returns the facts of the first request with the costs of all. */
  describe(first: RequestContext<F>): Facts {
    const { granted, selector, model, attempts, dropped, times, replayed, cached } = first;
    const { attempt, removedReasoning, call } = first;
    const costs = { cost: this.cost, charged: this.charged };
    const answered = { model, attempts, dropped, attempt, removedReasoning, call, replayed, cached };
    return { granted, selector, ...answered, times, costs };
  }
}
