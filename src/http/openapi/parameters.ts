// The meaning of parameters whose schema doesn't say it. Each means the same on every route that has it.
import { asString, type JsonObject } from "../../core/json/json.ts";

const WORDS: Readonly<Record<string, string>> = {
  account: "The account's id or name.",
  account_id: "The account's id.",
  action: "The kind of change, such as `key.created`.",
  actor: "The id of the person, token or key that changed it.",
  address: "The client's address, as it is kept.",
  after: "The `next` of the page before.",
  all: "If true, providers that aren't enabled too.",
  batch: "The batch's id.",
  code: "The error's code.",
  credential_id: "The credential's id.",
  detail: "`ledger` for the ledger's own rows, with each hold and its return.",
  device: "The id of the agent's sign-in, `dev_…`.",
  ended: "How the answer ended, such as `done` or `client_gone`.",
  error_code: "The error's code.",
  event: "The event's type.",
  format: "`csv` or `jsonl`.",
  from: "The beginning, in ISO 8601. A date is its whole day, in the gateway's time zone.",
  group_by: "What sums are made by, separated by commas.",
  id: "The id.",
  key: "The key's id or name.",
  key_id: "The key's id.",
  limit: "The most rows of a page.",
  member: "The id of the person.",
  model: "The model's id, asked for or used.",
  month: "A month such as `2026-11`.",
  name: "The name.",
  operation: "The operation, such as `chat`.",
  order: "`asc` for the oldest first.",
  outcome: "How requests ended: `answered`, `failed`, `refused` or `left`.",
  provider: "The provider's name.",
  q: "A part of a name, or an id.",
  route: "The route that was asked.",
  selector: "The selector, such as `fair`.",
  server: "The tool server's name.",
  session: "The conversation's session.",
  socket: "The id of the WebSocket.",
  state: "The state.",
  status: "The HTTP status, or `ok` or `error`.",
  step: "`hour` or `day`.",
  surface: "The API's form in which was asked.",
  tag: "A tag such as `team=search`.",
  target: "The id of what was changed.",
  tool: "The tool's name.",
  to: "The end, in ISO 8601. A date is its whole day, in the gateway's time zone.",
  trace_id: "The id of the trace.",
  transport: "`http` or `ws`.",
  type: "The type.",
  weeks: "How many weeks, the running one included.",
};

/** Lifts the schema's description to the parameter, where documents show it. */
export function describeParameter(name: string, schema: JsonObject): JsonObject {
  const { description, ...rest } = schema;
  const words = asString(description) ?? WORDS[name];
  return { ...(words === undefined ? {} : { description: words }), schema: rest };
}
