// Guessing made slow: after a few wrong tokens an address has to wait, longer with each further one.

/** So many mistakes are anybody's. */
const FREE = 5;
const WAIT_MS = 1000;
const WAIT_MAX_MS = 15 * 60_000;
/** Who was silent for so long begins anew. */
const FORGOTTEN_MS = 60 * 60_000;
/** Beyond so many the one that was wrong longest ago is forgotten. */
const ADDRESSES_MAX = 10_000;
/** A network of IPv6 is one customer's: its parts beyond this are his to choose. */
const NETWORK_GROUPS = 4;

interface Wrong {
  readonly count: number;
  readonly atMs: number;
  /** No further token is looked at before this moment. */
  readonly untilMs: number;
}

/** Times are on the monotonic clock. */
export class SlowDown {
  readonly #wrong = new Map<string, Wrong>();

  /** How long the address has to wait; 0: not at all. */
  waitMs(address: string, nowMs: number): number {
    return Math.max(0, (this.#wrong.get(networkOf(address))?.untilMs ?? 0) - nowMs);
  }

  /** A token of that address is about to be looked at: it counts as wrong until `right` is told, so that many at once are no way around. */
  tried(address: string, nowMs: number): void {
    const network = networkOf(address);
    const before = this.#wrong.get(network);
    const count = before && nowMs - before.atMs < FORGOTTEN_MS ? before.count + 1 : 1;
    const waitMs = count < FREE ? 0 : Math.min(WAIT_MS * 2 ** (count - FREE), WAIT_MAX_MS);
    this.#wrong.delete(network);
    this.#wrong.set(network, { count, atMs: nowMs, untilMs: nowMs + waitMs });
    const [oldest] = this.#wrong.keys();
    if (this.#wrong.size > ADDRESSES_MAX && oldest !== undefined) this.#wrong.delete(oldest);
  }

  right(address: string): void {
    this.#wrong.delete(networkOf(address));
  }
}

/** An IPv4 address as it is, the network of an IPv6 one. */
function networkOf(address: string): string {
  if (!address.includes(":")) return address;
  const [head = "", tail] = address.split("::");
  const groups = head === "" ? [] : head.split(":");
  const rest = tail === undefined || tail === "" ? [] : tail.split(":");
  const zeros = Array<string>(Math.max(0, 8 - groups.length - rest.length)).fill("0");
  const whole = tail === undefined ? groups : [...groups, ...zeros, ...rest];
  return whole
    .slice(0, NETWORK_GROUPS)
    .map((group) => Number.parseInt(group, 16))
    .join(":");
}
