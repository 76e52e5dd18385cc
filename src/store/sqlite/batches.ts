// Group commit: the demands of a few event loop turns become one transaction, and are answered after its COMMIT.
import type { Decide, Decision } from "../../core/decision.ts";
import type { Answer, Demand } from "../../core/demand.ts";
import { nextTurn } from "../engine/turns.ts";
import { answerAll, tooMany, WAITING_DEMANDS_MAX, type Waiting } from "../engine/waiting.ts";
import { CHECKOUT } from "../money/checkouts.ts";
import { REQUEST } from "../schema/log-tables.ts";
import { ACCOUNT_STATE, EVENT, MOVEMENT, REPLY } from "../schema/tables.ts";
import type { Connection } from "./connection.ts";
import type { Connector } from "./connector.ts";
import type { RowCache } from "./row-cache.ts";
import type { Statements } from "./statements.ts";

/** A batch of this size blocks the event loop for a few milliseconds. */
const BATCH_DEMANDS_MAX = 500;
/** A batch with more demands than this waits for further ones. Of a few, the wait would be all that is noticed. */
const FEW = 2;
/** A busy loop's turn takes a tenth of a millisecond or two, and a transaction costs as much as several of its demands. */
const TURNS_MAX = 8;

export class Batches {
  readonly #connector: Connector;
  readonly #cache: RowCache;
  readonly #decide: Decide;
  readonly #onCommit: () => void;
  #waiting: Waiting[] = [];
  #running: Promise<void> | null = null;

  /** `onCommit` is called after each transaction. */
  constructor(connector: Connector, cache: RowCache, decide: Decide, onCommit: () => void) {
    this.#connector = connector;
    this.#cache = cache;
    this.#decide = decide;
    this.#onCommit = onCommit;
  }

  add(demand: Demand): Promise<Answer> {
    if (this.#waiting.length >= WAITING_DEMANDS_MAX) return Promise.reject(tooMany());
    return new Promise((resolve, reject) => {
      this.#waiting.push({ demand, sinceMs: Date.now(), resolve, reject });
      this.#running ??= this.#runAll();
    });
  }

  /** Waits until all demands so far are answered. */
  async drain(): Promise<void> {
    await this.#running;
  }

  async #runAll(): Promise<void> {
    while (this.#waiting.length > 0) {
      await this.#gather();
      await this.#run(this.#waiting.splice(0, BATCH_DEMANDS_MAX));
      this.#onCommit();
    }
    this.#running = null;
  }

  /** Waits for the demands of this turn, and on a busy gateway for as long as each turn brings more. */
  async #gather(): Promise<void> {
    for (let turn = 0, before = 0; turn < TURNS_MAX; turn++) {
      await nextTurn();
      if (this.#waiting.length <= Math.max(FEW, before)) return;
      before = this.#waiting.length;
    }
  }

  #run(batch: readonly Waiting[]): Promise<void> {
    return answerAll(batch, (demands) =>
      this.#connector.run((connection) => this.#transact(connection, demands), batch[0]?.sinceMs),
    );
  }

  #transact(connection: Connection, demands: readonly Demand[]): readonly Answer[] {
    const { sql } = connection;
    const decision = connection.write(() => {
      const rows = this.#cache.rowsFor(sql, demands);
      const decided = this.#decide(rows, demands);
      writeDecision(sql, decided);
      return decided;
    });
    this.#cache.keep(decision);
    return decision.answers;
  }
}

function writeMoney(sql: Statements, decision: Decision): void {
  for (const { id, balanceNanoUsd, heldNanoUsd, entries, keptCharacters } of decision.accounts) {
    sql.setMoney.run(balanceNanoUsd, heldNanoUsd, entries, keptCharacters, id);
  }
  for (const account of decision.states) {
    sql.setState.run(account.id, ...ACCOUNT_STATE.valuesOf(account));
  }
  for (const movement of decision.movements) sql.addMovement.run(...MOVEMENT.valuesOf(movement));
  for (const checkout of decision.checkouts) sql.putCheckout.run(...CHECKOUT.valuesOf(checkout));
}

function writeSums(sql: Statements, decision: Decision): void {
  sql.addUsage(decision.usage);
  sql.addTagUsage(decision.tagUsage);
  sql.addTagsOfDays(decision.tagsOfDays);
  sql.addCalls(decision.calls);
  sql.addFirstTokens(decision.firstTokens);
}

function writeDecision(sql: Statements, decision: Decision): void {
  writeMoney(sql, decision);
  sql.putSpends(decision.spends);
  sql.putMeters(decision.meters);
  sql.putOwners(decision.owners);
  for (const { accountId, id } of decision.holdsGone) sql.removeHold.run(accountId, id);
  sql.putHolds(decision.holds);
  sql.addEntries(decision.entries);
  sql.addRequests(decision.requests);
  for (const record of decision.requestsAmended) sql.amendRequest.run(...REQUEST.valuesOf(record));
  for (const { accountId, id } of decision.repliesGone) sql.removeReply.run(accountId, id);
  for (const reply of decision.replies) sql.putReply.run(...REPLY.valuesOf(reply));
  writeSums(sql, decision);
  for (const event of decision.events) sql.addEvent.run(...EVENT.valuesOf(event));
}
