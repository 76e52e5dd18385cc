// The latest bodies of conversations, from which their next ones are read: within a share of the memory for bodies, for a
// while, and each for its own key alone.
import { EarlierBody, type ReadBody } from "../../core/json/earlier-body.ts";
import type { JsonObject } from "../../core/json/json.ts";
import type { Deadlines, Latecomer } from "../../core/world/world.ts";
import type { BodyMemory } from "./body-memory.ts";

/**
 * The sizes of bodies that may go on from another, and another from them. Shorter ones are read almost as fast as they are
 * found; longer ones are never sent as they came.
 */
export const GOES_ON_BYTES = { least: 16_384, most: 262_144 } as const;
/** As long as providers keep prompts. */
const KEPT_MS = 600_000;
/** All of a key's conversations at one surface are tried, which takes a tenth of a microsecond for most. */
const CONVERSATIONS_MAX = 32;
/** A body with its texts as strings and its other values takes about this many times its bytes. */
const SIZE = 3;

/** The conversations that a body may belong to. */
export interface EarlierScope {
  /** The account, the key in it, and the surface. */
  readonly name: string;
  /** The configuration: nothing that was found out under another is used. */
  readonly under: object;
}

interface KeptConversation extends EarlierScope {
  readonly body: EarlierBody;
  readonly bytes: number;
  readonly untilMs: number;
}

export class EarlierBodies implements Latecomer {
  readonly #bytesMax: number;
  readonly #deadlines: Deadlines;
  /** By scope, the latest one last. */
  readonly #scopes = new Map<string, readonly KeptConversation[]>();
  /** All of them, the latest one last. */
  readonly #all = new Set<KeptConversation>();
  readonly #readRoom: () => number;
  #bytes = 0;
  #isWatching = false;

  constructor(bytesMax: number, memory: BodyMemory, deadlines: Deadlines) {
    this.#bytesMax = bytesMax;
    this.#deadlines = deadlines;
    this.#readRoom = memory.lend(this);
  }

  get bytes(): number {
    return this.#bytes;
  }

  /** Reads a body of a size that may go on as one that goes on from an earlier one, and remembers it in its place. Null if it goes on from none. */
  read(scope: EarlierScope, text: Uint8Array): JsonObject | null {
    const known = this.#scopes.get(scope.name);
    if (known === undefined) return null;
    const bytes = Buffer.from(text.buffer, text.byteOffset, text.length);
    const nowMs = this.#deadlines.nowMs();
    for (const one of known.toReversed()) {
      if (one.under !== scope.under || one.untilMs <= nowMs || !one.body.mayBegin(bytes)) continue;
      const next = one.body.readNext(bytes);
      if (next === null) continue;
      this.#drop(one);
      this.#add(scope, next);
      return next.give();
    }
    return null;
  }

  /** Remembers a body that reads the same everywhere. `marks` are those of its outermost colons and commas. */
  keep(scope: EarlierScope, read: ReadBody, marks: Int32Array): void {
    const body = EarlierBody.of(read, marks);
    if (body !== null) this.#add(scope, body);
  }

  /** Forgets the oldest ones until no more than this is left. */
  shrinkTo(bytes: number): void {
    for (const oldest of this.#all) {
      if (this.#bytes <= bytes) break;
      this.#drop(oldest);
    }
  }

  #add({ name, under }: EarlierScope, body: EarlierBody): void {
    const bytes = body.bytes.length * SIZE;
    const one = { name, under, body, bytes, untilMs: this.#deadlines.nowMs() + KEPT_MS };
    const room = Math.min(this.#bytesMax, this.#readRoom());
    if (bytes > room) return;
    this.shrinkTo(room - bytes);
    const others = this.#scopes.get(name) ?? [];
    const [oldest] = others;
    if (oldest !== undefined && others.length >= CONVERSATIONS_MAX) this.#drop(oldest);
    this.#scopes.set(name, [...(this.#scopes.get(name) ?? []), one]);
    this.#all.add(one);
    this.#bytes += bytes;
    this.#watch();
  }

  #drop(one: KeptConversation): void {
    this.#all.delete(one);
    this.#bytes -= one.bytes;
    const others = (this.#scopes.get(one.name) ?? []).filter((other) => other !== one);
    if (others.length === 0) this.#scopes.delete(one.name);
    else this.#scopes.set(one.name, others);
  }

  /** Forgets those that weren't used for a while, even if no request comes. */
  #watch(): void {
    const [oldest] = this.#all;
    if (this.#isWatching || oldest === undefined) return;
    this.#isWatching = true;
    this.#deadlines.watch(oldest.untilMs, this);
  }

  late(): void {
    this.#isWatching = false;
    const nowMs = this.#deadlines.nowMs();
    for (const one of this.#all) {
      if (one.untilMs > nowMs) break;
      this.#drop(one);
    }
    this.#watch();
  }
}
