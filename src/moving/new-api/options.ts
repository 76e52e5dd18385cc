// Options of new-api and One API: the limit of requests that every user has there, and those that have no place here.
import { parseReceived } from "../../core/json/bounds.ts";
import { asArray, asNumber, isObject } from "../../core/json/json.ts";
import { type ForeignRow, readText } from "../columns.ts";
import { HOOKS, type Report } from "../report.ts";

/** new-api's `ModelRequestRateLimit…`, of which a 0 is none. */
const RATE = "ModelRequestRateLimit";
/** Read elsewhere, or of no use without its own interface and background work. */
const RATIOS = /^(Model|Completion|Group|Cache)Ratio$/;
const READ = ["QuotaPerUnit", "UserUsableGroups", "group_ratio_setting.group_special_usable_group"];
const LOST: Readonly<Record<string, string>> = {
  SensitiveWords: HOOKS,
  ModelPrice: "prices are in USD per million tokens: models.<id>.price",
  GroupGroupRatio: "there is one billing.markup for all",
};

export function readOption(options: readonly ForeignRow[], name: string): string | null {
  const found = options.find((row) => readText(row, "key") === name);
  return found === undefined ? null : readText(found, "value");
}

export function reportOptions(options: readonly ForeignRow[], report: Report): void {
  const names = options.flatMap((row) => readText(row, "key") ?? []);
  const others = names.filter((name) => !READ.includes(name) && !name.startsWith(RATE));
  for (const name of others) {
    if (RATIOS.test(name))
      report.leave(null, `option ${name}`, "prices are in USD per million tokens: models.<id>.price");
    else if (Object.hasOwn(LOST, name)) report.leave(null, `option ${name}`, LOST[name] ?? "");
  }
  const rest = others.filter((name) => !RATIOS.test(name) && !Object.hasOwn(LOST, name));
  if (rest.length > 0)
    report.leave(null, `options (${rest.length})`, `settings of the gateway itself: ${rest.join(", ")}`);
}

/** Returns the requests in a minute that no user of the group exceeds there. Null without a limit, 0 if there is less than one. */
export function readRateLimit(options: readonly ForeignRow[], group: string): number | null {
  if (readOption(options, `${RATE}Enabled`) !== "true") return null;
  const minutes = readCount(options, "DurationMinutes") ?? 1;
  const groups = parseReceived(readOption(options, `${RATE}Group`) ?? "");
  const own = isObject(groups) ? asArray(groups[group]).map((one) => asNumber(one) ?? 0) : [];
  const common = [readCount(options, "Count") ?? 0, readCount(options, "SuccessCount") ?? SUCCESS];
  const limits = (own.length > 0 ? own : common).filter((count) => count > 0);
  return limits.length === 0 ? null : Math.floor(Math.min(...limits) / Math.max(1, minutes));
}

/** new-api's own, unless an option says otherwise. */
const SUCCESS = 1000;

function readCount(options: readonly ForeignRow[], name: string): number | null {
  const text = readOption(options, `${RATE}${name}`);
  const count = text === null ? Number.NaN : Number(text);
  return Number.isFinite(count) ? count : null;
}
