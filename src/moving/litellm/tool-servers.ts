// LiteLLM's MCP servers as tool servers, and the names by which its keys refer to them.
import { createHash } from "node:crypto";
import { TOOL_PATTERNS_MAX } from "../../core/fields/tool-list.ts";
import { asArray, asObject, type JsonObject, omitUndefined } from "../../core/json/json.ts";
import { TOOL_PATTERN } from "../../core/tools/rights.ts";
import { Fields } from "../fields.ts";
import type { PlannedConfig } from "../plan.ts";
import type { Report } from "../report.ts";
import { readAuth, refuseAddress } from "./tool-auth.ts";

const NAME_CHARACTERS_MAX = 15;
const PARALLEL_MAX = 1000;
const PRICE_MAX_USD = 100;
const ID_CHARACTERS = 32;
/** The transport that a server has which names none. */
const HTTP = "http";

/** By which LiteLLM limits what it shows, in a way that has no place here: without it, keys could do more than before. */
const LIMITING: Readonly<Record<string, string>> = {
  allowed_params: "it limits the arguments of tools, which can't be said here",
  spec_path: "it makes tools of an OpenAPI document: only servers that speak MCP are called",
};

/** The servers that were taken, as LiteLLM's keys refer to them. */
export interface ToolServerNames {
  /** Returns the name here of a server that is named or referred to by its id. */
  find(nameOrId: string): string | undefined;
  /** Returns the names here of the servers in an access group. */
  listGroup(group: string): readonly string[];
  /** The names here of those that every key may use. */
  readonly forAll: readonly string[];
}

interface TakenServer {
  readonly name: string;
  readonly keys: ReadonlySet<string>;
  readonly groups: readonly string[];
  readonly isForAll: boolean;
  readonly settings: object;
}

interface ToolServerReading {
  readonly mcp: PlannedConfig["mcp"];
  /** Null if there are none, so that no key's rights change. */
  readonly names: ToolServerNames | null;
}

interface ToolServerReadParts {
  readonly report: Report;
  readonly findLine: (path: readonly string[]) => number;
}

/** Reads `mcp_servers`. Every server, and every field of one that isn't taken, gets a row of the report. */
export function readToolServers(root: JsonObject, parts: ToolServerReadParts): ToolServerReading {
  const aliases = asObject(asObject(root.litellm_settings).mcp_aliases);
  const taken: TakenServer[] = [];
  for (const [name, value] of Object.entries(asObject(root.mcp_servers))) {
    const server = readServer(name, asObject(value), aliases, parts);
    if (server === null) continue;
    const isDouble = taken.some((one) => one.name === server.name);
    const line = parts.findLine(["mcp_servers", name]);
    if (isDouble) parts.report.leave(line, `mcp_servers.${name}`, `another one is called ${server.name} too`);
    else {
      parts.report.take(line, `mcp_servers.${name}`, `mcp.servers.${server.name}`);
      taken.push(server);
    }
  }
  if (taken.length === 0) return { mcp: undefined, names: null };
  const servers = Object.fromEntries(taken.map(({ name, settings }) => [name, settings]));
  return { mcp: { servers }, names: makeNames(taken) };
}

function makeNames(taken: readonly TakenServer[]): ToolServerNames {
  return {
    find: (nameOrId) => taken.find(({ keys }) => keys.has(nameOrId))?.name,
    listGroup: (group) => taken.filter(({ groups }) => groups.includes(group)).map(({ name }) => name),
    forAll: taken.filter(({ isForAll }) => isForAll).map(({ name }) => name),
  };
}

/** Returns null for one that isn't taken. */
function readServer(
  name: string,
  value: JsonObject,
  aliases: JsonObject,
  parts: ToolServerReadParts,
): TakenServer | null {
  const fields = new Fields(value);
  const line = parts.findLine(["mcp_servers", name]);
  const item = `mcp_servers.${name}`;
  const url = fields.takeText("url") ?? "";
  const transport = fields.takeText("transport") ?? HTTP;
  const authType = fields.peekText("auth_type") ?? "";
  const alias = fields.takeText("alias") ?? Object.keys(aliases).find((one) => aliases[one] === name) ?? "";
  const refusal = refuseServer(fields, { name, url, transport });
  const tools = readTools(fields);
  const auth = refusal ?? readAuth(fields, { name, item, line }, parts.report);
  if (typeof auth === "string" || typeof tools === "string") {
    parts.report.leave(line, item, typeof auth === "string" ? auth : String(tools));
    return null;
  }
  const groups = asArray(fields.take("access_groups")).map(String);
  const isForAll = fields.take("allow_all_keys") === true;
  const settings = { url, ...omitUndefined({ auth, tools }), ...readLimits(fields) };
  for (const field of fields.listUnread())
    parts.report.leave(
      parts.findLine(["mcp_servers", name, field]),
      `${item}.${field}`,
      "it has no counterpart",
    );
  // Its id is a digest, since keys must find it after a restart.
  const identity = [name, url, transport, authType, alias].join("|");
  const id = createHash("sha256").update(identity).digest("hex").slice(0, ID_CHARACTERS);
  const keys = new Set([name, id, ...(alias === "" ? [] : [alias])]);
  return { name: convertName(name), keys, groups, isForAll, settings };
}

function refuseServer(
  fields: Fields,
  { name, url, transport }: { readonly name: string; readonly url: string; readonly transport: string },
): string | null {
  if (transport === "stdio" || fields.has("command"))
    return "stdio isn't taken: put the program behind a server that speaks streamable HTTP";
  if (transport !== HTTP) return `the transport '${transport}' isn't spoken: only streamable HTTP is`;
  const badAddress = refuseAddress(url);
  if (badAddress !== null) return badAddress;
  const limiting = Object.keys(LIMITING).find((field) => fields.has(field));
  if (limiting !== undefined) return LIMITING[limiting] ?? "";
  if (fields.take("available_on_public_internet") === false)
    return "it is for clients of your own network alone: give its keys allowed_addresses, and name it yourself";
  return convertName(name) === "" ? "its name has no letters or digits" : null;
}

/** Returns the name here: lower-case letters, digits and `-`, of which the first 15 count. */
function convertName(name: string): string {
  return name
    .toLowerCase()
    .replaceAll(/[^a-z0-9-]+/g, "-")
    .replace(/^-+/, "")
    .slice(0, NAME_CHARACTERS_MAX);
}

/** Returns the patterns, undefined for all tools, or the reason why they can't be said here. */
function readTools(fields: Fields): readonly string[] | undefined | string {
  const allowed = asArray(fields.take("allowed_tools")).map(String);
  const refused = asArray(fields.take("disallowed_tools")).map((tool) => `!${String(tool)}`);
  if (allowed.length + refused.length === 0) return undefined;
  const given = allowed.length === 0 ? ["*"] : allowed.filter((tool) => isNameable(tool));
  const isWhole =
    refused.every((tool) => isNameable(tool)) && given.length + refused.length <= TOOL_PATTERNS_MAX;
  return isWhole ? [...given, ...refused] : "its lists of tools can't all be named here";
}

/** A star would stand for others. */
function isNameable(tool: string): boolean {
  return TOOL_PATTERN.test(tool) && !tool.includes("*");
}

/** Times, prices and bounds of a server. */
function readLimits(fields: Fields): object {
  const seconds = fields.takeNumber("timeout");
  const parallel = fields.takeNumber("max_concurrent_requests");
  const info = asObject(fields.take("mcp_info"));
  const costs = asObject(info.mcp_server_cost_info);
  const prices = Object.entries(asObject(costs.tool_name_to_cost_per_query)).flatMap(([tool, cost]) => {
    const usd = readPrice(cost);
    return usd === undefined ? [] : [[tool, usd] as const];
  });
  fields.take("description");
  return omitUndefined({
    timeout: seconds === undefined ? undefined : `${Math.min(1800, Math.max(1, Math.round(seconds)))}s`,
    parallel: parallel && Math.min(PARALLEL_MAX, Math.max(1, Math.floor(parallel))),
    price_per_call: readPrice(costs.default_cost_per_query),
    prices: prices.length === 0 ? undefined : Object.fromEntries(prices),
  });
}

function readPrice(value: unknown): number | undefined {
  return typeof value === "number" && value >= 0 && value <= PRICE_MAX_USD ? value : undefined;
}
