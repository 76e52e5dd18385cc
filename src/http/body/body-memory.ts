// The memory for request bodies: counted as they arrive, shared by account, and taken from the slowest when it is full.
import { Fault } from "../../core/faults/fault.ts";

/** Bodies up to this size have memory of their own, so that large ones can't keep them out. */
export const SMALL_BYTES = 65_536;
/** The memory for small bodies, as a share of that for large ones. */
const SMALL_SHARE = 1 / 4;
/** Bodies up to this size are read in one go, which costs half of reading them piece by piece. */
export const ONE_GO_BYTES = 262_144;
/** The most of a memory that may be promised by bodies read in one go. Others count as they arrive. */
const PROMISED_SHARE = 1 / 4;
/** An account may hold this share of a memory of which more than `BUSY_SHARE` is in use. */
const ACCOUNT_SHARE = 1 / 4;
const BUSY_SHARE = 1 / 2;
const RETRY_MS = 1000;
/** Bytes that arrived this long ago count 1/e towards a body's speed. */
const SPEED_MS = 5000;

/** On the monotonic clock. */
interface MemoryClock {
  nowMs(): number;
}

/** A body's sender and declared size. */
interface ExpectedBody {
  /** The account, or another sender. */
  readonly owner: string;
  /** The bytes promised, or null. */
  readonly declaredBytes: number | null;
  /** Called at most once, if the unfinished body must make room for another. */
  readonly onEnded: (fault: Fault) => void;
}

const NO_BODY: ExpectedBody = { owner: "", declaredBytes: null, onEnded: () => {} };

/** Bytes that nobody waits for: they give way to bodies. */
interface SpareBytes {
  readonly bytes: number;
  /** Asked to give back bytes until no more than these are left. */
  shrinkTo(bytes: number): void;
}

const NO_SPARE: SpareBytes = { bytes: 0, shrinkTo: () => {} };

/** One budget, with the bytes that each owner holds of it. */
class BodyPool {
  readonly bytesMax: number;
  spare = NO_SPARE;
  /** Bodies that are still arriving. */
  readonly unfinished = new Set<HeldBody>();
  /** The bytes of those that are read in one go. */
  promisedBytes = 0;
  readonly #owners = new Map<string, number>();
  #bytes = 0;

  constructor(bytesMax: number) {
    this.bytesMax = bytesMax;
  }

  get bytes(): number {
    return this.#bytes;
  }

  /** True if there is room for this many more. */
  fits(more: number): boolean {
    return this.#bytes + more <= this.bytesMax;
  }

  /** An owner's only body may take any size. Throws the Fault `too_many_parallel_requests`. */
  checkShare(owner: string, own: number, more: number): void {
    const used = this.#owners.get(owner) ?? 0;
    const limit = Math.floor(this.bytesMax * ACCOUNT_SHARE);
    const isBusy = this.#bytes + more > this.bytesMax * BUSY_SHARE;
    if (!isBusy || used === own || used + more <= limit) return;
    const message =
      "This account has too many large requests under way at once. Please wait for some to be answered.";
    const refused = { scope: "account", name: owner, kind: "body_memory", limit, used } as const;
    throw new Fault("too_many_parallel_requests", message, { retryAfterMs: RETRY_MS, limit: refused });
  }

  add(owner: string, bytes: number): void {
    const used = (this.#owners.get(owner) ?? 0) + bytes;
    this.#bytes += bytes;
    if (used === 0) this.#owners.delete(owner);
    else this.#owners.set(owner, used);
    const room = this.bytesMax - this.#bytes;
    if (this.spare.bytes > room) this.spare.shrinkTo(Math.max(0, room));
  }
}

export class BodyMemory {
  readonly #clock: MemoryClock;
  readonly #large: BodyPool;
  readonly #small: BodyPool;

  constructor(bytesMax: number, clock: MemoryClock) {
    this.#clock = clock;
    this.#large = new BodyPool(bytesMax);
    // One small body always fits, however little memory is configured.
    this.#small = new BodyPool(Math.max(Math.floor(bytesMax * SMALL_SHARE), SMALL_BYTES));
  }

  /** The bytes held of each budget. */
  get bytes(): { readonly small: number; readonly large: number } {
    return { small: this.#small.bytes, large: this.#large.bytes };
  }

  /** Lends memory that large bodies don't need. Returns a function that returns how much they leave. */
  lend(spare: SpareBytes): () => number {
    this.#large.spare = spare;
    return () => this.#large.bytesMax - this.#large.bytes;
  }

  /** Returns the memory of one request's body, which holds nothing yet. */
  open(): HeldBody {
    return new HeldBody(this.#clock, this.#small, this.#large);
  }

  /** Holds memory for something that is already whole. Throws the same Faults as `HeldBody`. */
  reserve(owner: string, bytes: number): HeldBody {
    const held = this.open();
    held.expect({ owner, declaredBytes: bytes, onEnded: () => {} });
    held.arrive(bytes);
    held.finish();
    return held;
  }
}

/**
 * The memory of one request's body. It grows while the body arrives, and is held until the request can't be sent again:
 * its answer has begun, or it has ended. Releasing it twice is harmless, so every way out may release it.
 */
export class HeldBody {
  readonly #clock: MemoryClock;
  readonly #small: BodyPool;
  readonly #large: BodyPool;
  #pool: BodyPool;
  #expected = NO_BODY;
  #bytes = 0;
  #isOver = false;
  #startedMs = 0;
  /** A body read in one go isn't seen arriving: it counts as declared, and only its age is known. */
  #isInOneGo = false;
  #speed = 0;
  #speedAtMs = 0;
  #owned: Uint8Array<ArrayBuffer> | null = null;
  /** False once it is known that nothing in the body can be the id of a file. */
  mayNameFiles = true;

  constructor(clock: MemoryClock, small: BodyPool, large: BodyPool) {
    this.#clock = clock;
    this.#small = small;
    this.#large = large;
    this.#pool = small;
  }

  /** The bytes held. */
  get bytes(): number {
    return this.#bytes;
  }

  /** True if the body may be read in one go, unseen until it is whole. Ask right before `expect`, which asks the same. */
  fitsInOneGo(declaredBytes: number | null): boolean {
    if (declaredBytes === null || declaredBytes === 0) return false;
    if (declaredBytes <= SMALL_BYTES) return true;
    const { promisedBytes, bytesMax } = this.#large;
    return declaredBytes <= ONE_GO_BYTES && promisedBytes + declaredBytes <= bytesMax * PROMISED_SHARE;
  }

  /**
   * Call it once, before the body arrives. Throws the Faults `too_many_parallel_requests` if the account holds its share
   * of a busy memory, and `overloaded` if the memory is full of bodies that have arrived.
   */
  expect(expected: ExpectedBody): void {
    const declaredBytes = expected.declaredBytes ?? 0;
    this.#expected = expected;
    this.#startedMs = this.#clock.nowMs();
    this.#speedAtMs = this.#startedMs;
    if (declaredBytes > SMALL_BYTES) this.#pool = this.#large;
    if (this.fitsInOneGo(declaredBytes)) {
      this.#isInOneGo = true;
      this.#take(declaredBytes);
      this.#pool.promisedBytes += declaredBytes;
    }
    this.#pool.unfinished.add(this);
  }

  /** Counts bytes that have arrived. Throws the same Faults, and `request_timeout` if this body must make room itself. */
  arrive(bytes: number): void {
    if (this.#isInOneGo) return;
    const nowMs = this.#clock.nowMs();
    this.#speed = this.#readSpeed(nowMs) + bytes / SPEED_MS;
    this.#speedAtMs = nowMs;
    const isOutgrown = this.#pool === this.#small && this.#bytes + bytes > SMALL_BYTES;
    if (isOutgrown) this.#moveToLarge();
    this.#take(bytes);
  }

  /** Counts what is added to a body that is complete. Throws the same Faults. */
  grow(bytes: number): void {
    this.#isInOneGo = false;
    this.arrive(bytes);
    this.finish();
  }

  /** The body is complete, so it can't be ended any more. */
  finish(): void {
    const isFirst = this.#pool.unfinished.delete(this);
    if (isFirst && this.#isInOneGo) this.#pool.promisedBytes -= this.#expected.declaredBytes ?? 0;
  }

  /** Keeps at most this much. */
  shrinkTo(bytes: number): void {
    const less = this.#bytes - bytes;
    if (less <= 0) return;
    this.#pool.add(this.#expected.owner, -less);
    this.#bytes = bytes;
  }

  /** Names the bytes that `discard` frees. */
  own(bytes: Uint8Array<ArrayBuffer>): void {
    this.#owned = bytes;
  }

  /** Releases a body that nobody reads any more. Left to the collector, those of refused forms would fill the memory. */
  discard(): void {
    this.#owned?.buffer.transfer(0);
    this.release();
  }

  /** Returns all memory. Nothing is held by this body afterwards. */
  release(): void {
    this.#isOver = true;
    this.#owned = null;
    this.finish();
    this.shrinkTo(0);
  }

  #moveToLarge(): void {
    const bytes = this.#bytes;
    this.#pool.unfinished.delete(this);
    this.shrinkTo(0);
    this.#pool = this.#large;
    this.#pool.unfinished.add(this);
    this.#take(bytes);
  }

  #take(bytes: number): void {
    if (this.#isOver) return;
    const { owner } = this.#expected;
    this.#pool.checkShare(owner, this.#bytes, bytes);
    if (!this.#pool.fits(bytes) && !this.#pool.fits(bytes - this.#countOthers())) throw overloaded();
    while (!this.#pool.fits(bytes)) this.#makeRoom();
    this.#pool.add(owner, bytes);
    this.#bytes += bytes;
  }

  /** Ends the body that holds most for its speed. Throws if that is this one, or if no other is unfinished. */
  #makeRoom(): void {
    const nowMs = this.#clock.nowMs();
    const slowest = this.#findSlowest(nowMs);
    if (slowest === null) throw overloaded();
    if (this.#readBurdenMs(nowMs) > slowest.#readBurdenMs(nowMs)) throw endedForOthers();
    slowest.release();
    slowest.#expected.onEnded(endedForOthers());
  }

  /** Returns the bytes of the other unfinished bodies: ending all of them must help, or none is ended. */
  #countOthers(): number {
    let bytes = 0;
    for (const one of this.#pool.unfinished) if (one !== this) bytes += one.#bytes;
    return bytes;
  }

  #findSlowest(nowMs: number): HeldBody | null {
    let slowest: HeldBody | null = null;
    let mostMs = Number.NEGATIVE_INFINITY;
    for (const one of this.#pool.unfinished) {
      if (one === this || one.#bytes === 0) continue;
      const burdenMs = one.#readBurdenMs(nowMs);
      if (burdenMs > mostMs) [slowest, mostMs] = [one, burdenMs];
    }
    return slowest;
  }

  /** The time in which the body would arrive again at its present speed, or its age if that isn't known. */
  #readBurdenMs(nowMs: number): number {
    return this.#isInOneGo ? nowMs - this.#startedMs : this.#bytes / this.#readSpeed(nowMs);
  }

  /** In bytes per millisecond, mostly of the last five seconds. */
  #readSpeed(nowMs: number): number {
    return this.#speed * Math.exp((this.#speedAtMs - nowMs) / SPEED_MS);
  }
}

function endedForOthers(): Fault {
  const message =
    "The request body arrived too slowly while the gateway's memory for bodies was full. Please send it again.";
  return new Fault("request_timeout", message);
}

function overloaded(): Fault {
  const message = "Too many large requests are under way at once. Please try again shortly.";
  return new Fault("overloaded", message, { retryAfterMs: RETRY_MS });
}
