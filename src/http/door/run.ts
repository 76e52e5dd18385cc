// A request as it runs: one question to a model, or several with calls of tools that the gateway runs between them.
import type { JsonObject } from "../../core/json/json.ts";
import type { Ending } from "../../core/world/ending.ts";
import type { WrittenAnswer } from "../../gateway/answer/flow.ts";
import type { Facts } from "../../gateway/call.ts";
import type { RequestContext } from "../../gateway/context.ts";
import type { Form } from "../../operations/form.ts";
import type { Document } from "../../surfaces/surface.ts";
import type { ClientCall } from "./client-call.ts";

export interface Run<F extends Form> {
  /** The call that stands for the request. A run of several has it once it has begun. */
  readonly call: ClientCall<F>;
  /** Ends it, if its client leaves. */
  readonly ending: Ending;
  /** Makes its plan. Throws, or rejects with, the Fault of a request that can't be asked. */
  begin(): RequestContext<F> | Promise<RequestContext<F>>;
  /** Returns the call of a request that asks nobody: it is read, and no more. */
  warmUp(): ClientCall<F> | Promise<ClientCall<F>>;
  /** Asks, for the whole answer. Resolves with what `write` takes. */
  ask(context: RequestContext<F>): Promise<F["reply"] | null>;
  /** Returns the whole answer in the surface's form. */
  write(context: RequestContext<F>, reply: F["reply"] | null): JsonObject | Document;
  /** Asks, for the answer as it comes. */
  stream(context: RequestContext<F>): WrittenAnswer;
  /** The facts of the whole answer. Missing if they are those of its context. */
  readonly facts?: Facts;
  /** Lets go of what it holds, if it fails. */
  close(): void;
}
