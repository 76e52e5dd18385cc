// The gateway's changes to a Messages request, passed on or translated: one row per field, with its reason.

import { asArray, asObject, asString, isObject, type JsonObject } from "../../core/json.ts";
import { explainShared, type LaneResult, LaneTable, OTHER_TIERS, REMOTE, refuseField } from "../lane.ts";

export const BODY = new LaneTable(
  {
    container: explainShared("A container"),
    mcp_servers: REMOTE,
    thread: "A thread belongs to the provider's account.",
    user_profile_id: "A profile belongs to the provider's account.",
    workspace_id: "A workspace belongs to the operator.",
    fallback_credit_token: "Credits belong to the operator.",
  },
  {
    service_tier: OTHER_TIERS,
    speed: "Fast mode costs more than the card's price.",
    inference_geo: "Inference in a chosen region costs more than the card's price.",
    fallbacks: "A fallback model has a different price.",
    billing_policy: "The operator decides how requests are billed.",
    anthropic_beta: "Betas are named in the header.",
    diagnostics: "It names a message by the provider's id, which clients never see.",
  },
);

/** Content blocks and sources that name an object in the provider's account, at any depth. */
const SOURCES = new LaneTable({
  file_id: "A file belongs to the provider's account.",
  container_upload: "A container belongs to the provider's account.",
});

/** Betas that cost extra or reach into the provider's account. */
const REFUSED_BETAS = /^(fast-mode|skills|files-api|fallback|advisor)/;

/** A server tool, which the provider runs and the card prices. */
const SEARCH_TOOL = /^web_search_\d{8}$/;
/** Tools that Anthropic defines and the client runs. */
const CLIENT_TOOL =
  /^(bash|text_editor|memory|computer)_\d{8}$|^(computer|browser)_toolset_\d{8}$|^tool_search_tool_(regex|bm25)(_\d{8})?$/;
/** The limit if the client sets none: without one, a provider may search endlessly. */
const SEARCHES_DEFAULT = 5;

/** Returns the body as it may be sent. Throws the Fault `unsupported_parameter` for a refused field. */
export function applyLane(given: JsonObject, allowsRemote: boolean): LaneResult {
  const body: JsonObject = { ...given };
  const dropped = BODY.removeFrom(body, allowsRemote);
  refuseSources(body.messages, "messages");
  refuseSources(body.system, "system");
  const tools = applyTools(asArray(body.tools), dropped, allowsRemote);
  if (body.tools !== undefined) body.tools = tools.kept;
  if (tools.kept.length === 0 && asArray(given.tools).length > 0) delete body.tools;
  const choice = asObject(body.tool_choice);
  if (
    tools.names.has(asString(choice.name) ?? "") ||
    (tools.kept.length === 0 && body.tool_choice !== undefined)
  ) {
    delete body.tool_choice;
    dropped.push("tool_choice");
  }
  return { body, dropped, searches: tools.searches };
}

function applyTools(given: readonly unknown[], dropped: string[], allowsRemote: boolean) {
  const kept: JsonObject[] = [];
  const names = new Set<string>();
  let searches = 0;
  for (const [index, one] of given.entries()) {
    const tool = asObject(one);
    const type = asString(tool.type) ?? "custom";
    if (type === "mcp_toolset" && !allowsRemote) throw refuseField(`tools[${index}]`, REMOTE);
    if (SEARCH_TOOL.test(type)) {
      const uses = typeof tool.max_uses === "number" ? tool.max_uses : SEARCHES_DEFAULT;
      searches += uses;
      kept.push({ ...tool, max_uses: uses });
    } else if (type === "custom" || type === "mcp_toolset" || CLIENT_TOOL.test(type)) kept.push(tool);
    else {
      // The tool is dropped: the provider would run it, and the card has no price for it.
      dropped.push(`tools[${index}]`);
      names.add(asString(tool.name) ?? "");
    }
  }
  names.delete("");
  return { kept, names, searches };
}

/** Walks all blocks, since sources may be in tool results and the states of browsers too. */
function refuseSources(value: unknown, path: string): void {
  if (Array.isArray(value)) {
    for (const [index, one] of value.entries()) refuseSources(one, `${path}[${index}]`);
    return;
  }
  // A tool's input is the client's own: a field of that name refers to nothing.
  if (!isObject(value) || /^((server|mcp)_)?tool_use$/.test(String(value.type))) return;
  for (const { field, reason } of SOURCES.rows) {
    if (value.type === field || value[field] !== undefined) {
      throw refuseField(`${path}${value.type === field ? "" : `.${field}`}`, reason);
    }
  }
  for (const field in value) {
    if (typeof value[field] === "object") refuseSources(value[field], `${path}.${field}`);
  }
}

/** Returns the betas that may be passed on. */
export function passBetas(headers: Headers) {
  const given = (headers.get("anthropic-beta") ?? "").split(",").map((beta) => beta.trim());
  const named = given.filter((beta) => beta !== "");
  const betas = named.filter((beta) => !REFUSED_BETAS.test(beta));
  return { betas, dropped: betas.length < named.length ? ["anthropic-beta"] : [] };
}
