// Replaces what the rules find in a request, in all forms in which it is sent or stored.
import { Fault } from "../../core/faults/fault.ts";
import type { GuardFinding, GuardRule } from "../../core/models/guard.ts";
import type { TextPlace } from "../../core/text/texts.ts";
import type { Call } from "../../gateway/call.ts";
import { joinInSteps, type Union } from "../../guard/join.ts";
import { hideInSteps, writeMask, writePlaceholder } from "../../guard/placeholders.ts";
import type { Match } from "../../guard/scanner.ts";
import type { Steps } from "../../guard/steps.ts";
import type { SearchedText } from "../../guard/texts.ts";
import type { Form } from "../../operations/form.ts";
import type { Operation } from "../../operations/operation.ts";
import {
  listInOrder,
  listTexts,
  type OrderedText,
  replaceInOrder,
  type Walk,
} from "../../operations/ordered-texts.ts";
import { isToolName } from "../unseen.ts";
import type { Memory } from "./recall.ts";
import { Counts, type GuardSearch, RuleChoice } from "./search.ts";
import { isActing, type SwappedValues } from "./terms.ts";

/** A person's name in a request: vendors take no brackets there. */
const PERSON_NAME = /^messages\[\d+\]\.name$/;

/** A value is looked for in so many in less than a millisecond. */
const ESCAPED_CHARACTERS = 1_000_000;

interface HiddenRequest<F extends Form> extends Pick<Call<F>, "ask" | "raw" | "kept"> {
  readonly findings: readonly GuardFinding[];
  /** The first finding of a rule that refuses, or a value beyond the most that a request may have. Its forms have marks there. */
  readonly refusal: Fault | null;
}

export class Hiding {
  readonly #search: GuardSearch;
  readonly #rules: readonly GuardRule[];
  readonly #swapped: SwappedValues;
  readonly #choice: RuleChoice;
  /** For thinking that its maker signed, which passes as it is. */
  readonly #sealedChoice: RuleChoice;
  readonly #counts = new Counts("request");
  readonly #memory: Memory = new Map();
  #refusal: Fault | null = null;
  /** True once there are more values than a request may have. */
  #isFull = false;

  constructor(search: GuardSearch, rules: readonly GuardRule[], swapped: SwappedValues) {
    this.#search = search;
    this.#rules = rules;
    this.#swapped = swapped;
    this.#choice = new RuleChoice(rules);
    this.#sealedChoice = new RuleChoice(rules.filter((rule) => !isActing(rule)));
  }

  /** A request is kept with the values that are put back into its answer, and without those that are masked. */
  *request<F extends Form>({ operation, ask, raw, kept }: Call<F>): Steps<HiddenRequest<F>> {
    const sent = (one: OrderedText, union: Union, value: string) => this.#send(one, union, value);
    const stored = (one: OrderedText, union: Union, value: string) => this.#store(one, union, value);
    const hidden = {
      raw: raw && { ...raw, body: yield* this.#form(raw.body, raw.texts.mapRequest, sent) },
      ask: yield* this.#form(ask, operation.mapTexts, sent),
      kept: kept && { ...kept, body: yield* this.#form(kept.body, kept.texts.mapRequest, stored) },
    };
    return { ...hidden, findings: this.#counts.list(), refusal: this.#refusal };
  }

  *#form<Body extends object>(
    body: Body,
    walk: Walk<Body>,
    write: (one: OrderedText, union: Union, value: string) => string | null,
  ): Steps<Body> {
    const texts = (yield* listInOrder(body, walk)).filter(({ place }) => !isToolName(place));
    const found = yield* this.#search.find(this.#rules, texts, [], this.#memory);
    const replaced = new Map<number, string>();
    for (const [one, matches] of listFound(texts, found)) {
      const unions = yield* joinInSteps(matches);
      const now = yield* hideInSteps(one.text, unions, (union, value) => write(one, union, value));
      if (now !== one.text) replaced.set(one.visit, now);
    }
    return yield* replaceInOrder(body, walk, replaced);
  }

  #send(one: OrderedText, union: Union, value: string): string | null {
    const rule = this.#findRule(one.place, union);
    if (rule === undefined) return null;
    this.#counts.add(union.detector, rule, value);
    switch (rule.action) {
      case "refuse":
        this.#refusal ??= refuse(rule, union.detector, one.place.path);
        return writeMask(union.detector, chooseWriting(one.place));
      case "mask":
        return writeMask(union.detector, chooseWriting(one.place));
      case "swap":
        return this.#swap(union.detector, value, chooseWriting(one.place));
      case "report":
        return null;
    }
  }

  #store(one: OrderedText, union: Union, value: string): string | null {
    const rule = this.#findRule(one.place, union);
    if (rule === undefined) return null;
    this.#counts.add(union.detector, rule, value);
    const isMasked = rule.action === "mask" || rule.action === "refuse";
    return isMasked ? writeMask(union.detector, chooseWriting(one.place)) : null;
  }

  #swap(detector: string, value: string, writing: "name" | "text"): string {
    if (this.#isFull) return writeMask(detector, writing);
    try {
      return writePlaceholder(this.#swapped.swap(detector, value), writing);
    } catch (thrown) {
      if (!(thrown instanceof Fault)) throw thrown;
      this.#refusal ??= thrown;
      this.#isFull = true;
      return writeMask(detector, writing);
    }
  }

  #findRule({ isSealed, kind }: TextPlace, union: Union): GuardRule | undefined {
    return (isSealed && kind === "thinking" ? this.#sealedChoice : this.#choice).find(union);
  }
}

/** The texts in which something was found. */
function listFound(
  texts: readonly OrderedText[],
  found: readonly (readonly Match[])[],
): readonly (readonly [OrderedText, readonly Match[]])[] {
  return texts.flatMap((one, at) => {
    const matches = found[at] ?? [];
    return matches.length === 0 ? [] : [[one, matches] as const];
  });
}

export function chooseWriting({ path }: TextPlace): "name" | "text" {
  return PERSON_NAME.test(path) ? "name" : "text";
}

/** Names the place in the client's own request. */
function refuse({ name }: GuardRule, detector: string, path: string): Fault {
  const reason = `${detector} at ${path}`;
  const message = `The guard rule '${name}' refused the request: ${reason}.`;
  return new Fault("content_blocked", message, { hookReason: reason, param: path });
}

interface LoggedTerms {
  readonly search: GuardSearch;
  /** The rules at the request and at the answer. */
  readonly rules: readonly GuardRule[];
  readonly swapped: SwappedValues;
}

/** Ends with an answer as it is logged: without the values that were put back, and with nothing that a rule hides. */
export function* hideAnswer<F extends Form>(
  operation: Operation<F>,
  reply: F["reply"],
  { search, rules, swapped }: LoggedTerms,
): Steps<F["reply"]> {
  const texts = listTexts((change) => operation.mapReply(reply, change, null));
  const escaped = listEscaped(swapped);
  const choice = new RuleChoice(rules);
  const found = yield* search.find(rules, texts, listKnown(swapped));
  const replaced = new Map<number, string>();
  const write = (union: Union, value: string): string | null => {
    const action = choice.find(union)?.action ?? "report";
    if (action === "report") return null;
    return action === "swap"
      ? writePlaceholder(swapped.swap(union.detector, value), "text")
      : writeMask(union.detector, "text");
  };
  for (const [one, matches] of listFound(texts, found)) {
    const now = yield* hideInSteps(one.text, yield* joinInSteps(matches), write);
    if (now !== one.text) replaced.set(one.visit, now);
  }
  if (escaped.length > 0)
    for (const { text, visit } of texts) {
      const now = yield* replaceEscaped(replaced.get(visit) ?? text, escaped);
      if (now !== text) replaced.set(visit, now);
    }
  if (replaced.size === 0) return reply;
  let visit = 0;
  const change = Object.assign((text: string) => replaced.get(visit++) ?? text, {
    takesIntegers: true as const,
  });
  return operation.mapReply(reply, change, null);
}

/** The request's values as texts before those of its answer, so that they are found there without their words. */
function listKnown(swapped: SwappedValues): readonly SearchedText[] {
  return [...swapped.list()].map(([text, detector]) => ({
    text,
    known: [{ from: 0, to: text.length, detector }],
  }));
}

/** The values that JSON writes otherwise, as they stand in an answer in JSON, with their placeholders. */
function listEscaped(swapped: SwappedValues): readonly (readonly [string, string])[] {
  return [...swapped.values].flatMap(([name, value]) => {
    const escaped = JSON.stringify(value).slice(1, -1);
    return escaped === value ? [] : [[escaped, writePlaceholder(name, "text")] as const];
  });
}

/** Only JSON has such values, with a backslash in each. */
function* replaceEscaped(text: string, escaped: readonly (readonly [string, string])[]): Steps<string> {
  if (!text.includes("\\")) return text;
  let now = text;
  let passed = 0;
  for (const [value, name] of escaped) {
    now = now.replaceAll(value, () => name);
    passed += now.length;
    if (passed < ESCAPED_CHARACTERS) continue;
    passed = 0;
    yield;
  }
  return now;
}
