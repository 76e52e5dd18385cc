// The stamp of an answer: our id, its time, the model's id, and the name under which it is stored.
import { sealHistory } from "../../core/models/encrypted-history.ts";
import { identifyCredential } from "../../core/settings.ts";
import type { RequestContext } from "../../gateway/context.ts";
import type { Form } from "../../operations/form.ts";
import type { Stamp } from "../../surfaces/surface.ts";
import { nameStored } from "../conversations/earlier.ts";
import type { HttpPorts } from "../ports.ts";

type StampPorts = Pick<HttpPorts, "vault" | "sealer">;

/** The part of a request's context that says whose answer it is. */
interface StampContext<F extends Form> extends Pick<RequestContext<F>, "replayed" | "model" | "attempt"> {
  readonly call: Pick<RequestContext<F>["call"], "id" | "created" | "key" | "ask" | "operation">;
}

/** A replayed answer keeps its id and time. */
export class AnswerStamp<F extends Form> implements Stamp {
  readonly id: string;
  readonly created: number;
  readonly model: string;
  readonly #ports: StampPorts;
  readonly #context: StampContext<F>;
  #name: string | null = null;
  /** The sealed texts, since an answer shows each more than once. */
  #histories: Map<string, string> | null = null;

  constructor(ports: StampPorts, context: StampContext<F>) {
    const { call, replayed, model } = context;
    this.id = replayed?.id ?? call.id;
    this.created = replayed?.created ?? call.created;
    this.model = model ?? call.ask.model;
    this.#ports = ports;
    this.#context = context;
  }

  nameStored(own: string): string {
    const { call, attempt } = this.#context;
    // Sealing twice gives two names, but all events of an answer must carry the same one.
    this.#name ??= nameStored(this.#ports, { id: call.id, accountId: call.key.accountId, attempt, own });
    return this.#name;
  }

  sealHistory(content: string): string | null {
    const { call, attempt } = this.#context;
    if (attempt === null) return null;
    const place = {
      provider: attempt.card.provider,
      credential: this.#ports.vault.digest(identifyCredential(attempt.credential)),
    };
    this.#histories ??= new Map();
    return this.#histories.getOrInsertComputed(content, () =>
      sealHistory(this.#ports.sealer(call.key.accountId), place, content),
    );
  }

  countPrompt(): number {
    const { operation, ask } = this.#context.call;
    return operation.estimatePrompt(ask);
  }
}
