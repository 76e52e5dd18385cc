// The guard as a step: it searches a request before hooks, cache and admission, hides what its rules say, and puts values back into
// what is shown of the answer.

import type { Fault } from "../../core/faults/fault.ts";
import { asObject } from "../../core/json/json.ts";
import type { ModelCard } from "../../core/models/card.ts";
import type { GuardRule, GuardSettings } from "../../core/models/guard.ts";
import type { TextPlace } from "../../core/text/texts.ts";
import type { Ending } from "../../core/world/ending.ts";
import type { Call } from "../../gateway/call.ts";
import type { AnsweredCall, Around, ChangedCall, Enter, Later, Step } from "../../gateway/step.ts";
import { filterJson } from "../../guard/json-stream.ts";
import { Restorer } from "../../guard/restorer.ts";
import { filterText, type TextFilter, type TextPart, type TextStream } from "../../guard/text-filter.ts";
import type { Form } from "../../operations/form.ts";
import { listInOrder } from "../../operations/ordered-texts.ts";
import type { FindAccountName } from "../applies.ts";
import { FilteredAnswer, type Watch } from "./filtered.ts";
import { Hiding, hideAnswer } from "./hide.ts";
import { listDifferent, noteFindings, searchTexts, type Texts, takeTimed, type WatchPorts } from "./note.ts";
import { listApplying, listAt } from "./rules.ts";
import type { GuardSearch } from "./search.ts";
import { type AccountKey, isActing, type KnownTerms, SwappedValues } from "./terms.ts";
import { findUnsearchable } from "./unsearchable.ts";

/** A request with a longer body waits for its turns, and so enters its minute first. */
const ENTERS_ABOVE_BYTES = 1_000_000;

export interface GuardPorts extends WatchPorts {
  readonly accountName: FindAccountName;
  readonly accountKey: AccountKey;
}

interface GuardStepParts extends GuardPorts {
  readonly settings: GuardSettings;
  readonly search: GuardSearch;
  readonly terms: KnownTerms;
}

export class GuardStep implements Step {
  readonly isAroundKept = true;
  readonly #parts: GuardStepParts;

  constructor(parts: GuardStepParts) {
    this.#parts = parts;
  }

  async before<F extends Form>(
    call: Call<F>,
    _ending: Ending,
    enter: Enter,
    cards: readonly ModelCard[],
  ): Promise<ChangedCall<F> | null> {
    const { settings, accountName } = this.#parts;
    const applying = await listApplying(settings.rules, call, cards, accountName);
    if (applying.length === 0) return null;
    const unsearchable = findUnsearchable(call, applying);
    const asked = listAt(applying, "request");
    const answered = listAt(applying, "answer");
    const swapped = applying.some(isActing) ? new SwappedValues(this.#parts.accountKey(call.key)) : null;
    this.#parts.terms.set(call, { asked, answered, swapped });
    if (unsearchable !== null && !asked.some(isActing)) throw unsearchable;
    if (asked.length === 0) return null;
    if (call.held.bytes > ENTERS_ABOVE_BYTES) await enter();
    if (swapped !== null && asked.some(isActing)) return this.#hide(call, asked, swapped, unsearchable);
    await searchTexts(this.#parts, call, asked, "request", listAsked(call));
    return null;
  }

  /** Nothing is held back of an answer to a request without placeholders. */
  around<F extends Form>({ call, family }: AnsweredCall<F>): Around<F> | null {
    const { swapped = null } = this.#parts.terms.get(call) ?? {};
    if (swapped === null || swapped.values.size === 0 || call.operation.makes === "sound") return null;
    const restorer = new Restorer(swapped.values);
    const isAnswerJson = asksJson(call);
    return new FilteredAnswer({
      operation: call.operation,
      native: family === null ? null : (call.raw?.texts ?? null),
      open: (place, watch) => openRestored(restorer, place, { watch, isAnswerJson }),
      finish: () => {},
      takeSteps: (steps) => call.takeSteps(steps),
    });
  }

  hideLogged<F extends Form>(call: Call<F>, reply: F["reply"]): Later<F["reply"]> {
    const { asked, answered, swapped } = this.#parts.terms.get(call) ?? {};
    if (!asked || !answered || !swapped) return reply;
    const { search } = this.#parts;
    const terms = { search, rules: [...asked, ...answered], swapped };
    return call.takeSteps(hideAnswer(call.operation, reply, terms));
  }

  async #hide<F extends Form>(
    call: Call<F>,
    rules: readonly GuardRule[],
    swapped: SwappedValues,
    unsearchable: Fault | null,
  ): Promise<ChangedCall<F>> {
    const swaps = rules.some(({ action }) => action === "swap");
    // A provider's own summary of the conversation would hold placeholders.
    if (swaps) call.compactHere?.();
    const hiding = new Hiding(this.#parts.search, rules, swapped);
    const hidden = await takeTimed(this.#parts, call, "request", hiding.request(call));
    const { findings, refusal, ...forms } = hidden;
    noteFindings(call, findings);
    return {
      kind: "changed",
      ...forms,
      refusal: unsearchable ?? refusal,
      ...(swaps && { keepsUpstream: false }),
    };
  }
}

/** Thinking stays as the model wrote it. */
function openRestored(
  restorer: Restorer,
  { kind, isJson }: TextPlace,
  { watch, isAnswerJson }: { readonly watch: Watch; readonly isAnswerJson: boolean },
): TextStream | null {
  if (kind === "thinking" || kind === "integer") return null;
  if (isJson !== true) {
    const filter = restorer.begin();
    return filterText(watch(isAnswerJson ? writeInJson(filter) : filter));
  }
  return filterJson({ value: () => restorer.begin(), key: () => restorer.begin() });
}

/** True if the answer's text is to be JSON. */
function asksJson({ ask }: { readonly ask: object }): boolean {
  const { type } = asObject(Reflect.get(ask, "response_format"));
  return type !== undefined && type !== "text";
}

/** JSON, or a fence of code around it. */
const JSON_BEGINS = /^\s*[[{"`]/;

/** Writes values as a JSON string holds them, if the text begins as JSON does: a model may answer otherwise. */
function writeInJson(filter: TextFilter): TextFilter {
  let isJson: boolean | null = null;
  const write = (passed: readonly TextPart[]) =>
    isJson ? passed.map(({ length, by }) => ({ length, by: by && JSON.stringify(by).slice(1, -1) })) : passed;
  return {
    push(text) {
      if (isJson === null && text.trim() !== "") isJson = JSON_BEGINS.test(text);
      return write(filter.push(text));
    },
    end: () => write(filter.end()),
  };
}

/** The texts of all forms in which a request is sent or stored, each form in its order. */
function* listAsked<F extends Form>({ operation, ask, raw, kept }: Call<F>): Texts {
  const own = raw ? yield* listInOrder(raw.body, raw.texts.mapRequest) : [];
  const read = yield* listInOrder(ask, operation.mapTexts);
  if (raw === null && kept === null) return read;
  const stored = kept ? yield* listInOrder(kept.body, kept.texts.mapRequest) : [];
  return listDifferent([...own, ...read, ...stored]);
}
