// The guard as a step: it searches a request before hooks, cache and admission, and what is shown of its answer.
import { Fault } from "../../core/fault.ts";
import type { ModelCard } from "../../core/models/card.ts";
import type { GuardFinding, GuardPlace, GuardRule, GuardSettings } from "../../core/models/guard.ts";
import type { Ending } from "../../core/world/ending.ts";
import type { Call } from "../../gateway/call.ts";
import type { AnsweredCall, Around, Enter, Step } from "../../gateway/step.ts";
import type { Form } from "../../operations/form.ts";
import { listInOrder, type OrderedText } from "../../operations/ordered-texts.ts";
import type { FindAccountName } from "../applies.ts";
import { hasAttachments } from "../unseen.ts";
import { GuardedAnswer } from "./answer.ts";
import type { KnownPlaces } from "./known.ts";
import { listApplying, listAt } from "./rules.ts";
import { GuardSearch } from "./search.ts";

/** A request with a longer body waits for its turns, and so enters its minute first. */
const ENTERS_ABOVE_BYTES = 1_000_000;

export interface GuardPorts {
  readonly accountName: FindAccountName;
  readonly nowMs: () => number;
}

export class GuardStep implements Step {
  readonly #settings: GuardSettings;
  readonly #ports: GuardPorts;
  readonly #search: GuardSearch;
  /** The rules at the answers of requests that some apply to. */
  readonly #atAnswers = new WeakMap<object, readonly GuardRule[]>();

  constructor(settings: GuardSettings, known: KnownPlaces, ports: GuardPorts) {
    this.#settings = settings;
    this.#ports = ports;
    this.#search = new GuardSearch(settings, { known, nowMs: ports.nowMs });
  }

  async before<F extends Form>(
    call: Call<F>,
    _ending: Ending,
    enter: Enter,
    cards: readonly ModelCard[],
  ): Promise<null> {
    const applying = await listApplying(this.#settings.rules, call, cards, this.#ports.accountName);
    const refusing = applying.find(
      ({ refusesAttachments, at }) => refusesAttachments && hasAttachments(call, at.includes("answer")),
    );
    if (refusing) throw refuseAttachments(refusing);
    const atAnswer = listAt(applying, "answer");
    if (atAnswer.length > 0) this.#atAnswers.set(call, atAnswer);
    const atRequest = listAt(applying, "request");
    if (atRequest.length === 0) return null;
    if (call.held.bytes > ENTERS_ABOVE_BYTES) await enter();
    await this.#find(call, atRequest, "request", listAsked(call));
    return null;
  }

  around<F extends Form>({ call, family }: AnsweredCall<F>): Around<F> | null {
    const rules = this.#atAnswers.get(call);
    if (rules === undefined || call.operation.makes === "sound") return null;
    return new GuardedAnswer({
      operation: call.operation,
      native: family === null ? null : (call.raw?.texts ?? null),
      search: (texts) => this.#find(call, rules, "answer", texts),
    });
  }

  async #find<F extends Form>(
    call: Call<F>,
    rules: readonly GuardRule[],
    at: GuardPlace,
    texts: Texts,
  ): Promise<void> {
    const startedMs = this.#ports.nowMs();
    const findings = await call.takeSteps(this.#searchAll(rules, at, texts));
    if (findings.length > 0) call.guard = [...(call.guard ?? []), ...findings];
    call.guardMs ??= { request: 0, answer: 0 };
    call.guardMs[at] += this.#ports.nowMs() - startedMs;
  }

  *#searchAll(
    rules: readonly GuardRule[],
    at: GuardPlace,
    texts: Texts,
  ): Generator<undefined, readonly GuardFinding[]> {
    return yield* this.#search.run(rules, at, listDifferent(yield* texts));
  }
}

type Texts = Generator<undefined, readonly OrderedText[]>;

/** The texts of all forms in which a request is sent or stored, each form in its order. */
function* listAsked<F extends Form>({ operation, ask, raw, kept }: Call<F>): Texts {
  const own = raw ? yield* listInOrder(raw.body, raw.texts.mapRequest) : [];
  const read = yield* listInOrder(ask, operation.mapTexts);
  const stored = kept ? yield* listInOrder(kept.body, kept.texts.mapRequest) : [];
  return [...own, ...read, ...stored];
}

/** Each text once for each field that holds it: most stand in two forms, or in two events. */
function listDifferent(texts: readonly OrderedText[]): readonly OrderedText[] {
  const fields = new Map<string, Set<string>>();
  return texts.filter(({ text, place: { field = "" } }) => {
    const known = fields.getOrInsertComputed(text, () => new Set());
    return known.size < known.add(field).size;
  });
}

function refuseAttachments({ name }: GuardRule): Fault {
  const reason = "pictures, sounds and files are refused";
  const message = `The guard rule '${name}' refused the request: ${reason}.`;
  return new Fault("content_blocked", message, { hookReason: reason });
}
