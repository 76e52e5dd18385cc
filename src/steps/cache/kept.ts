// An answer as the cache keeps it.
import { asArray, asNumber, asString, type JsonObject } from "../../core/json/json.ts";
import type { NanoUsd } from "../../core/money/money.ts";
import type { OwnAnswer } from "../../gateway/step.ts";
import { withoutUsage } from "../../operations/folding.ts";
import type { Form } from "../../operations/form.ts";
import type { Operation } from "../../operations/operation.ts";

export interface KeptAnswer<F extends Form> {
  /** The completion that got it first. */
  readonly id: string;
  /** The card's id. */
  readonly model: string;
  readonly costNanoUsd: NanoUsd;
  readonly reply: F["reply"];
  /** A provider's own stream, by `Keeping.native`. Null if it came whole, or is no provider's own. */
  readonly pieces: readonly unknown[] | null;
}

export function writeKept<F extends Form>(
  { reply, ...kept }: KeptAnswer<F>,
  { keeping }: Operation<F>,
): string {
  return JSON.stringify({ ...kept, reply: keeping?.pack?.(reply) ?? reply });
}

/** Returns null for what isn't an answer of the operation. */
export function readKept<F extends Form>(
  content: Readonly<JsonObject>,
  operation: Operation<F>,
): KeptAnswer<F> | null {
  const { id, model, costNanoUsd, reply: given, pieces } = content;
  const reply = operation.restore(given);
  const first = asString(id);
  const card = asString(model);
  if (reply === null || first === undefined || card === undefined) return null;
  const own = pieces === null ? null : asArray(pieces);
  return { id: first, model: card, costNanoUsd: asNumber(costNanoUsd) ?? 0, reply, pieces: own };
}

export function repeatAnswer<F extends Form>(kept: KeptAnswer<F>, operation: Operation<F>): OwnAnswer<F> {
  const { id, model, costNanoUsd, reply } = kept;
  const { keeping } = operation;
  const answer = { kind: "answer", reply, model, from: { id, costNanoUsd } } as const;
  if (keeping === undefined) return answer;
  let pieces: readonly F["piece"][] | null = null;
  return {
    ...answer,
    // A whole answer's client needs none.
    get pieces() {
      pieces ??= kept.pieces && keeping.native ? keeping.native.read(kept.pieces) : null;
      pieces ??= keeping.takeApart(withoutUsage(reply));
      return pieces;
    },
  };
}
