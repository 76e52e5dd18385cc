// The flags of `poundkey import`, each with the gateways to whose import it belongs.
import { clock } from "../../app/world.ts";
import { parseDuration } from "../../core/text/duration.ts";
import { CSV_TABLES, type CsvTableName } from "../../moving/litellm/tables.ts";
import { STOP_OLDER } from "../act.ts";
import { type Arguments, COMMON_FLAGS, UsageError } from "../arguments.ts";
import { GATEWAYS, type GatewayName } from "./import-sources.ts";

export const FOREIGN_UNTIL = "90d";

export const FLAGS = {
  ...COMMON_FLAGS,
  database: "value",
  keys: "value",
  teams: "value",
  budgets: "value",
  users: "value",
  members: "value",
  organizations: "value",
  "dry-run": "switch",
  follow: "switch",
  undo: "value",
  free: "switch",
  "foreign-until": "value",
  ...STOP_OLDER,
} as const;

export interface ImportOptions {
  readonly name: GatewayName;
  readonly gateway: (typeof GATEWAYS)[GatewayName];
  readonly file: string;
  readonly database: string | undefined;
  readonly keys: string | undefined;
  /** LiteLLM's tables beside that of the keys, by their flags. */
  readonly tables: Readonly<Partial<Record<CsvTableName, string>>>;
  readonly isDry: boolean;
  readonly isFollowing: boolean;
  readonly isFree: boolean;
  readonly foreignUntilMs: number;
  readonly stopsOlder: boolean;
}

/** The gateways to whose import a flag belongs. */
const OWNERS: Readonly<Record<string, readonly GatewayName[]>> = {
  database: ["litellm"],
  keys: ["litellm", "new-api"],
  free: ["new-api"],
  ...Object.fromEntries(Object.keys(CSV_TABLES).map((flag) => [flag, ["litellm"] as const])),
};

function isGateway(name: string): name is GatewayName {
  return Object.hasOwn(GATEWAYS, name);
}

function parseGateway(name: string | undefined): GatewayName {
  if (name !== undefined && isGateway(name)) return name;
  const unknown = name === undefined ? "" : `unknown gateway '${name}'; `;
  throw new UsageError(`${unknown}expected one of: ${Object.keys(GATEWAYS).join(", ")}`);
}

export function readOptions({ words: [first, file], values, switches }: Arguments): ImportOptions {
  const name = parseGateway(first);
  if (file === undefined) throw new UsageError("expected a file");
  const database = values.get("database");
  const keys = values.get("keys");
  if (database !== undefined && !/^postgres(ql)?:\/\//.test(database))
    throw new UsageError("--database must be an address like postgres://user@host/litellm");
  if (database !== undefined && keys !== undefined)
    throw new UsageError("--database and --keys exclude each other");
  for (const [flag, owners] of Object.entries(OWNERS))
    if (!owners.includes(name) && (values.has(flag) || switches.has(flag)))
      throw new UsageError(`--${flag} belongs to ${owners.join(" and ")}`);
  const untilMs = parseDuration(values.get("foreign-until") ?? FOREIGN_UNTIL);
  if (untilMs === null) throw new UsageError("--foreign-until must be a duration like 90d");
  const isDry = switches.has("dry-run");
  if (isDry && switches.has("follow")) throw new UsageError("--dry-run and --follow exclude each other");
  const foreignUntilMs = clock.nowMs() + untilMs;
  return {
    name,
    gateway: GATEWAYS[name],
    file,
    database,
    keys,
    tables: readTableFlags(values),
    isDry,
    isFollowing: switches.has("follow"),
    isFree: switches.has("free"),
    foreignUntilMs,
    stopsOlder: switches.has("stop-older"),
  };
}

/** Throws a UsageError for a table without the keys, which alone say whom it limits. */
function readTableFlags(values: Arguments["values"]): ImportOptions["tables"] {
  const given = Object.keys(CSV_TABLES).flatMap((flag) => {
    const path = values.get(flag);
    return path === undefined ? [] : [[flag, path] as const];
  });
  const [first] = given;
  if (first !== undefined && !values.has("keys")) throw new UsageError(`--${first[0]} needs --keys`);
  return Object.fromEntries(given);
}
