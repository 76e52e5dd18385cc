// Idempotency-Key: detects repeated requests and stores the answers for them.

import { Fault } from "../../core/faults/fault.ts";
import { parseWithTools } from "../../core/json/exact.ts";
import { asNumber, asObject } from "../../core/json/json.ts";
import { NANO_PER_USD, type NanoUsd, toUsd } from "../../core/money/money.ts";
import type { Vault } from "../../core/world/world.ts";
import type { CollectedReader, ShownAnswer } from "../../operations/collected.ts";
import type { Form } from "../../operations/form.ts";
import type { Asking, Operation } from "../../operations/operation.ts";
import type { Call } from "../call.ts";

const KEY_SHAPE = /^[\x21-\x7e]{1,255}$/;

/**
 * Digests of the Idempotency-Key within its gateway key, and of the body without `stream`: of what it asks for, and of
 * the client's own request, whose other fields the native lane passes on.
 */
export function digestIdempotency<F extends Form>(
  vault: Pick<Vault, "digest">,
  keyId: string,
  header: string | null,
  operation: Operation<F>,
  { ask, raw }: Pick<Asking<F>, "ask" | "raw">,
): Call<F>["idempotency"] {
  if (header === null) return null;
  if (!KEY_SHAPE.test(header)) {
    const message = "Invalid header 'Idempotency-Key': expected 1 to 255 visible ASCII characters.";
    throw new Fault("invalid_value", message, { param: "Idempotency-Key" });
  }
  if (operation.hasJsonAnswer?.(ask) === false) return null;
  const body = operation.identify(ask);
  const { stream: _stream, stream_options: _options, ...own } = raw?.body ?? {};
  const bodyDigest = vault.digest(JSON.stringify(raw === null ? body : [body, own]));
  return { replyId: vault.digest(`${keyId} ${header}`), bodyDigest };
}

/** A stored answer. */
export interface KeptReply<Reply> {
  readonly id: string;
  readonly created: number;
  readonly model: string;
  readonly reply: Reply;
}

/** Returns null if the JSON is longer than `bytesMax`. */
export function sealReply(
  vault: Vault,
  replyId: string,
  kept: KeptReply<object>,
  bytesMax: number,
): string | null {
  const text = JSON.stringify(kept);
  return Buffer.byteLength(text) > bytesMax ? null : vault.seal(text, replyId);
}

/** Throws if the text was not sealed by `sealReply` for this operation. */
export function openReply<F extends Form>(
  vault: Vault,
  replyId: string,
  sealed: string,
  operation: Operation<F>,
): KeptReply<F["reply"]> {
  const kept = parseWithTools(vault.open(sealed, replyId));
  const { id, created, model, reply: given } = asObject(kept);
  const reply = operation.restore(given);
  if (typeof id === "string" && typeof created === "number" && typeof model === "string" && reply !== null)
    return { id, created, model, reply };
  throw new Error("A stored reply is malformed.");
}

/** A stored answer as it is shown again. When it was stored, the amount that the balance would cover was not yet known. */
export function showReply<F extends Form>(
  operation: Operation<F>,
  reply: F["reply"],
  chargedNanoUsd: NanoUsd,
) {
  const reported = operation.readUsage(reply);
  if (!reported) return { reply, usage: null, costs: null };
  const usage = operation.withCost(reported, { charged: toUsd(chargedNanoUsd) });
  const costs = { cost: readCost(reported), charged: chargedNanoUsd };
  return { reply: operation.withUsage(reply, usage), usage, costs };
}

/** The cost stands in the usage as USD. */
function readCost(usage: object): NanoUsd {
  return Math.round(("cost" in usage ? (asNumber(usage.cost) ?? 0) : 0) * NANO_PER_USD);
}

/** Reads a stream's answer, and gives up once it is too large to store. */
export class ReplyCopy<F extends Form> {
  readonly #operation: Operation<F>;
  readonly #answer: CollectedReader<F>;

  /** `countBytes` returns what was produced so far. */
  constructor(operation: Operation<F>, { shown }: ShownAnswer<F>, countBytes: () => number) {
    const { bytesMax, collectedMax } = operation.kept;
    this.#operation = operation;
    this.#answer = shown.read((_added, characters) => characters <= collectedMax && countBytes() <= bytesMax);
  }

  /** Returns undefined if the answer was too large. */
  reply(usage: F["usage"]): F["reply"] | undefined {
    const reply = this.#answer.makeReply();
    return reply === null ? undefined : this.#operation.withUsage(reply, usage);
  }
}
