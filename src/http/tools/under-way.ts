// The calls under way, by their clients' own ids, so that a client can cancel one.
import type { Ending } from "../../core/world/ending.ts";
import type { RpcId } from "../../tools/wire/rpc.ts";

/** The name of a call. Ids are a client's own. */
interface CallName {
  readonly keyId: string;
  readonly session: string | null;
  readonly id: RpcId;
}

export class CallsUnderWay {
  readonly #endings = new Map<string, Ending>();

  add(name: CallName, ending: Ending): () => void {
    const text = writeName(name);
    this.#endings.set(text, ending);
    return () => {
      if (this.#endings.get(text) === ending) this.#endings.delete(text);
    };
  }

  /** Ends the call, if it runs here. */
  cancel(name: CallName): void {
    this.#endings.get(writeName(name))?.end();
  }
}

function writeName({ keyId, session, id }: CallName): string {
  return JSON.stringify([keyId, session, typeof id, String(id)]);
}
