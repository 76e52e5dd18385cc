// Notes on a request what the guard found in it, and how long that took.
import type { GuardFinding, GuardPlace, GuardRule } from "../../core/models/guard.ts";
import type { Call } from "../../gateway/call.ts";
import type { Form } from "../../operations/form.ts";
import type { PlacedText } from "../../operations/ordered-texts.ts";
import { isToolName } from "../unseen.ts";
import type { GuardSearch } from "./search.ts";

export interface WatchPorts {
  readonly nowMs: () => number;
}

export type Texts = Generator<undefined, readonly PlacedText[]>;

export function noteFindings<F extends Form>(call: Call<F>, findings: readonly GuardFinding[]): void {
  if (findings.length > 0) call.guard = [...(call.guard ?? []), ...findings];
}

/** Runs work of the guard in turns with other accounts' requests. */
export async function takeTimed<F extends Form, Result>(
  { nowMs }: WatchPorts,
  call: Call<F>,
  at: GuardPlace,
  steps: Generator<undefined, Result>,
): Promise<Result> {
  const startedMs = nowMs();
  try {
    return await call.takeSteps(steps);
  } finally {
    call.guardMs ??= { request: 0, answer: 0 };
    call.guardMs[at] += nowMs() - startedMs;
  }
}

/** For rules that only report. */
export async function searchTexts<F extends Form>(
  parts: WatchPorts & { readonly search: GuardSearch },
  call: Call<F>,
  rules: readonly GuardRule[],
  at: GuardPlace,
  texts: Texts,
): Promise<void> {
  const findings = await takeTimed(parts, call, at, countAll(parts.search, rules, at, texts));
  noteFindings(call, findings);
}

function* countAll(
  search: GuardSearch,
  rules: readonly GuardRule[],
  at: GuardPlace,
  texts: Texts,
): Generator<undefined, readonly GuardFinding[]> {
  const searched = (yield* texts).filter(({ place }) => !isToolName(place));
  return yield* search.count(rules, at, searched);
}

/** Each text once for each field that holds it: most stand in two forms, or in two events. */
export function listDifferent(texts: readonly PlacedText[]): readonly PlacedText[] {
  const fields = new Map<string, Set<string>>();
  return texts.filter(({ text, place }) => {
    const known = fields.getOrInsertComputed(text, () => new Set());
    return known.size < known.add(place.field ?? "").size;
  });
}
