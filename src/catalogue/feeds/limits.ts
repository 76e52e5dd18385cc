// The limits that a list of prices has for models: how long prompts and answers may be.
import type { ModelCard } from "../../core/models/card.ts";
import type { ModelOverlay } from "../../core/settings.ts";
import type { FeedRow } from "./feed.ts";
import type { Proposal } from "./verdict.ts";

/** A limit that moves by more is accepted by a person or not at all. */
const MOVE_MAX = 2;

/** Both are proposed together, because one may be impossible without the other. */
export function proposeLimits(
  card: ModelCard,
  row: FeedRow,
  own: ModelOverlay | undefined,
): readonly Proposal[] {
  const output =
    own?.outputTokensMax === undefined ? (row.output ?? card.outputTokensMax) : card.outputTokensMax;
  const context =
    own?.contextTokensMax === undefined ? readContext(card, row, output) : card.contextTokensMax;
  if (context !== null && output !== null && output > context) return [];
  const steps = [
    { field: "context", from: card.contextTokensMax, to: context, card: { contextTokensMax: context } },
    { field: "output", from: card.outputTokensMax, to: output, card: { outputTokensMax: output } },
  ] as const;
  return steps.flatMap(({ field, from, to, card: sets }): readonly Proposal[] => {
    if (to === null || to === from) return [];
    const reason = isNear(from, to)
      ? findOther(card, steps)
      : `${field} moves by more than a factor of ${MOVE_MAX}`;
    return [
      {
        id: card.id,
        field,
        before: from === null ? null : String(from),
        after: String(to),
        verdict: reason === null ? "taken" : "waits",
        reason,
        moves: null,
        isNew: false,
        card: sets,
      },
    ];
  });
}

interface LimitStep {
  readonly from: number | null;
  readonly to: number | null;
}

/** A limit that may move by itself waits with the other if the two would contradict each other meanwhile. */
function findOther(
  { contextTokensMax, outputTokensMax }: ModelCard,
  [context, output]: readonly [LimitStep, LimitStep],
): string | null {
  const window = isNear(context.from, context.to) ? context.to : contextTokensMax;
  const most = isNear(output.from, output.to) ? output.to : outputTokensMax;
  if (window === null || most === null || most <= window) return null;
  return "context and output contradict each other until both are taken";
}

/** Some lists state the longest input in place of the window. Where that explains the difference, ours stays. */
function readContext({ contextTokensMax: ours }: ModelCard, { context }: FeedRow, output: number | null) {
  if (context === null || ours === null) return context ?? ours;
  return context < ours && context + (output ?? 0) >= ours ? ours : context;
}

function isNear(from: number | null, to: number | null): boolean {
  return from === null || to === null || (to <= from * MOVE_MAX && from <= to * MOVE_MAX);
}
