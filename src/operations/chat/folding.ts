// Collects the parts of a stream into one reply.
import { Fold } from "./fold.ts";
import type { ChatReply } from "./form.ts";
import { listChunks, type Part } from "./run.ts";

export class ChatFolding {
  readonly #fold = new Fold();

  take(parts: readonly Part[]): number {
    let characters = 0;
    for (const chunk of listChunks(parts)) {
      characters += JSON.stringify(chunk).length;
      this.#fold.push(chunk);
    }
    return characters;
  }

  reply(): ChatReply {
    return this.#fold.reply();
  }
}
