// The types of a tool's call: also the reading of a resource and the making of a prompt, which are calls of their server.
import type { JsonObject } from "../../core/json/json.ts";
import type { ToolProtocolError } from "../../core/tools/tool-reply.ts";
import type { Ask } from "../form.ts";
import type { WholeReply, WholeReplyForm } from "../whole-form.ts";

interface ToolRequest extends Ask {
  readonly arguments: JsonObject;
}

export interface ToolAnswer extends WholeReply {
  /** The tool's. Beside it, the numbers of a result that is kept for repeats stay exact. */
  readonly name: string;
  /** As the server gave it. */
  readonly result: JsonObject;
  /** The server's own error, instead of a result. */
  readonly error?: ToolProtocolError;
}

export type ToolForm = WholeReplyForm<ToolRequest, ToolAnswer>;
