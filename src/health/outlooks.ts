// The outlooks of one model for each payer, kept until they change.

import type { Deployment } from "./deployment.ts";
import { foresee, type Outlook } from "./speed.ts";

/** Selectors read those of thousands of models at each request. */
export class Outlooks {
  readonly #deployments: ReadonlyMap<string, Deployment>;
  /** By payer. Those that haven't called the model have the one of null. */
  readonly #kept = new Map<string | null, Outlook>();
  /** The payer that asked last, and its outlook. */
  #payer = "";
  #last: Outlook | null = null;

  constructor(deployments: ReadonlyMap<string, Deployment>) {
    this.#deployments = deployments;
  }

  read(nowMs: number, payer: string): Outlook {
    if (payer !== this.#payer || this.#last === null || nowMs >= this.#last.untilMs)
      this.#last = this.#find(nowMs, payer);
    this.#payer = payer;
    return this.#last;
  }

  clear(): void {
    this.#last = null;
    if (this.#kept.size > 0) this.#kept.clear();
  }

  #find(nowMs: number, payer: string): Outlook {
    const deployments = [...this.#deployments.values()];
    const reader = deployments.some(({ speedsBy }) => speedsBy.find(payer)) ? payer : null;
    const kept = this.#kept.get(reader);
    if (kept !== undefined && nowMs < kept.untilMs) return kept;
    const made = foresee(deployments, nowMs, payer);
    this.#kept.set(reader, made);
    return made;
  }
}
