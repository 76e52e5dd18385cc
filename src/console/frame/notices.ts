// Everything that needs somebody: failing providers, a refused configuration, budgets and balances near their end, keys
// and models that end.

import type { ProblemView } from "../../admin/events/problems.ts";
import type { LimitRequestView } from "../../admin/limits/limit-requests.ts";
import type { NearingView } from "../../admin/limits/nearing.ts";
import type { ListPage } from "../../admin/list.ts";
import type { PriceReview } from "../../admin/models/price-review-schema.ts";
import type { RetiringView } from "../../admin/models/retiring.ts";
import type { MissingModelView } from "../../admin/models/unlisted-models.ts";
import type { FamilyPricedView } from "../../admin/models/unlisted-prices.ts";
import { nowMs } from "../browser.ts";
import type { Tone } from "../parts/states.tsx";
import { DAY_MS, formatEnd, formatPercent, formatRelativeTime, formatUsd } from "./format.ts";
import { useNames } from "./names.ts";
import { useOpenRequests } from "./open-requests.ts";
import { findCause } from "./problems.tsx";
import { useResource } from "./resource.ts";
import { makeHref } from "./route.ts";
import { may } from "./session.ts";

export interface Notification {
  readonly tone: Tone;
  readonly text: string;
  readonly href: string;
}

const EVERY_MS = 60_000;
/** A balance that is not used up yet, but may be by the next large request. */
const LOW_USD = 1;
/** Days before the end of a key or a model. */
const KEY_DAYS = 7;
const MODEL_DAYS = 30;

export function useNotifications(): readonly Notification[] {
  const problems = useResource<ListPage<ProblemView>>(may("settings.read") ? "/problems" : null, EVERY_MS);
  const nearing = useResource<ListPage<NearingView>>(may("usage.read") ? "/nearing" : null, EVERY_MS);
  const retiring = useResource<ListPage<RetiringView>>(
    may("settings.read") ? "/models/retiring" : null,
    EVERY_MS,
  );
  const prices = useResource<PriceReview>(may("settings.read") ? "/catalogue" : null, EVERY_MS);
  const missing = useResource<ListPage<MissingModelView>>(
    may("requests.read") ? "/models/missing" : null,
    EVERY_MS,
  );
  const priced = useResource<ListPage<FamilyPricedView>>(
    may("reconciliation.read") ? "/models/family-priced" : null,
    EVERY_MS,
  );
  return [
    ...describeOpen(useOpenRequests()),
    ...describePrices(prices.data?.models_used ?? 0),
    ...describeFile(prices.data),
    ...(problems.data?.data ?? []).map(describeProblem),
    ...useOwners(),
    ...(nearing.data?.data ?? []).map(describeNearing),
    ...(retiring.data?.data ?? []).filter(endsSoon).map(describeRetiring),
    ...(missing.data?.data ?? []).filter(({ is_wanted }) => is_wanted).map(describeMissing),
    ...(priced.data?.data ?? []).map(describePriced),
  ];
}

function describeOpen(requests: readonly LimitRequestView[]): readonly Notification[] {
  const [first] = requests;
  if (first === undefined) return [];
  const who = first.member_name || first.member_id;
  const text = requests.length === 1 ? `${who} asks for more` : `${requests.length} people ask for more`;
  return [{ tone: "accent", text, href: makeHref("/settings/requests", { state: "open" }) }];
}

function describePrices(models: number): readonly Notification[] {
  if (models === 0) return [];
  const text = models === 1 ? "A model in use has other prices" : `${models} models in use have other prices`;
  return [{ tone: "warn", text: `${text} in the watched list`, href: makeHref("/models") }];
}

/** Notices of the catalogue file: rows that hide newer prices, and fields that newer ones have replaced. */
function describeFile(review: PriceReview | undefined): readonly Notification[] {
  const hiding = review?.hiding.filter(({ pressing }) => pressing).length ?? 0;
  const overtaken = review?.overtaken.length ?? 0;
  const say = (count: number, one: string, many: string): readonly Notification[] =>
    count === 0
      ? []
      : [{ tone: "warn", text: count === 1 ? one : `${count} ${many}`, href: makeHref("/models") }];
  return [
    ...say(
      hiding,
      "A row of the catalogue file hides a newer price",
      "rows of the catalogue file hide newer prices",
    ),
    ...say(
      overtaken,
      "A model of the catalogue file has a newer built-in value",
      "models of the catalogue file have newer built-in values",
    ),
  ];
}

/** The accounts and keys, as far as they may be seen. */
function useOwners(): readonly Notification[] {
  const { accounts, keys } = useNames();
  const low = accounts.filter(({ balance_usd }) => balance_usd > 0 && balance_usd < LOW_USD);
  const paused = accounts.filter(({ state }) => state === "paused");
  const ending = keys.filter(({ state, expires_at }) => state === "active" && isWithin(expires_at, KEY_DAYS));
  const hrefOf = (id: string) => makeHref(`/settings/accounts/${id}`);
  return [
    ...low.map(({ id, name, balance_usd }) => ({
      tone: "warn" as const,
      text: `${name} has ${formatUsd(balance_usd)} left`,
      href: hrefOf(id),
    })),
    ...paused.map(({ id, name }) => ({
      tone: "warn" as const,
      text: `${name} is paused: its keys are refused`,
      href: hrefOf(id),
    })),
    ...ending.map(({ id, name, expires_at }) => ({
      tone: "warn" as const,
      text: `The key ${name} ends ${formatRelativeTime(expires_at ?? "")}`,
      href: makeHref(`/settings/router/${id}`),
    })),
  ];
}

function isWithin(instant: string | null | undefined, days: number): boolean {
  const leftMs = instant ? Date.parse(instant) - nowMs() : 0;
  return leftMs > 0 && leftMs < days * DAY_MS;
}

function describeProblem(problem: ProblemView): Notification {
  const { kind, message } = problem;
  return { tone: kind === "provider" ? "warn" : "bad", text: message, href: findCause(problem) };
}

function describeNearing({ scope, id, name, account_id, limit }: NearingView): Notification {
  const share = limit.limit === 0 ? 1 : limit.used / limit.limit;
  const page = scope === "key" ? `/settings/router/${id}` : `/settings/accounts/${account_id}`;
  return {
    tone: share < 1 ? "warn" : "bad",
    text: `${formatPercent(share)} of a budget of ${name} is used`,
    href: makeHref(page),
  };
}

function endsSoon({ shutdown, names, keys_total }: RetiringView): boolean {
  return (names.length > 0 || keys_total > 0) && Date.parse(shutdown) - nowMs() < MODEL_DAYS * DAY_MS;
}

function describeRetiring({ model, shutdown }: RetiringView): Notification {
  const page = `/models/${encodeURIComponent(model)}`;
  return { tone: "warn", text: `${model} ${formatEnd(shutdown)} and is in use`, href: makeHref(page) };
}

function describeMissing({ model, requests, in_list }: MissingModelView): Notification {
  const asked = requests === 1 ? "once" : `${requests} times`;
  const where = in_list ? "; the watched list has it" : "";
  return {
    tone: in_list ? "accent" : "warn",
    text: `${model} was asked for ${asked} today, and no list here has it${where}`,
    href: makeHref("/models"),
  };
}

function describePriced(priced: FamilyPricedView): Notification {
  const { model, like, requests, charged_usd, would_charge_usd, months } = priced;
  const were = requests === 1 ? "1 request was" : `${requests} requests were`;
  const text = `${model} has a price now: ${were} charged ${formatUsd(charged_usd)} like ${like}, and would be ${formatUsd(would_charge_usd)} by poundkey ledger rerate --month ${months.join(", ")}`;
  return { tone: "warn", text, href: makeHref("/activity", { model }) };
}
