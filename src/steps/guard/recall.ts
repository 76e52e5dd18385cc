// Looks up what is remembered of a request's texts: those of earlier turns in groups, the last ones each by itself.
import type { Match } from "../../guard/scanner.ts";
import type { SearchedText } from "../../guard/texts.ts";
import type { PlacedText } from "../../operations/ordered-texts.ts";
import type { KnownPlaces } from "./known.ts";

/** A shorter text by itself is searched in the time that its name takes. */
const CHARACTERS_MIN = 256;
/** A group is complete once it has so many texts or characters: where it ends, no later text decides. */
const GROUP_TEXTS = 64;
const GROUP_CHARACTERS = 32_768;
/** Named in a fraction of a millisecond. */
const STEP_CHARACTERS = 262_144;

/**
 * The places found in the short texts of one request, and in those too long for a name, by the field that holds them: most
 * texts stand in two forms.
 */
export type Memory = Map<string, Map<string, readonly Match[]>>;

interface RecallPorts {
  readonly known: KnownPlaces;
  /** The key of the texts' names. */
  readonly key: Uint8Array;
  readonly memory: Memory;
  readonly nowMs: () => number;
}

/** Texts whose findings are to be remembered. */
interface MissedTexts {
  readonly name: string;
  readonly from: number;
  readonly to: number;
}

export class Recall {
  /** The texts, with what is known of them. */
  readonly texts: SearchedText[] = [];
  readonly #ports: RecallPorts;
  readonly #nowMs: number;
  readonly #missed: MissedTexts[] = [];
  /** The places of other texts that weren't known. */
  readonly #unnamed: number[] = [];

  constructor(ports: RecallPorts) {
    this.#ports = ports;
    this.#nowMs = ports.nowMs();
  }

  *take(texts: readonly PlacedText[]): Generator<undefined, void> {
    let group: SearchedText[] = [];
    let characters = 0;
    let named = 0;
    for (const { text, place } of texts) {
      group.push({ text, before: place.field ?? "" });
      characters += text.length;
      if (group.length < GROUP_TEXTS && characters < GROUP_CHARACTERS) continue;
      this.#takeGroup(group);
      named += characters;
      group = [];
      characters = 0;
      if (named < STEP_CHARACTERS) continue;
      named = 0;
      yield;
    }
    for (const one of group) this.#takeOne(one);
  }

  /** `own` are the findings of each text by itself. */
  *remember(own: readonly (readonly Match[])[]): Generator<undefined, void> {
    const { known, memory, nowMs } = this.#ports;
    for (const { name, from, to } of this.#missed) {
      known.add(name, own.slice(from, to), nowMs());
      yield;
    }
    for (const place of this.#unnamed) {
      const { text = "", before = "" } = this.texts[place] ?? {};
      memory.getOrInsertComputed(before, () => new Map()).set(text, own[place] ?? []);
    }
  }

  #takeGroup(group: readonly SearchedText[]): void {
    const found = this.#find(group);
    if (found) this.#takeKnown(group, found);
    else for (const one of group) this.#takeOne(one);
  }

  #takeOne(one: SearchedText): void {
    const { text, before = "" } = one;
    const found = text.length < CHARACTERS_MIN ? undefined : this.#find([one]);
    if (found !== undefined) {
      this.#takeKnown([one], found ?? []);
      return;
    }
    const held = this.#ports.memory.get(before)?.get(text);
    if (held === undefined) this.#unnamed.push(this.texts.length);
    this.#takeKnown([one], held === undefined ? [] : [held]);
  }

  /** Null if nothing is known of the texts, and undefined if they have no name. */
  #find(texts: readonly SearchedText[]): readonly (readonly Match[])[] | null | undefined {
    const { known, key } = this.#ports;
    const name = known.name(key, texts);
    if (name === null) return undefined;
    const found = known.find(name, this.#nowMs);
    const from = this.texts.length;
    if (found === null) this.#missed.push({ name, from, to: from + texts.length });
    return found;
  }

  #takeKnown(texts: readonly SearchedText[], found: readonly (readonly Match[])[]): void {
    for (let at = 0; at < texts.length; at++) {
      const { text = "", before = "" } = texts[at] ?? {};
      const known = found[at];
      this.texts.push(known === undefined ? { text, before } : { text, before, known });
    }
  }
}
