// The limits of one visitor of a demo, and of all of them together. Nothing is remembered for longer than it counts.
import { isIPv6 } from "node:net";

const MINUTE_MS = 60_000;
const READS_A_MINUTE = 300;
const CALLS_A_MINUTE = 20;
const CALLS_AT_ONCE = 2;
const HEAVY_AT_ONCE = 2;
/** Streams of news, of which each open page has one. */
const STREAMS_OF_ONE = 20;
const STREAMS_MAX = 1000;
const ROWS_OF_ONE = 300;
const ROWS_MAX = 10_000;
/** Beyond so many addresses in a minute, others wait for the next one. */
const ADDRESSES_MAX = 20_000;
const GROUPS_OF_NETWORK = 4;
const GROUPS = 8;

interface VisitorUse {
  reads: number;
  calls: number;
}

/** The limit for which a visitor has to wait. */
export type Limit = "reads" | "calls" | "at once" | "heavy" | "streams" | "rows";

export class VisitorLimits {
  readonly #nowMs: () => number;
  #minute = 0;
  #visitors = new Map<string, VisitorUse>();
  readonly #open = new Map<string, number>();
  readonly #streams = new Map<string, number>();
  #streamsOfAll = 0;
  #rows = new Map<string, number>();
  #rowsOfAll = 0;
  #heavy = 0;

  constructor(nowMs: () => number) {
    this.#nowMs = nowMs;
  }

  /** Milliseconds until the next minute begins. */
  get waitMs(): number {
    return MINUTE_MS - (this.#nowMs() % MINUTE_MS);
  }

  /** True once visitors have written as much as a demo keeps. */
  get isFull(): boolean {
    return this.#rowsOfAll >= ROWS_MAX;
  }

  /** The demo is in its first state: no visitor has written anything. */
  forgetRows(): void {
    this.#rows = new Map();
    this.#rowsOfAll = 0;
  }

  read(address: string): Limit | null {
    const visitor = this.#find(address);
    if (visitor === null || visitor.reads >= READS_A_MINUTE) return "reads";
    visitor.reads++;
    return null;
  }

  /** Takes a place among the reads that take long. Give it back by `endHeavy`. */
  beginHeavy(): Limit | null {
    if (this.#heavy >= HEAVY_AT_ONCE) return "heavy";
    this.#heavy++;
    return null;
  }

  endHeavy(): void {
    this.#heavy--;
  }

  /** Takes a place among the open streams. Give it back by `endStream`. */
  beginStream(address: string): Limit | null {
    const network = findNetwork(address);
    const open = this.#streams.get(network) ?? 0;
    if (open >= STREAMS_OF_ONE || this.#streamsOfAll >= STREAMS_MAX) return "streams";
    this.#streams.set(network, open + 1);
    this.#streamsOfAll++;
    return null;
  }

  endStream(address: string): void {
    giveBack(this.#streams, findNetwork(address));
    this.#streamsOfAll--;
  }

  /** Takes a place, and a row. Give the place back by `endCall`. */
  beginCall(address: string): Limit | null {
    const network = findNetwork(address);
    const visitor = this.#find(address);
    const open = this.#open.get(network) ?? 0;
    const rows = this.#rows.get(network) ?? 0;
    if (visitor === null || visitor.calls >= CALLS_A_MINUTE) return "calls";
    if (open >= CALLS_AT_ONCE) return "at once";
    if (rows >= ROWS_OF_ONE || this.isFull) return "rows";
    visitor.calls++;
    this.#open.set(network, open + 1);
    this.#rows.set(network, rows + 1);
    this.#rowsOfAll++;
    return null;
  }

  endCall(address: string): void {
    giveBack(this.#open, findNetwork(address));
  }

  /** Null if too many addresses were here in this minute. */
  #find(address: string): VisitorUse | null {
    const minute = Math.floor(this.#nowMs() / MINUTE_MS);
    if (minute !== this.#minute) {
      this.#minute = minute;
      this.#visitors = new Map();
    }
    const network = findNetwork(address);
    const known = this.#visitors.get(network);
    if (known !== undefined) return known;
    if (this.#visitors.size >= ADDRESSES_MAX) return null;
    const visitor = { reads: 0, calls: 0 };
    this.#visitors.set(network, visitor);
    return visitor;
  }
}

function giveBack(places: Map<string, number>, network: string): void {
  const open = (places.get(network) ?? 1) - 1;
  if (open > 0) places.set(network, open);
  else places.delete(network);
}

/** A person has a whole /64 of IPv6, and may change the rest of the address at will. */
function findNetwork(address: string): string {
  if (!isIPv6(address)) return address;
  const [head = "", tail] = address.toLowerCase().split("::");
  const left = head === "" ? [] : head.split(":");
  const right = tail === undefined || tail === "" ? [] : tail.split(":");
  const gap = tail === undefined ? 0 : GROUPS - left.length - right.length;
  const groups = [...left, ...Array<string>(gap).fill("0"), ...right];
  return groups
    .slice(0, GROUPS_OF_NETWORK)
    .map((group) => Number.parseInt(group, 16).toString(16))
    .join(":");
}
