// Made databases of new-api and One API, moved in: no key may do, use or spend more than a model of their own rules says.
import { expect, test } from "bun:test";
import { mayUse } from "../../../src/core/keys/key.ts";
import { nameBudget } from "../../../src/core/limits/budget.ts";
import { readNewApi } from "../../../src/moving/new-api/read.ts";
import type { PlannedAccount, PlannedConfig, PlannedKey } from "../../../src/moving/plan.ts";
import { Report } from "../../../src/moving/report.ts";
import { IS_LONG } from "../../harness/long.ts";
import { Dice } from "../../sim/dice.ts";
import { NAMES, NewApiMaker } from "./made-new-api.ts";
import { type Cells, judgeToken, type MadeNewApi, type TokenAllowance } from "./new-api-rules.ts";

const DATABASES = IS_LONG ? 1000 : 60;
const NOW_MS = Date.parse("2026-11-26T12:00:00Z");
/** Amounts are whole nano-dollars here. */
const ROUNDING_USD = 1e-8;

/** Remembers which secret each reference of the configuration stands for. */
class WatchedReport extends Report {
  readonly secrets = new Map<string, string>();

  override needSecret(name: string, secret: string, use: string): string {
    const reference = super.needSecret(name, secret, use);
    this.secrets.set(reference, secret);
    return reference;
  }
}

interface Moved {
  readonly planned: PlannedKey;
  readonly account: PlannedAccount | undefined;
  readonly config: PlannedConfig;
  readonly report: WatchedReport;
}

/** The upstream keys and models that may answer a name, fallbacks included. */
function listPlaces(name: string, { planned: { key }, config, report }: Moved): readonly string[] {
  const target = Object.hasOwn(config.aliases, name) ? config.aliases[name] : undefined;
  const given =
    typeof target === "string" ? [target] : (target ?? []).map((one) => String(Reflect.get(one, "model")));
  const fallbacks = given.flatMap((id) => {
    const listed: unknown = Reflect.get(config.models[id] ?? {}, "fallbacks");
    return Array.isArray(listed) ? listed.map(String) : [];
  });
  const open = [...new Set([...given, ...fallbacks])].filter((id) => mayUse(key, id));
  return open.flatMap((id) => {
    const [provider = "", ...rest] = id.split("#");
    const references = JSON.stringify(config.providers[provider] ?? {}).match(/\$\{\w+\}/g) ?? [];
    return references.map((one) => `${report.secrets.get(one) ?? one} ${rest.join("#")}`);
  });
}

function countLeft({ planned: { key, spent }, account }: Moved): number {
  const budgets = key.budgets === "default" ? [] : key.budgets;
  const ofKey = budgets.map((one) => (one.nanoUsd - (spent.get(nameBudget(one)) ?? 0)) / 1e9);
  return Math.min((account?.topUpNanoUsd ?? 0) / 1e9, ...ofKey);
}

/** Returns what the key may do that the token might not. */
function findWider(moved: Moved, there: TokenAllowance | null): readonly string[] {
  const { planned, account } = moved;
  const { key } = planned;
  if (key.isPaused || account?.account.isPaused === true) return [];
  if (key.expiresAtMs !== null && key.expiresAtMs <= NOW_MS) return [];
  if (account === undefined) return ["its account is missing"];
  const left = countLeft(moved);
  // Without anything left, it pays for nothing: models of price 0 are bounded by the import itself.
  if (there === null) return left > 0 ? [`it works, with ${left} USD left`] : [];
  const wider: string[] = [];
  // Two names may mean the same key and model, which are what counts.
  const allowed = new Set([...there.places.values()].flatMap((places) => [...places]));
  for (const name of NAMES) {
    const places = listPlaces(name, moved).filter((one) => !allowed.has(one));
    if (places.length > 0) wider.push(`${name} may go to ${places.join(", ")}`);
  }
  const rates = [key.requestsPerMinute, account.account.requestsPerMinute];
  const rate = Math.min(...rates.map((one) => (typeof one === "number" ? one : Number.POSITIVE_INFINITY)));
  if (rate > there.rate) wider.push(`${rate} requests a minute instead of ${there.rate}`);
  if (left > there.leftUsd + ROUNDING_USD) wider.push(`${left} USD are left instead of ${there.leftUsd}`);
  const addresses = key.allowedAddresses;
  if (there.addresses !== null) {
    const more =
      addresses === null
        ? ["anywhere"]
        : addresses.filter((one) => one !== "0.0.0.0" && !there.addresses?.has(one));
    if (more.length > 0) wider.push(`it works from ${more.join(", ")}`);
  }
  return wider;
}

function moveIn(made: MadeNewApi) {
  const report = new WatchedReport();
  const { config, owners } = readNewApi(made, { report, nowMs: NOW_MS, isFree: false });
  const accounts = new Map(owners.accounts.map((one) => [one.account.id, one]));
  return { config, owners, accounts, report };
}

test("no key of a made database is wider than new-api's and One API's own rules say", () => {
  const wider: string[] = [];
  let open = 0;
  for (let seed = 1; seed <= DATABASES; seed++) {
    const made = new NewApiMaker(new Dice(seed), NOW_MS).make();
    const { config, owners, accounts, report } = moveIn(made);
    for (const planned of owners.keys) {
      const row: Cells | undefined = made.tokens.find(({ key }) => `sk-${key}` === planned.secret);
      if (row === undefined) throw new Error("a key of no token");
      const moved = { planned, account: accounts.get(planned.key.accountId), config, report };
      const found = findWider(moved, judgeToken(row, made, NAMES, NOW_MS));
      wider.push(...found.map((words) => `seed ${seed}, token ${JSON.stringify(row)}: ${words}`));
      if (!planned.key.isPaused && NAMES.some((name) => listPlaces(name, moved).length > 0)) open++;
      if (planned.pausedFor.length > 0) expect(planned.key.isPaused).toBe(true);
    }
    expect(report.rows.every(({ item, words }) => item !== "" && words !== "")).toBe(true);
  }
  expect(wider.slice(0, 20)).toEqual([]);
  // The rest would prove nothing.
  expect(open).toBeGreaterThan(DATABASES);
});
