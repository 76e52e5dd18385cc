// Card payments: credited once a checkout, and taken back by refunds and disputes, in whatever order their events come.
import { makeAuditEvent } from "../../../../src/core/audit/audit-log.ts";
import {
  type Checkout,
  type CheckoutChange,
  type CheckoutOutcome,
  type CheckoutStep,
  TAKING_STATES,
  type Taking,
  type TakingStep,
} from "../../../../src/core/books/checkout.ts";
import type { Answer, Demand } from "../../../../src/core/demand.ts";
import { type EventType, makeEvent } from "../../../../src/core/events/events.ts";
import { Fault } from "../../../../src/core/faults/fault.ts";
import { type NanoUsd, toUsd } from "../../../../src/core/money/money.ts";
import type { Store } from "../../../../src/core/store.ts";
import { makeAnswerError } from "../../../../src/ledger/answers.ts";
import type { Books } from "../books.ts";
import { move, moveOn, refuseExcess, settleDue } from "./movements.ts";

/** A payment of a thousand dollars may be refunded by the cent: the row of one must stay small. */
const TAKINGS_MAX = 500;

/** Throws the Faults `not_found`, and `invalid_value` for a step that can't be booked. */
export async function recordCheckoutStep(
  store: Pick<Store, "transact">,
  change: Omit<CheckoutChange, "kind">,
): Promise<CheckoutOutcome> {
  const { accountId, checkoutId } = change;
  const reads: Demand["reads"] = {
    accountId,
    keyId: null,
    owners: [],
    days: [],
    requestId: null,
    replyId: null,
    movementId: null,
    checkoutId,
  };
  const answer = await store.transact({ kind: "checkout", ...change, reads });
  if (answer.kind === "refused") throw answer.fault;
  if (answer.kind !== "checkout") throw makeAnswerError(answer);
  return answer;
}

export function changeCheckout(books: Books, demand: CheckoutChange): Answer {
  const { accountId, checkoutId, step } = demand;
  const before = books.checkouts.get(checkoutId);
  const account = books.accounts.get(accountId);
  if (before === null || account === null) return refuse("not_found", "There is no such checkout.");
  const after = applyStep(before, step);
  if (after === null) return { kind: "checkout", account, checkout: before, isNew: false };
  if (after.takings.length > TAKINGS_MAX) {
    return refuse(
      "invalid_value",
      `A payment can't have more than ${TAKINGS_MAX} refunds and disputes together.`,
    );
  }
  const excess = refuseExcess(account, after.paidNanoUsd - before.paidNanoUsd);
  if (excess !== null) return { kind: "refused", fault: excess };
  books.checkouts.put(checkoutId, after);
  moveMoney(books, demand, before, after);
  return { kind: "checkout", account: books.account(accountId), checkout: after, isNew: true };
}

function refuse(code: Fault["code"], message: string): Answer {
  return { kind: "refused", fault: new Fault(code, message) };
}

/** Returns the checkout after a step. Null if it was taken before, or a later one of the same thing was. */
function applyStep(checkout: Checkout, step: CheckoutStep): Checkout | null {
  switch (step.kind) {
    case "paid":
      if (checkout.state === "paid") return null;
      return share({ ...checkout, state: "paid", paymentId: step.paymentId, paidNanoUsd: step.nanoUsd });
    case "ended":
      return checkout.state === "open" ? { ...checkout, state: step.state } : null;
    default:
      return addTaking(checkout, step);
  }
}

function addTaking(checkout: Checkout, step: TakingStep): Checkout | null {
  const { takings } = checkout;
  const known = takings.find(({ id }) => id === step.id);
  if (known === undefined) return share({ ...checkout, takings: [...takings, { ...step, takenNanoUsd: 0 }] });
  if (findRank(step) <= findRank(known)) return null;
  // A warning may be over another amount than what is taken in the end.
  const nanoUsd = step.state === "taken" ? step.nanoUsd : known.nanoUsd;
  const changed = { ...known, state: step.state, nanoUsd };
  return share({ ...checkout, takings: takings.map((one) => (one === known ? changed : one)) });
}

function findRank({ state }: TakingStep): number {
  return TAKING_STATES.indexOf(state);
}

/** Shares a payment among its takings, which never exceed it together: before it is paid, there is nothing to take. */
function share(checkout: Checkout): Checkout {
  let leftNanoUsd = checkout.paidNanoUsd;
  const takings = checkout.takings.map((one) => {
    const takenNanoUsd: NanoUsd = one.state === "taken" ? Math.min(one.nanoUsd, leftNanoUsd) : 0;
    leftNanoUsd -= takenNanoUsd;
    return { ...one, takenNanoUsd };
  });
  return { ...checkout, takings };
}

interface ChangedTaking {
  readonly taking: Taking;
  /** The change of the account's balance. */
  readonly nanoUsd: NanoUsd;
}

/** Amounts that are given back come first: the next one may take them. */
function listChanged(before: Checkout, after: Checkout): readonly ChangedTaking[] {
  return after.takings
    .flatMap((taking) => {
      const was = before.takings.find(({ id }) => id === taking.id);
      const nanoUsd = (was?.takenNanoUsd ?? 0) - taking.takenNanoUsd;
      const isWarning = was === undefined && taking.state === "warning";
      return nanoUsd === 0 && !isWarning ? [] : [{ taking, nanoUsd }];
    })
    .sort((one, other) => other.nanoUsd - one.nanoUsd);
}

function moveMoney(books: Books, demand: CheckoutChange, before: Checkout, after: Checkout): void {
  const paid = after.paidNanoUsd - before.paidNanoUsd;
  const changed = listChanged(before, after);
  if (paid > 0) credit(books, demand, after);
  for (const one of changed) {
    if (one.nanoUsd !== 0) moveTaking(books, demand, one);
    tell(books, demand, one.nanoUsd, one.taking);
  }
  const moved = changed.reduce((sum, { nanoUsd }) => sum + nanoUsd, paid);
  if (paid === 0 && changed.every(({ nanoUsd }) => nanoUsd === 0)) return;
  const { accountId, entry } = demand;
  const { name } = books.account(accountId);
  const target = { type: "account", id: accountId, name } as const;
  const shown = { ...entry.after, checkout: after.id, amount_usd: toUsd(moved) };
  books.addEvent(makeAuditEvent({ ...entry, accountId, target, after: shown }));
}

/** Also for a closed account: the money is here, and is paid out by hand. */
function credit(books: Books, demand: CheckoutChange, checkout: Checkout): void {
  const { accountId, checkoutId, nowMs, timeZone } = demand;
  const { paidNanoUsd: nanoUsd, by } = checkout;
  const id = `${accountId} ${checkoutId}`;
  const note = `Card ${checkoutId}`;
  const about = { accountId, nowMs, timeZone };
  move(books, { ...about, id, kind: "topup", nanoUsd, balanceNanoUsd: nanoUsd, by, note });
  settleDue(books, accountId, about);
  const { closedAtMs } = books.account(accountId);
  const data = {
    checkout_id: checkoutId,
    amount: toUsd(nanoUsd),
    asked: toUsd(checkout.nanoUsd),
    ...(closedAtMs === null ? {} : { account_closed: true }),
  };
  books.addEvent(makeEvent("topup.paid", checkoutId, { accountId, atMs: nowMs, data }));
}

function moveTaking(books: Books, demand: CheckoutChange, { taking, nanoUsd }: ChangedTaking): void {
  const { accountId, nowMs, timeZone } = demand;
  const { kind, id } = taking;
  // Never more than is free: the account owes the rest.
  const balanceNanoUsd = Math.max(nanoUsd, -books.account(accountId).balanceNanoUsd);
  moveOn(books, accountId, { kind, nanoUsd, balanceNanoUsd, nowMs, timeZone, note: `Stripe ${id}` });
  if (nanoUsd > 0) settleDue(books, accountId, { nowMs, timeZone });
  if (kind !== "dispute" || balanceNanoUsd === nanoUsd) return;
  const { pausedBy, isPaused } = books.account(accountId);
  // A pause by an older version has no reason.
  const others = isPaused && pausedBy.length === 0 ? (["admin"] as const) : pausedBy;
  books.changeState(accountId, { isPaused: true, pausedBy: [...new Set([...others, "dispute" as const])] });
}

const TAKING_EVENTS = { refund: "topup.refunded", dispute: "topup.disputed" } as const satisfies Readonly<
  Record<Taking["kind"], EventType>
>;

function tell(books: Books, demand: CheckoutChange, nanoUsd: NanoUsd, { kind, id, ...taking }: Taking): void {
  const { accountId, checkoutId, nowMs: atMs } = demand;
  const state = nanoUsd > 0 ? "returned" : taking.state;
  const amount = toUsd(Math.abs(nanoUsd) || taking.nanoUsd);
  const data = { checkout_id: checkoutId, stripe_id: id, state, amount };
  books.addEvent(makeEvent(TAKING_EVENTS[kind], `${id} ${state}`, { accountId, atMs, data }));
}
