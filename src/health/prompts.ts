// The prompts that providers lately reported to have cached. Nothing but their bytes tells which they are: a name that a
// client gives them would let one cached prompt stand for any other.
import type { ModelCard } from "../core/models/card.ts";
import type { Hasher, PromptDigests } from "../core/models/prompt-digests.ts";
import type { Random } from "../core/world/world.ts";

const SECRET_BYTES = 32;
const KEPT_MS = 600_000;
const KEPT_MAX = 50_000;

interface PromptSource {
  /** Returns null for operations whose prompts aren't cached. */
  digestPrompt(makeHasher: () => Hasher): PromptDigests | null;
}

/** One request's prompt. It is read only if a limit or a budget asks what is cached of it. */
export class Prompt {
  readonly keyId: string;
  readonly #source: PromptSource;
  #digests: PromptDigests | null | undefined;

  constructor(keyId: string, source: PromptSource) {
    this.keyId = keyId;
    this.#source = source;
  }

  /** Null also as long as nobody has asked what is cached of it. */
  get digests(): PromptDigests | null {
    return this.#digests ?? null;
  }

  readDigests(makeHasher: () => Hasher): PromptDigests | null {
    if (this.#digests === undefined) this.#digests = this.#source.digestPrompt(makeHasher);
    return this.#digests;
  }
}

/** The part of a prompt that is cached. */
interface CachedPrompt {
  /** As its provider reported them. */
  readonly tokens: number;
  /** The same, but no more than the ordinary estimate of that part: taken off an estimate, it leaves that of the rest. */
  readonly estimatedTokens: number;
  /** Null if only the instructions and tools are known, which other conversations begin with too. */
  readonly turn: KnownTurn | null;
}

/** An earlier turn of the same conversation. */
interface KnownTurn {
  /** The tokens of its whole prompt, as its provider reported them. */
  readonly promptTokens: number;
  /** The most that were expected of it (`measureWorst`). */
  readonly worstTokens: number;
}

/** What a provider reported of a prompt. */
interface PromptReport {
  readonly card: ModelCard;
  readonly promptTokens: number;
  readonly cachedTokens: number;
}

interface KnownPrompt extends CachedPrompt {
  readonly untilMs: number;
}

/** Times are on the monotonic clock. */
export class KnownPrompts {
  readonly #makeHasher: () => Hasher;
  readonly #known = new Map<string, KnownPrompt>();

  constructor(random: Random) {
    const secret = random.bytes(SECRET_BYTES);
    this.#makeHasher = () => new Bun.CryptoHasher("sha256", secret);
  }

  /** Returns the most tokens that are expected of a prompt whose digests are known, of what its next turn repeats. */
  measureWorst(prompt: Prompt, card: ModelCard): number {
    return prompt.digests?.measureWorst(card) ?? Number.POSITIVE_INFINITY;
  }

  /**
   * Returns what a card was last reported to have cached of the longest beginning that was a prompt of the same key, or
   * else of the instructions and tools that it begins with. Null if nothing is known.
   */
  find(prompt: Prompt, cardId: string, nowMs: number): CachedPrompt | null {
    const digests = prompt.readDigests(this.#makeHasher);
    if (digests === null) return null;
    const { beginnings, shared } = digests;
    for (const digest of beginnings) {
      const known = this.#findLive(nameWhole(prompt, cardId, digest), nowMs);
      if (known !== null) return known;
    }
    return shared && this.#findLive(nameShared(prompt, cardId, shared.digest), nowMs);
  }

  #findLive(name: string, nowMs: number): KnownPrompt | null {
    const known = this.#known.get(name);
    return known !== undefined && known.untilMs > nowMs ? known : null;
  }

  /** Remembers what was reported of a prompt. Nothing if no limit or budget has asked for that. */
  note(prompt: Prompt, { card, promptTokens, cachedTokens }: PromptReport, nowMs: number): void {
    const { digests } = prompt;
    if (digests === null) return;
    const { whole, tokens, shared, measureWorst } = digests;
    const cardId = card.id;
    const untilMs = nowMs + KEPT_MS;
    this.#keep(nameWhole(prompt, cardId, whole), {
      tokens: cachedTokens,
      estimatedTokens: Math.min(cachedTokens, tokens),
      turn: { promptTokens: Math.max(promptTokens, cachedTokens), worstTokens: measureWorst(card) },
      untilMs,
    });
    if (shared !== null) {
      const least = Math.min(cachedTokens, shared.tokens);
      const known = { tokens: least, estimatedTokens: least, turn: null, untilMs };
      this.#keep(nameShared(prompt, cardId, shared.digest), known);
    }
    for (const [oldest, known] of this.#known) {
      if (this.#known.size <= KEPT_MAX && known.untilMs > nowMs) break;
      this.#known.delete(oldest);
    }
  }

  /** The last one noted stands last. */
  #keep(name: string, known: KnownPrompt): void {
    this.#known.delete(name);
    this.#known.set(name, known);
  }
}

function nameWhole({ keyId }: Prompt, cardId: string, digest: string): string {
  return `${keyId} ${cardId} whole ${digest}`;
}

function nameShared({ keyId }: Prompt, cardId: string, digest: string): string {
  return `${keyId} ${cardId} shared ${digest}`;
}
