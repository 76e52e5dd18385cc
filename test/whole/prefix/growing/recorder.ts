// Providers that record what comes up, piece by piece, and give planned answers, with thinking that is bound to the pieces before
// it. They note thinking that a vendor would drop, and an order that it would refuse.
import { asObject, type JsonObject, parseJson } from "../../../../src/core/json/json.ts";
import type { Fetch } from "../../../../src/core/world/world.ts";
import { listClaudePieces, readClaude, wrapClaude, writeClaude } from "./claude.ts";
import {
  listChatPieces,
  listResponsesPieces,
  readChat,
  readResponses,
  wrapChat,
  wrapResponses,
  writeChat,
  writeResponses,
} from "./gpt.ts";
import type { Piece } from "./pieces.ts";
import type { AnswerPlan } from "./talk.ts";

/** A request as its provider reads it. */
export interface Read {
  readonly pieces: readonly Piece[];
  /** The entries of `input_transformations` for thinking behind a change. */
  readonly removed: readonly JsonObject[];
  /** Mistakes that the vendor would refuse. */
  readonly problems: readonly string[];
}

interface Seen extends Read {
  readonly path: string;
  readonly body: JsonObject;
  readonly betas: string;
  /** The answer's own pieces, which the client's next request must have behind these. */
  readonly answered: readonly Piece[];
}

export class Recorder {
  /** The calls since the last look. */
  readonly seen: Seen[] = [];
  plan: AnswerPlan = { thinks: false, interleaves: false, text: "", calls: [] };

  readonly fetch: Fetch = async (url, init) => {
    const request = new Request(url, init);
    const { pathname } = new URL(url);
    const body = asObject(parseJson(await request.text()));
    const [read, answered, response] = this.#answer(pathname, body);
    const betas = request.headers.get("anthropic-beta") ?? "";
    this.seen.push({ ...read, path: pathname, body, betas, answered });
    return response;
  };

  #answer(path: string, body: JsonObject): readonly [Read, readonly Piece[], Response] {
    const { plan } = this;
    if (path.endsWith("/messages")) {
      const read = readClaude(body);
      const blocks = writeClaude(plan, body, read);
      return [read, listClaudePieces(blocks), wrapClaude(blocks, plan, body, read.removed)];
    }
    if (path.endsWith("/responses")) {
      const read = readResponses(body);
      const items = writeResponses(plan, read);
      return [read, listResponsesPieces(items), wrapResponses(items, body, read.removed)];
    }
    const message = writeChat(plan);
    return [readChat(body), listChatPieces(message), wrapChat(message, body)];
  }
}
