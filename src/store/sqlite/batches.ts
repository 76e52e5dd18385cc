// Group commit: the demands of a few event loop turns become one transaction, and are answered after its COMMIT.
import type { Decide, Decision } from "../../core/decision.ts";
import type { Answer, Demand } from "../../core/demand.ts";
import { Fault } from "../../core/faults/fault.ts";
import {
  answerAll,
  answerEach,
  answerWaiting,
  tooMany,
  WAITING_DEMANDS_MAX,
  type Waiting,
} from "../engine/waiting.ts";
import { CHECKOUT } from "../money/checkouts.ts";
import { REQUEST } from "../schema/log-tables.ts";
import { ACCOUNT_STATE, EVENT, MOVEMENT } from "../schema/tables.ts";
import type { Connection } from "./connection.ts";
import { type Connector, LOCKED } from "./connector.ts";
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
  #isRunning = false;
  /** The turns of the running wait, and how many demands there were at its last one. */
  #turns = 0;
  #before = 0;
  #drained: (() => void)[] = [];
  /** The decision that isn't committed yet. */
  #open: Decision | null = null;

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
      if (!this.#isRunning) this.#wait();
    });
  }

  /** Waits until all demands so far are answered. */
  async drain(): Promise<void> {
    if (this.#isRunning) await new Promise<void>((resolve) => this.#drained.push(resolve));
  }

  #wait(): void {
    this.#isRunning = true;
    this.#turns = 0;
    this.#before = 0;
    setImmediate(this.#gather);
  }

  /** Waits for the demands of this turn, and on a busy gateway for as long as each turn brings more. */
  readonly #gather = (): void => {
    const { length } = this.#waiting;
    if (++this.#turns < TURNS_MAX && length > Math.max(FEW, this.#before)) {
      this.#before = length;
      setImmediate(this.#gather);
      return;
    }
    const batch = this.#waiting;
    this.#waiting = length > BATCH_DEMANDS_MAX ? batch.splice(BATCH_DEMANDS_MAX) : [];
    this.#run(batch);
  };

  /** Runs one transaction for the batch, at once: only another process's lock, or a refused demand, makes it wait. */
  #run(batch: readonly Waiting[]): void {
    const demands: Demand[] = [];
    for (const { demand } of batch) demands.push(demand);
    try {
      const answers = this.#connector.runNow((connection) => this.#transact(connection, demands));
      if (answers === LOCKED) {
        void answerAll(batch, this.#runLater(batch)).then(this.#end);
        return;
      }
      answerWaiting(batch, answers);
    } catch (error) {
      if (batch.length > 1 && !(error instanceof Fault)) {
        void answerEach(batch, this.#runLater(batch)).then(this.#end);
        return;
      }
      for (const { reject } of batch) reject(error);
    }
    this.#end();
  }

  #runLater(batch: readonly Waiting[]) {
    return (demands: readonly Demand[]) =>
      this.#connector.run((connection) => this.#transact(connection, demands), batch[0]?.sinceMs);
  }

  readonly #end = (): void => {
    this.#onCommit();
    if (this.#waiting.length > 0) {
      this.#wait();
      return;
    }
    this.#isRunning = false;
    for (const resolve of this.#drained.splice(0)) resolve();
  };

  #transact(connection: Connection, demands: readonly Demand[]): readonly Answer[] {
    try {
      const decision = connection.write(() => this.#write(connection.sql, demands));
      const { answers } = decision;
      decision.keep();
      return answers;
    } catch (error) {
      this.#open?.takeBack();
      this.#cache.clear();
      throw error;
    } finally {
      this.#open = null;
    }
  }

  #write(sql: Statements, demands: readonly Demand[]): Decision {
    const decision = this.#decide(this.#cache.rowsFor(sql, demands), demands);
    this.#open = decision;
    writeDecision(sql, decision, this.#cache);
    return decision;
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

function writeDecision(sql: Statements, decision: Decision, cache: RowCache): void {
  writeMoney(sql, decision);
  sql.putSpends(decision.spends);
  sql.putMeters(decision.meters);
  sql.putOwners(decision.owners);
  sql.removeHolds(decision.holdsGone);
  sql.putHolds(decision.holds);
  sql.addEntries(decision.entries);
  sql.addRequests(decision.requests);
  for (const record of decision.requestsAmended) sql.amendRequest.run(...REQUEST.valuesOf(record));
  for (const { accountId, id } of decision.repliesGone) {
    sql.removeReply.run(accountId, id);
    cache.dropReply(id);
  }
  sql.putReplies(decision.replies);
  for (const reply of decision.replies) cache.keepReply(reply);
  writeSums(sql, decision);
  for (const event of decision.events) sql.addEvent.run(...EVENT.valuesOf(event));
}
