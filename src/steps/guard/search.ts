// Searches the texts of a request or an answer in steps, and counts what it finds.
import type { GuardFinding, GuardPlace, GuardRule, GuardSettings } from "../../core/models/guard.ts";
import { type AnswerScanner, createAnswerScanner } from "../../guard/answer-search.ts";
import { joinInSteps, rankDetector, type Union } from "../../guard/join.ts";
import { createScanner, type Match, type Scanner } from "../../guard/scanner.ts";
import { type SearchedText, TextsSearch } from "../../guard/texts.ts";
import type { PlacedText } from "../../operations/ordered-texts.ts";
import type { KnownPlaces } from "./known.ts";
import { type Memory, Recall } from "./recall.ts";
import { findStrictestRule } from "./rules.ts";

/** Searched in about a tenth of a millisecond, and hostile texts in one or two. */
const STEP_CHARACTERS = 16_384;
/** Texts and values: each is counted in a few microseconds. */
const STEP_VALUES = 256;

/**
 * More sets of detectors than these share the scanner of all rules. Clients name rules, and so choose the sets: each scanner
 * has an automaton of the operator's words.
 */
const SCANNERS_MAX = 50;

/** A scanner of some detectors, and whose findings count. */
interface Searcher {
  /** The key of known texts, for these rules in their version and the scanner's detectors. */
  readonly key: Uint8Array;
  readonly scanner: Scanner;
  /** Null for all of the scanner's. */
  readonly wanted: ReadonlySet<string> | null;
}

interface SearchPorts {
  readonly known: KnownPlaces;
  readonly nowMs: () => number;
}

export class GuardSearch {
  readonly #settings: GuardSettings;
  readonly #ports: SearchPorts;
  readonly #searchers = new Map<string, Searcher>();
  /** Most requests have the rules of the one before. */
  #latest: { readonly rules: readonly GuardRule[]; readonly searcher: Searcher } | null = null;
  readonly #answerScanners = new Map<string, AnswerScanner>();

  constructor(settings: GuardSettings, ports: SearchPorts) {
    this.#settings = settings;
    this.#ports = ports;
  }

  /** Ends with how many different values each detector found. */
  *count(
    rules: readonly GuardRule[],
    at: GuardPlace,
    texts: readonly PlacedText[],
  ): Generator<undefined, readonly GuardFinding[]> {
    const found = yield* this.find(rules, texts);
    const counts = new Counts(at);
    const choice = new RuleChoice(rules);
    let counted = 0;
    for (const [index, { text }] of texts.entries()) {
      const matches = found[index] ?? [];
      for (const one of matches.length === 0 ? [] : yield* joinInSteps(matches)) {
        const rule = choice.find(one);
        if (rule) counts.add(one.detector, rule, text.slice(one.from, one.to));
        if (++counted % STEP_VALUES === 0) yield;
      }
      if (++counted % STEP_VALUES === 0) yield;
    }
    return counts.list();
  }

  /**
   * Ends with what is found in each text. `known` are texts that stand before them, with what was found there: their values
   * count again.
   */
  *find(
    rules: readonly GuardRule[],
    texts: readonly PlacedText[],
    known: readonly SearchedText[] = [],
    memory: Memory = new Map(),
  ): Generator<undefined, readonly (readonly Match[])[]> {
    const { key, scanner, wanted } = this.#choose(rules);
    const recall = new Recall({ ...this.#ports, key, memory });
    yield* recall.take(texts);
    const search = new TextsSearch(scanner, [...known, ...recall.texts], wanted);
    while (!search.run(STEP_CHARACTERS)) yield;
    yield* recall.remember(search.own.slice(known.length));
    return search.found.slice(known.length);
  }

  /** Returns the scanner of answers, which come in pieces. It may find more than the rules want. */
  chooseForAnswers(rules: readonly GuardRule[]): AnswerScanner {
    const { words, allow } = this.#settings;
    const wanted = listDetectors(rules);
    const isKnown = this.#answerScanners.has(wanted.join(" "));
    const detectors = isKnown || this.#answerScanners.size < SCANNERS_MAX ? wanted : this.#listAll();
    return this.#answerScanners.getOrInsertComputed(detectors.join(" "), () =>
      createAnswerScanner(detectors, words, allow),
    );
  }

  #choose(rules: readonly GuardRule[]): Searcher {
    const { rules: last, searcher } = this.#latest ?? {};
    if (searcher && last?.length === rules.length && rules.every((rule, at) => rule === last[at]))
      return searcher;
    const chosen = this.#findSearcher(rules);
    this.#latest = { rules, searcher: chosen };
    return chosen;
  }

  #findSearcher(rules: readonly GuardRule[]): Searcher {
    const wanted = listDetectors(rules);
    const known = this.#searchers.get(wanted.join(" "));
    if (known !== undefined) return known;
    if (this.#searchers.size < SCANNERS_MAX) return this.#make(wanted);
    const all = this.#listAll();
    return { ...(this.#searchers.get(all.join(" ")) ?? this.#make(all)), wanted: new Set(wanted) };
  }

  #listAll(): readonly string[] {
    return listDetectors(this.#settings.rules);
  }

  #make(detectors: readonly string[]): Searcher {
    const { version, words, allow } = this.#settings;
    const name = detectors.join(" ");
    const scanner = createScanner(detectors, words, allow);
    const key = this.#ports.known.deriveKey(`${version} ${name}`);
    const searcher = { key, scanner, wanted: null };
    this.#searchers.set(name, searcher);
    return searcher;
  }
}

/** Returns the detectors of rules, each once and always in the same order. */
function listDetectors(rules: readonly GuardRule[]): readonly string[] {
  return [...new Set(rules.flatMap(({ detect }) => detect))].sort();
}

/** The rule that counts for a finding, by the detectors that found it. */
export class RuleChoice {
  readonly #rules: readonly GuardRule[];
  readonly #counting = new Map<string, GuardRule | undefined>();

  constructor(rules: readonly GuardRule[]) {
    this.#rules = rules;
  }

  find({ detectors }: Union): GuardRule | undefined {
    return this.#counting.getOrInsertComputed(detectors.join(" "), () =>
      findStrictestRule(this.#rules, detectors),
    );
  }
}

/** Counts each value once for its detector and action. */
export class Counts {
  readonly #at: GuardPlace;
  readonly #values = new Map<string, ValueCount>();

  constructor(at: GuardPlace) {
    this.#at = at;
  }

  add(detector: string, rule: GuardRule, value: string): void {
    const name = `${detector} ${rule.action}`;
    this.#values
      .getOrInsertComputed(name, () => ({ detector, rule, values: new Set<string>() }))
      .values.add(value);
  }

  /** In the order of the detectors. */
  list(): readonly GuardFinding[] {
    return [...this.#values.values()]
      .sort((one, other) => rankDetector(one.detector) - rankDetector(other.detector))
      .map(({ detector, rule, values }) => ({
        detector,
        action: rule.action,
        at: this.#at,
        count: values.size,
        rule: rule.name,
      }));
  }
}

interface ValueCount {
  readonly detector: string;
  readonly rule: GuardRule;
  readonly values: Set<string>;
}
