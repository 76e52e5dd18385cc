// The guard's rules about answers, between the cache and the hooks: what is kept and shown has passed them.
import { Fault } from "../../core/faults/fault.ts";
import type { GuardRule } from "../../core/models/guard.ts";
import type { IsChanged, NativeTexts, TextPlace } from "../../core/text/texts.ts";
import type { Call } from "../../gateway/call.ts";
import type { AnsweredCall, Around, Step } from "../../gateway/step.ts";
import type { AnswerScanner } from "../../guard/answer-search.ts";
import type { Union } from "../../guard/join.ts";
import { filterJson } from "../../guard/json-stream.ts";
import { writeMask } from "../../guard/placeholders.ts";
import { filterText, type TextStream } from "../../guard/text-filter.ts";
import type { Form } from "../../operations/form.ts";
import { isToolName } from "../unseen.ts";
import { GuardedAnswer } from "./answer.ts";
import { FilteredAnswer, type Watch } from "./filtered.ts";
import { noteFindings, searchTexts, type WatchPorts } from "./note.ts";
import { Counts, type GuardSearch, RuleChoice } from "./search.ts";
import { isActing, type KnownTerms } from "./terms.ts";

interface AnswerStepParts extends WatchPorts {
  readonly version: string;
  readonly search: GuardSearch;
  readonly terms: KnownTerms;
}

export class GuardAnswerStep implements Step {
  readonly #parts: AnswerStepParts;

  constructor(parts: AnswerStepParts) {
    this.#parts = parts;
  }

  before(): null {
    return null;
  }

  around<F extends Form>({ call, family }: AnsweredCall<F>): Around<F> | null {
    const rules = this.#parts.terms.get(call)?.answered ?? [];
    const { operation } = call;
    if (rules.length === 0 || operation.makes === "sound") return null;
    const native = family === null ? null : (call.raw?.texts ?? null);
    if (rules.some(isActing)) return this.#filter(call, rules, native);
    return new GuardedAnswer({
      operation,
      native,
      search: (texts) => searchTexts(this.#parts, call, rules, "answer", texts),
    });
  }

  /** Kept answers have passed the rules of their time. */
  identify<F extends Form>(call: Call<F>): string | null {
    const { answered = [] } = this.#parts.terms.get(call) ?? {};
    if (answered.length === 0) return null;
    return JSON.stringify(["guard", this.#parts.version, answered.map(({ name }) => name)]);
  }

  #filter<F extends Form>(call: Call<F>, rules: readonly GuardRule[], native: NativeTexts | null): Around<F> {
    const filters = new AnswerFilters(this.#parts.search.chooseForAnswers(rules), rules);
    return new FilteredAnswer({
      operation: call.operation,
      native,
      open: (place, watch) => filters.open(place, watch),
      finish: () => noteFindings(call, filters.counts.list()),
      takeSteps: (steps) => call.takeSteps(steps),
      isThoughtChanged: filters.isThoughtChanged,
    });
  }
}

/** The filters of one answer's texts. */
class AnswerFilters {
  readonly counts = new Counts("answer");
  readonly #scanner: AnswerScanner;
  readonly #choice: RuleChoice;
  /** The paths of thinking that was masked. */
  readonly #changedThoughts = new Set<string>();

  constructor(scanner: AnswerScanner, rules: readonly GuardRule[]) {
    this.#scanner = scanner;
    this.#choice = new RuleChoice(rules);
  }

  open(place: TextPlace, watch: Watch): TextStream | null {
    if (isToolName(place)) return null;
    if (place.isJson !== true) return filterText(watch(this.#begin(place.field ?? "", place)));
    return filterJson({
      value: (field) => this.#begin(field ?? ""),
      key: () => this.#begin(""),
      integer: (digits, field) => {
        const stream = filterText(this.#begin(field ?? ""));
        const now = stream.push(digits) + stream.end();
        return now === digits ? null : now;
      },
    });
  }

  readonly isThoughtChanged: IsChanged = (start) =>
    this.#changedThoughts.values().some((path) => path.startsWith(start));

  #begin(before: string, place?: TextPlace) {
    if (place?.kind !== "thinking") return this.#scanner.begin(before, this.#decide);
    return this.#scanner.begin(before, (found, value) => {
      const by = this.#decide(found, value);
      if (by !== null) this.#changedThoughts.add(place.path);
      return by;
    });
  }

  readonly #decide = (found: Union, value: string): string | null => {
    const rule = this.#choice.find(found);
    if (rule === undefined) return null;
    this.counts.add(found.detector, rule, value);
    if (rule.action === "refuse") throw refuse(rule, found.detector);
    return rule.action === "mask" ? writeMask(found.detector, "text") : null;
  };
}

function refuse({ name }: GuardRule, detector: string): Fault {
  const message = `The guard rule '${name}' refused the answer: ${detector}.`;
  return new Fault("content_blocked", message, { hookReason: detector });
}
