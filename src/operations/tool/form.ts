// The types of a tool's call: also the reading of a resource and the making of a prompt, which are calls of their server.
import type { JsonObject } from "../../core/json/json.ts";
import type { Ask } from "../form.ts";
import type { WholeReply, WholeReplyForm } from "../whole-form.ts";

interface ToolRequest extends Ask {
  readonly arguments: JsonObject;
}

export interface ToolAnswer extends WholeReply {
  /** As the server gave it. */
  readonly result: JsonObject;
}

export type ToolForm = WholeReplyForm<ToolRequest, ToolAnswer>;
