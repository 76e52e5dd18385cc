// The stamp of an answer: our id, its time, the model's id, and the name under which it is stored.
import type { RequestContext } from "../../gateway/context.ts";
import type { Form } from "../../operations/form.ts";
import type { Stamp } from "../../surfaces/surface.ts";
import type { HttpPorts } from "../ports.ts";
import { nameStored } from "./earlier.ts";

/** A replayed answer keeps its id and time. */
export function makeStamp<F extends Form>(
  { vault, sealer }: Pick<HttpPorts, "vault" | "sealer">,
  { call, replayed, model, attempt }: RequestContext<F>,
): Stamp {
  const { id, created, operation, ask, key } = call;
  let name: string | null = null;
  return {
    ...(replayed ?? { id, created }),
    model: model ?? ask.model,
    nameStored(own) {
      // Sealing twice gives two names, but all events of an answer must carry the same one.
      name ??= nameStored({ vault, sealer }, { id, accountId: key.accountId, attempt, own });
      return name;
    },
    countPrompt: () => operation.estimatePrompt(ask),
  };
}
