// Turns: accounts take turns, an account's payers take turns, and a payer's batches, however many lines each has.

interface Turning {
  readonly accountId: string;
  readonly payer: string;
  readonly id: string;
}

/** Remembers who came last. */
export class Turns {
  readonly #accounts: string[] = [];
  /** By account. */
  readonly #payers = new Map<string, string[]>();
  /** By payer. */
  readonly #batches = new Map<string, string[]>();

  /** Returns the one whose turn it is. Null if there are none. */
  next<One extends Turning>(ready: readonly One[]): One | null {
    const [only] = ready;
    if (only === undefined || (ready.length === 1 && this.#hadLast(only))) return only ?? null;
    const account = pickNext(this.#accounts, ready, (one) => one.accountId);
    const [{ accountId = "" } = {}] = account;
    const own = pickNext(this.#payers.getOrInsertComputed(accountId, makeOrder), account, (one) => one.payer);
    const [{ payer = "" } = {}] = own;
    const [next] = pickNext(this.#batches.getOrInsertComputed(payer, makeOrder), own, (one) => one.id);
    return next ?? null;
  }

  /** True if the last turn was its own, so that another one changes nothing. */
  #hadLast({ accountId, payer, id }: Turning): boolean {
    const isLast = this.#accounts.at(-1) === accountId && this.#payers.get(accountId)?.at(-1) === payer;
    return isLast && this.#batches.get(payer)?.at(-1) === id;
  }

  /** Forgets accounts, payers and batches that are there no more. */
  keep(present: readonly Turning[]): void {
    const accounts = new Set(present.map((one) => one.accountId));
    const payers = new Set(present.map((one) => one.payer));
    retain(this.#accounts, accounts);
    retainAll(this.#payers, accounts, payers);
    retainAll(this.#batches, payers, new Set(present.map((one) => one.id)));
  }
}

const makeOrder = (): string[] => [];

/** Returns those whose name had its turn longest ago, and puts the name last. Names that never had one come first. */
function pickNext<One>(order: string[], from: readonly One[], nameOf: (one: One) => string): readonly One[] {
  const names = new Set(from.map(nameOf));
  const isNew = (name: string) => !order.includes(name);
  const name = [...names].find(isNew) ?? order.find((one) => names.has(one));
  if (name === undefined) return [];
  const at = order.indexOf(name);
  if (at !== -1) order.splice(at, 1);
  order.push(name);
  return from.filter((one) => nameOf(one) === name);
}

function retainAll(
  orders: Map<string, string[]>,
  owners: ReadonlySet<string>,
  kept: ReadonlySet<string>,
): void {
  for (const [owner, order] of orders) {
    if (owners.has(owner)) retain(order, kept);
    else orders.delete(owner);
  }
}

function retain(order: string[], kept: ReadonlySet<string>): void {
  for (let at = order.length - 1; at >= 0; at--) if (!kept.has(order[at] ?? "")) order.splice(at, 1);
}
