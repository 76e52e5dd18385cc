// Turns: accounts take turns, and an account's batches take turns, however many lines each has.

interface Turning {
  readonly accountId: string;
  readonly id: string;
}

/** Remembers who came last. */
export class Turns {
  readonly #accounts: string[] = [];
  readonly #batches = new Map<string, string[]>();

  /** Returns the one whose turn it is. Null if there are none. */
  next<One extends Turning>(ready: readonly One[]): One | null {
    const [only] = ready;
    if (only !== undefined && ready.length === 1 && this.#hadLast(only)) return only;
    const accounts = [...new Set(ready.map(({ accountId }) => accountId))];
    const accountId = pickNext(this.#accounts, accounts);
    if (accountId === null) return null;
    const own = ready.filter((one) => one.accountId === accountId);
    const order = this.#batches.getOrInsertComputed(accountId, () => []);
    const id = pickNext(
      order,
      own.map((one) => one.id),
    );
    return own.find((one) => one.id === id) ?? null;
  }

  /** True if the last turn was its own, so that another one changes nothing. */
  #hadLast({ accountId, id }: Turning): boolean {
    return this.#accounts.at(-1) === accountId && this.#batches.get(accountId)?.at(-1) === id;
  }

  /** Forgets accounts and batches that are there no more. */
  keep(present: readonly Turning[]): void {
    const accounts = new Set(present.map(({ accountId }) => accountId));
    const ids = new Set(present.map(({ id }) => id));
    retain(this.#accounts, accounts);
    for (const [accountId, order] of this.#batches) {
      retain(order, ids);
      if (!accounts.has(accountId)) this.#batches.delete(accountId);
    }
  }
}

/** Takes the name that had its turn longest ago, and puts it last. Names that never had one come first. */
function pickNext(order: string[], names: readonly string[]): string | null {
  const name = names.find((one) => !order.includes(one)) ?? order.find((one) => names.includes(one)) ?? null;
  if (name === null) return null;
  const at = order.indexOf(name);
  if (at !== -1) order.splice(at, 1);
  order.push(name);
  return name;
}

function retain(order: string[], kept: ReadonlySet<string>): void {
  for (let at = order.length - 1; at >= 0; at--) if (!kept.has(order[at] ?? "")) order.splice(at, 1);
}
