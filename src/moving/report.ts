// The report of an import: the outcome of each part that was found, and the secrets that it asks for instead of copying them.

import { showControl } from "../core/text/control.ts";
import type { MadeOwner } from "./made.ts";

/** The places of settings that every gateway has. */
export const CACHE = "set cache.ttl: answers are kept for the same request, not by meaning";
export const HOOKS = "add it to hooks, or a guardrail of Bedrock's to providers.<name>.guardrail";

/** In the order in which they are printed: those that ask for work first. */
const OUTCOMES = ["not_taken", "paused", "narrowed", "taken"] as const;
/** `narrowed` allows less than there, and a key that is `paused` allows nothing until somebody resumes it. */
export type Outcome = (typeof OUTCOMES)[number];

export interface ReportRow {
  /** The line of the file, from 1. Null for rows of a table. */
  readonly line: number | null;
  /** The part that was found, as the other gateway names it. */
  readonly item: string;
  readonly outcome: Outcome;
  /** Its place here, or the reason why it has none. */
  readonly words: string;
}

/** A variable of the environment that the configuration needs. */
interface ReportedVariable {
  readonly name: string;
  /** Its use, and where its value was found, which is never copied. */
  readonly use: string;
}

export class Report {
  readonly rows: ReportRow[] = [];
  /** For `import --undo`. */
  readonly made: MadeOwner[] = [];
  /** The rows of accounts and keys that this import has added or changed. */
  readonly changes: ReportRow[] = [];
  readonly #variables = new Map<string, string>();
  readonly #reserved = new Set<string>();
  /** Only here, and never shown. */
  readonly #chosen = new Map<string, string>();

  /** Its texts are shown on a terminal. */
  add(row: ReportRow): void {
    this.rows.push({ ...row, item: showControl(row.item), words: showControl(row.words) });
  }

  /** The same for a row of an account or a key that was added or changed. */
  addChange(row: Pick<ReportRow, "item" | "outcome" | "words">): void {
    const change = { line: null, ...row };
    this.add(change);
    this.changes.push(this.rows.at(-1) ?? change);
  }

  take(line: number | null, item: string, words: string): void {
    this.add({ line, item, outcome: "taken", words });
  }

  narrow(line: number | null, item: string, words: string): void {
    this.add({ line, item, outcome: "narrowed", words });
  }

  pause(line: number | null, item: string, words: string): void {
    this.add({ line, item, outcome: "paused", words });
  }

  leave(line: number | null, item: string, words: string): void {
    this.add({ line, item, outcome: "not_taken", words });
  }

  /** Returns the rows by outcome, each kind in the order in which it was found. */
  sort(): readonly ReportRow[] {
    return OUTCOMES.flatMap((outcome) => this.rows.filter((row) => row.outcome === outcome));
  }

  count(): Readonly<Record<Outcome, number>> {
    const counts = { not_taken: 0, paused: 0, narrowed: 0, taken: 0 };
    for (const { outcome } of this.rows) counts[outcome]++;
    return counts;
  }

  /** Returns a reference to a variable, in the configuration's notation. */
  need(name: string, use: string): string {
    if (!this.#variables.has(name)) this.#variables.set(name, showControl(use));
    return `\${${name}}`;
  }

  /** The same for a secret that stands in the file: it gets a name of its own, the same wherever it stands. */
  needSecret(name: string, secret: string, use: string): string {
    return this.need(this.#choose(name, secret), `${use}, which stands in the file`);
  }

  /** The same for a secret that the other gateway keeps under a name. */
  needKept(name: string, kept: string, use: string): string {
    return this.need(this.#choose(name, `kept as ${kept}`), `${use}, which is kept there as ${kept}`);
  }

  #choose(name: string, secret: string): string {
    return this.#chosen.getOrInsertComputed(`${name} ${secret}`, () => {
      for (let at = 1; ; at++) {
        const numbered = at === 1 ? name : `${name}_${at}`;
        if (!this.#variables.has(numbered) && !this.#reserved.has(numbered)) return numbered;
      }
    });
  }

  /** Keeps a name from being chosen for another value. */
  reserve(name: string): void {
    this.#reserved.add(name);
  }

  get variables(): readonly ReportedVariable[] {
    return [...this.#variables].map(([name, use]) => ({ name, use }));
  }
}
