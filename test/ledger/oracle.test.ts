// Decisions on pages that last, changed in place, are those of version 1.2 on rows that nothing changes
// (test/ledger/oracle). `ORACLE_DEMANDS=1000000 bun test ledger/oracle` compares a million.
import { expect, test } from "bun:test";
import type { Answer, Demand } from "../../src/core/demand.ts";
import { decide } from "../../src/ledger/decide.ts";
import { Dice } from "../sim/dice.ts";
import { decide as decidePlainly } from "./oracle/decide.ts";
import { Demands } from "./oracle/demands.ts";
import { copyDecision, PagedWorld, PlainWorld } from "./oracle/rows.ts";

const DEMANDS = Number(process.env.ORACLE_DEMANDS ?? 4000);
/** The demands of one made-up gateway. */
const DEMANDS_EACH = 1000;
const BATCH_MAX = 6;

class Comparison {
  readonly #dice: Dice;
  readonly #demands: Demands;
  readonly #plain: PlainWorld;
  readonly #paged: PagedWorld;

  constructor(seed: number) {
    this.#dice = new Dice(seed);
    this.#demands = new Demands(this.#dice);
    this.#plain = new PlainWorld(this.#demands);
    this.#paged = new PagedWorld(this.#plain);
  }

  /** Decides a batch in both ways. Returns its answers. */
  step(seed: number): readonly Answer[] {
    const demands: Demand[] = [];
    for (let count = this.#dice.int(1, BATCH_MAX); count > 0; count--) demands.push(this.#demands.next());
    const plain = decidePlainly(this.#plain.rowsFor(demands), demands);
    const expected = copyDecision(plain);
    // A batch that isn't committed leaves nothing behind, and is decided again.
    if (this.#dice.chance(0.15)) {
      decide(this.#paged.rowsFor(demands), demands).takeBack();
      expect([seed, this.#paged.listDifferences()]).toEqual([seed, []]);
    }
    const paged = decide(this.#paged.rowsFor(demands), demands);
    const copy = copyDecision(paged);
    if (!Bun.deepEquals(copy, expected)) expect([seed, copy]).toEqual([seed, expected]);
    this.#plain.write(plain);
    const { answers } = paged;
    paged.keep();
    for (const [at, demand] of demands.entries()) {
      const answer = answers[at];
      if (answer) this.#demands.hear(demand, answer);
    }
    return answers;
  }

  finish(seed: number): void {
    expect([seed, this.#paged.listDifferences()]).toEqual([seed, []]);
  }
}

test("pages are decided on as plain rows are", () => {
  const kinds = new Map<string, number>();
  let count = 0;
  for (let seed = 1; count < DEMANDS; seed++) {
    const comparison = new Comparison(seed);
    for (const end = count + DEMANDS_EACH; count < end; ) {
      for (const answer of comparison.step(seed)) {
        const kind = answer.kind === "refused" ? answer.fault.code : answer.kind;
        kinds.set(kind, (kinds.get(kind) ?? 0) + 1);
        count++;
      }
    }
    comparison.finish(seed);
  }
  console.log(`${count} demands: ${[...kinds].map(([kind, times]) => `${times} ${kind}`).join(", ")}`);
  const met = [
    "granted",
    "settled",
    "lacking",
    "replayed",
    "pending",
    "funded",
    "moved",
    "budget_exceeded",
    "insufficient_balance",
  ];
  expect(met.filter((kind) => !kinds.has(kind))).toEqual([]);
}, 3_600_000);
