// The rules of new-api (its `middleware/auth`, `middleware/model-rate-limit` and `model/token`, read on 2026-11-27) and of One
// API for what a token may do: the judge of imports, with which it shares no code.

export type Cells = Readonly<Record<string, unknown>>;

export interface MadeNewApi {
  /** True for One API, whose tokens have other columns and no groups. */
  readonly isOne: boolean;
  readonly users: readonly Cells[];
  readonly tokens: readonly Cells[];
  readonly channels: readonly Cells[];
  readonly options: readonly Cells[];
}

export interface TokenAllowance {
  /** For each name, the upstream keys and models that may answer it, as `key model`. */
  readonly places: ReadonlyMap<string, ReadonlySet<string>>;
  /** Requests in a minute. */
  readonly rate: number;
  /** The USD that it may still spend. */
  readonly leftUsd: number;
  /** The addresses from which it works. Null for all. */
  readonly addresses: ReadonlySet<string> | null;
}

const ENABLED = 1;
const NEVER = -1;
const RATIOS = ["default", "vip", "svip"];
const USABLE = ["default", "vip"];

const num = (value: unknown) => (typeof value === "number" ? value : 0);
const text = (value: unknown) => (typeof value === "string" ? value : "");
const words = (value: unknown) =>
  text(value)
    .split(",")
    .filter((word) => word !== "");

function findOption({ options }: MadeNewApi, name: string): string | null {
  const found = options.find(({ key }) => key === name);
  return found === undefined ? null : text(found.value);
}

function parseOption(made: MadeNewApi, name: string): Cells | null {
  const found = findOption(made, name);
  return found === null ? null : JSON.parse(found);
}

/** Null if the token is refused, whatever it asks for. */
export function judgeToken(
  token: Cells,
  made: MadeNewApi,
  names: readonly string[],
  nowMs: number,
): TokenAllowance | null {
  const user = made.users.find(({ id }) => id === token.user_id);
  const end = token.expired_time === null ? NEVER : num(token.expired_time);
  const isOut =
    token.status !== ENABLED ||
    token.deleted_at !== null ||
    (end !== NEVER && end * 1000 < nowMs) ||
    (!token.unlimited_quota && num(token.remain_quota) <= 0) ||
    user === undefined ||
    user.deleted_at !== null ||
    user.status !== ENABLED ||
    num(user.quota) <= 0;
  if (isOut || user === undefined) return null;
  const group = findGroup(token, user, made);
  if (group === null) return null;
  const units = num(Number(findOption(made, "QuotaPerUnit") ?? 500_000));
  const left = token.unlimited_quota ? Number.POSITIVE_INFINITY : num(token.remain_quota);
  return {
    places: new Map(names.map((name) => [name, findPlaces(name, token, group, made)])),
    rate: findRate(group, made),
    leftUsd: Math.min(left, num(user.quota)) / units,
    addresses: findAddresses(token, made),
  };
}

function findGroup(token: Cells, user: Cells, made: MadeNewApi): string | null {
  const ofUser = text(user.group);
  const own = text(token.group);
  if (made.isOne || own === "") return ofUser;
  // The gateway chooses among groups, which nothing here does.
  if (own === "auto") return null;
  const usable = Object.keys(
    parseOption(made, "UserUsableGroups") ?? Object.fromEntries(USABLE.map((one) => [one, ""])),
  );
  const ratios = Object.keys(
    parseOption(made, "GroupRatio") ?? Object.fromEntries(RATIOS.map((one) => [one, 1])),
  );
  const isUsable = own === ofUser || usable.includes(own);
  return isUsable && ratios.includes(own) ? own : null;
}

function findPlaces(name: string, token: Cells, group: string, made: MadeNewApi): ReadonlySet<string> {
  const listed = words(made.isOne ? token.models : token.model_limits);
  const isLimited = made.isOne ? listed.length > 0 : Boolean(token.model_limits_enabled);
  if (isLimited && !listed.includes(name)) return new Set();
  return new Set(
    made.channels
      .filter(
        (row) =>
          row.status === ENABLED && words(row.group).includes(group) && words(row.models).includes(name),
      )
      .flatMap((row) => {
        const mapping: Cells = JSON.parse(text(row.model_mapping) || "{}");
        return listKeys(row).map((key) => `${key} ${mapping[name] ?? name}`);
      }),
  );
}

function listKeys(row: Cells): readonly string[] {
  const info: Cells = JSON.parse(text(row.channel_info) || "{}");
  const states = Object.entries(info.multi_key_status_list ?? {});
  const off = new Set(states.filter(([, state]) => state !== ENABLED).map(([at]) => Number(at)));
  return text(row.key)
    .split("\n")
    .filter((_, at) => !off.has(at));
}

function findRate(group: string, made: MadeNewApi): number {
  const none = Number.POSITIVE_INFINITY;
  if (findOption(made, "ModelRequestRateLimitEnabled") !== "true") return none;
  const minutes = Number(findOption(made, "ModelRequestRateLimitDurationMinutes") ?? 1);
  const own = parseOption(made, "ModelRequestRateLimitGroup")?.[group];
  const common = [
    Number(findOption(made, "ModelRequestRateLimitCount") ?? 0),
    Number(findOption(made, "ModelRequestRateLimitSuccessCount") ?? 1000),
  ];
  const counts = (Array.isArray(own) ? own.map(Number) : common).filter((count) => count > 0);
  return Math.min(none, ...counts) / minutes;
}

/** new-api's are one a line, and commas count for nothing. One API's stand between commas. */
function findAddresses(token: Cells, { isOne }: MadeNewApi): ReadonlySet<string> | null {
  const listed = isOne
    ? words(token.subnet)
    : text(token.allow_ips)
        .split("\n")
        .map((line) => line.replaceAll(",", "").trim());
  const given = listed.filter((one) => one !== "");
  return given.length === 0 ? null : new Set(given);
}
