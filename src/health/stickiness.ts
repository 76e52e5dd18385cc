// Conversations, and the models that have served them, whose caches probably hold their prompts. They are known by names that
// clients may choose, so nothing that costs money depends on them.
import type { Attempt, CachedPrefix, ConversationNames, GoingOnSign } from "../core/attempt.ts";
import type { RecentTurns } from "./recent-turns.ts";

const KEPT_MS = 600_000;
const KEPT_MAX = 50_000;
/** 64 bits in hexadecimal. */
const SEED_DIGITS = 16;

interface ConversationSource {
  nameConversation(): ConversationNames;
  /** Returns the name that all its turns have in common. Missing or null if it decides nothing. */
  nameOpening?(): string | null;
  isFirstTurn?(): boolean;
  /** Returns what shows in the request itself that its conversation goes on. */
  findSignOfGoingOn?(): GoingOnSign | null;
}

/** The beginning that all turns of a conversation have in common, by which it has a place. */
class Opening {
  /** Within its key. Null if it decides nothing, as for a line of a batch. */
  readonly name: string | null;
  #seed: bigint | null = null;
  /** By card. Null until the turn has been noted. */
  #areRecent: Map<string, boolean> | null = null;

  constructor(name: string | null) {
    this.name = name;
  }

  /** The seed of the order in which models and credentials are tried. Null if they are drawn. `digest` is keyed. */
  seedOrder(digest: (text: string) => string): bigint | null {
    if (this.name !== null) this.#seed ??= BigInt(`0x${digest(this.name).slice(0, SEED_DIGITS)}`);
    return this.#seed;
  }

  /**
   * Notes the turn once at each model, which has a cache of its own, however often it is attempted there. True if another one
   * came to the model a moment before.
   */
  noteTurn(turns: Pick<RecentTurns, "note">, cardId: string, nowMs: number): boolean {
    const { name } = this;
    if (name === null) return false;
    this.#areRecent ??= new Map();
    return this.#areRecent.getOrInsertComputed(cardId, () => turns.note(`${cardId} ${name}`, nowMs));
  }
}

/** One request's conversation. Its names are computed only when they are needed, because that requires reading the whole prompt. */
export class Conversation {
  readonly keyId: string;
  readonly #source: ConversationSource;
  #names: ConversationNames | null = null;
  #opening: Opening | null = null;
  /** The card that has probably cached the prompt. */
  holder: string | null = null;

  /** Conversations belong to the gateway key that has them. */
  constructor(keyId: string, source: ConversationSource) {
    this.keyId = keyId;
    this.#source = source;
  }

  get opening(): Opening {
    this.#opening ??= this.#open(this.#source.nameOpening?.() ?? null);
    return this.#opening;
  }

  #open(name: string | null): Opening {
    return new Opening(name === null ? null : `${this.keyId} ${name}`);
  }

  /** The seed of its order. Null if models and credentials are drawn. */
  seedOrder(digest: ((text: string) => string) | undefined): bigint | null {
    return digest === undefined ? null : this.opening.seedOrder(digest);
  }

  /** True for a first turn without a sign that it goes on: it may go elsewhere. */
  get isFree(): boolean {
    return this.isFirstTurn && !this.goesOn;
  }

  /** True if no model has answered in it yet. */
  get isFirstTurn(): boolean {
    return this.#source.isFirstTurn?.() ?? false;
  }

  /** Shows in the request itself that the conversation goes on. Null if nothing does. */
  get sign(): GoingOnSign | null {
    return this.#source.findSignOfGoingOn?.() ?? null;
  }

  get goesOn(): boolean {
    return this.sign !== null;
  }

  /** Undefined until the conversation has been looked for. */
  get kept(): readonly string[] | undefined {
    return this.#names === null ? undefined : this.#nameKept(this.#names);
  }

  #nameKept({ kept }: ConversationNames): readonly string[] {
    return kept.map((name) => this.keyId + name);
  }

  /** The name under which an earlier turn may be known. Null if there was none. */
  get sought(): string | null {
    this.#names ??= this.#source.nameConversation();
    const { sought } = this.#names;
    return sought === null ? null : this.keyId + sought;
  }

  /** The approximate number of the prompt's tokens up to the model's last turn. */
  get heldTokens(): number {
    this.#names ??= this.#source.nameConversation();
    return this.#names.heldTokens;
  }

  /** The prompt's tokens that a card had probably cached when the request arrived. */
  countTokensHeldBy(cardId: string): number {
    return this.holder === cardId ? this.heldTokens : 0;
  }
}

interface StickyModel {
  readonly cardId: string;
  readonly untilMs: number;
}

/** Times are on the monotonic clock. */
export class Stickiness {
  readonly #served = new Map<string, StickyModel>();

  /** The last card to serve the conversation, and about how much of this prompt it has read before. Null if unknown. */
  findHolder(conversation: Conversation, nowMs: number): CachedPrefix | null {
    const served = this.#findServed(conversation, nowMs);
    conversation.holder = served?.cardId ?? null;
    return served ? { cardId: served.cardId, tokens: conversation.heldTokens } : null;
  }

  #findServed({ sought }: Conversation, nowMs: number): StickyModel | null {
    const served = sought === null ? undefined : this.#served.get(sought);
    return served && served.untilMs > nowMs ? served : null;
  }

  /** Remembers the attempt that serves a conversation. One with a single possible attempt was never looked for. */
  keep(conversation: Conversation, { card }: Pick<Attempt, "card">, nowMs: number): void {
    const { kept } = conversation;
    if (kept !== undefined) this.#keepNames(kept, card, nowMs);
    if (this.#served.size > 0) this.#forgetOld(nowMs);
  }

  #forgetOld(nowMs: number): void {
    for (const [oldest, { untilMs }] of this.#served) {
      if (this.#served.size <= KEPT_MAX && untilMs > nowMs) break;
      this.#served.delete(oldest);
    }
  }

  #keepNames(names: readonly string[], card: Attempt["card"], nowMs: number): void {
    const own = { cardId: card.id, untilMs: nowMs + KEPT_MS };
    for (const name of names) {
      this.#served.delete(name);
      this.#served.set(name, own);
    }
  }
}
