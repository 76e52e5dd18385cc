// The calls under way, by their clients' own ids, so that a client can cancel one.
import type { Ending } from "../../core/world/ending.ts";
import type { RpcId } from "../../tools/wire/rpc.ts";

/** The name of a call. Ids are a client's own. */
interface CallName {
  readonly keyId: string;
  readonly session: string | null;
  readonly id: RpcId;
}

/** The place of a call that was added. */
export interface CallPlace {
  readonly name: string;
  readonly ending: Ending;
}

export class CallsUnderWay {
  readonly #endings = new Map<string, Ending>();

  add(call: CallName, ending: Ending): CallPlace {
    const name = writeName(call);
    this.#endings.set(name, ending);
    return { name, ending };
  }

  /** A later call of the same name keeps its place. */
  remove({ name, ending }: CallPlace): void {
    if (this.#endings.get(name) === ending) this.#endings.delete(name);
  }

  /** Ends the call, if it runs here. */
  cancel(call: CallName): void {
    this.#endings.get(writeName(call))?.end();
  }
}

function writeName({ keyId, session, id }: CallName): string {
  return JSON.stringify([keyId, session, typeof id, String(id)]);
}
