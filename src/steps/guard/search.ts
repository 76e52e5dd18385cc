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

/** The rules that look at the same texts, and what they share. */
interface Group {
  /** The names of the rules. */
  readonly name: string;
  readonly rules: readonly GuardRule[];
  readonly scanner: Scanner;
  /** The rule that counts, by the detectors of a finding. */
  readonly counting: Map<string, GuardRule | undefined>;
}

interface SearchPorts {
  readonly known: KnownPlaces;
  readonly nowMs: () => number;
}

export class GuardSearch {
  readonly #settings: GuardSettings;
  readonly #ports: SearchPorts;
  readonly #groups = new Map<string, Group>();

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
    const group = this.#group(rules);
    const names: (string | null)[] = [];
    const searched: SearchedText[] = [];
    for (const one of texts) {
      const { name, text } = this.#recall(group, one);
      names.push(name);
      searched.push(text);
      if (searched.length % STEP_TEXTS === 0) yield;
    }
    const search = new TextsSearch(group.scanner, searched);
    while (!search.run(STEP_CHARACTERS)) yield;
    yield* this.#remember(names, searched, search.own);
    const counts = new Counts(group, at);
    for (const [index, found] of search.found.entries()) {
      counts.add(searched[index]?.text ?? "", found);
      if (index % STEP_TEXTS === STEP_TEXTS - 1) yield;
    }
    return counts.list();
  }

  #group(rules: readonly GuardRule[]): Group {
    const name = JSON.stringify(rules.map((rule) => rule.name));
    return this.#groups.getOrInsertComputed(name, () => {
      const detectors = [...new Set(rules.flatMap(({ detect }) => detect))];
      const scanner = createScanner(detectors, this.#settings.words, this.#settings.allow);
      return { name: `${this.#settings.version} ${name}`, rules, scanner, counting: new Map() };
    });
  }

  #recall({ name: scope }: Group, { text, place }: OrderedText) {
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

/** Counts each value once for its detector and action. */
class Counts {
  readonly #group: Group;
  readonly #at: GuardPlace;
  readonly #values = new Map<string, { readonly rule: GuardRule; readonly values: Set<string> }>();

  constructor(group: Group, at: GuardPlace) {
    this.#group = group;
    this.#at = at;
  }

  add(text: string, found: readonly Match[]): void {
    for (const { from, to, detector, detectors } of joinFound(found)) {
      const { counting, rules } = this.#group;
      const rule = counting.getOrInsertComputed(detectors.join(" "), () =>
        findStrictestRule(rules, detectors),
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
