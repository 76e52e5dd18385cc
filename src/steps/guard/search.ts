// Searches the texts of a request or an answer in steps, and counts what it finds.
import type { GuardFinding, GuardPlace, GuardRule, GuardSettings } from "../../core/models/guard.ts";
import { joinFound } from "../../guard/join.ts";
import { createScanner, type Match, type Scanner } from "../../guard/scanner.ts";
import { type SearchedText, TextsSearch } from "../../guard/texts.ts";
import type { OrderedText } from "../../operations/ordered-texts.ts";
import type { KnownPlaces } from "./known.ts";
import { findStrictestRule } from "./rules.ts";

/** Searched in about a tenth of a millisecond, and hostile texts in one or two. */
const STEP_CHARACTERS = 16_384;
/** Each is looked up or counted in a few microseconds. */
const STEP_TEXTS = 256;

/**
 * More sets of detectors than these share the scanner of all rules. Clients name rules, and so choose the sets: each scanner
 * has an automaton of the operator's words.
 */
const SCANNERS_MAX = 50;

/** A scanner of some detectors, and whose findings count. */
interface Searcher {
  /** The version of the rules, and the scanner's detectors. */
  readonly name: string;
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

  constructor(settings: GuardSettings, ports: SearchPorts) {
    this.#settings = settings;
    this.#ports = ports;
  }

  /** Ends with how many different values each detector found. */
  *run(
    rules: readonly GuardRule[],
    at: GuardPlace,
    texts: readonly OrderedText[],
  ): Generator<undefined, readonly GuardFinding[]> {
    const searcher = this.#choose(rules);
    const names: (string | null)[] = [];
    const searched: SearchedText[] = [];
    for (const one of texts) {
      const { name, text } = this.#recall(searcher, one);
      names.push(name);
      searched.push(text);
      if (searched.length % STEP_TEXTS === 0) yield;
    }
    const search = new TextsSearch(searcher.scanner, searched, searcher.wanted);
    while (!search.run(STEP_CHARACTERS)) yield;
    yield* this.#remember(names, searched, search.own);
    const counts = new Counts(rules, at);
    for (const [index, found] of search.found.entries()) {
      counts.add(searched[index]?.text ?? "", found);
      if (index % STEP_TEXTS === STEP_TEXTS - 1) yield;
    }
    return counts.list();
  }

  #choose(rules: readonly GuardRule[]): Searcher {
    const wanted = listDetectors(rules);
    const known = this.#searchers.get(wanted.join(" "));
    if (known !== undefined) return known;
    if (this.#searchers.size < SCANNERS_MAX) return this.#make(wanted);
    const all = listDetectors(this.#settings.rules);
    return { ...(this.#searchers.get(all.join(" ")) ?? this.#make(all)), wanted: new Set(wanted) };
  }

  #make(detectors: readonly string[]): Searcher {
    const { version, words, allow } = this.#settings;
    const name = detectors.join(" ");
    const scanner = createScanner(detectors, words, allow);
    const searcher = { name: `${version} ${name}`, scanner, wanted: null };
    this.#searchers.set(name, searcher);
    return searcher;
  }

  #recall({ name: scope }: Searcher, { text, place }: OrderedText) {
    const { field: before = "" } = place;
    const name = this.#ports.known.name(scope, before, text);
    const known = name === null ? null : this.#ports.known.find(name, this.#ports.nowMs());
    const searched: SearchedText = known === null ? { text, before } : { text, before, known };
    return { name, text: searched };
  }

  *#remember(
    names: readonly (string | null)[],
    searched: readonly SearchedText[],
    own: readonly (readonly Match[])[],
  ): Generator<undefined, void> {
    const { known, nowMs } = this.#ports;
    for (const [index, name] of names.entries()) {
      if (name !== null && searched[index]?.known === undefined) known.add(name, own[index] ?? [], nowMs());
      if (index % STEP_TEXTS === STEP_TEXTS - 1) yield;
    }
  }
}

/** Returns the detectors of rules, each once and always in the same order. */
function listDetectors(rules: readonly GuardRule[]): readonly string[] {
  return [...new Set(rules.flatMap(({ detect }) => detect))].sort();
}

/** Counts each value once for its detector and action. */
class Counts {
  readonly #rules: readonly GuardRule[];
  readonly #at: GuardPlace;
  /** The rule that counts, by the detectors of a finding. */
  readonly #counting = new Map<string, GuardRule | undefined>();
  readonly #values = new Map<string, { readonly rule: GuardRule; readonly values: Set<string> }>();

  constructor(rules: readonly GuardRule[], at: GuardPlace) {
    this.#rules = rules;
    this.#at = at;
  }

  add(text: string, found: readonly Match[]): void {
    for (const { from, to, detector, detectors } of joinFound(found)) {
      const rule = this.#counting.getOrInsertComputed(detectors.join(" "), () =>
        findStrictestRule(this.#rules, detectors),
      );
      if (rule === undefined) continue;
      const name = `${detector} ${rule.action}`;
      const counted = this.#values.getOrInsertComputed(name, () => ({ rule, values: new Set() }));
      counted.values.add(text.slice(from, to));
    }
  }

  list(): readonly GuardFinding[] {
    return [...this.#values].map(([name, { rule, values }]) => ({
      detector: name.slice(0, name.lastIndexOf(" ")),
      action: rule.action,
      at: this.#at,
      count: values.size,
      rule: rule.name,
    }));
  }
}
