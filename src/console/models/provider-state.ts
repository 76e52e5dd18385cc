// The states of a provider in words.
import type { ProviderView } from "../../admin/models/providers.ts";
import type { Tone } from "../parts/states.tsx";

interface ProviderState {
  readonly tone?: Tone;
  readonly text: string;
}

const BREAKERS: Readonly<Record<ProviderView["breaker"], ProviderState>> = {
  closed: { tone: "ok", text: "working" },
  half_open: { tone: "warn", text: "recovering" },
  open: { tone: "bad", text: "failing" },
};

const PAUSED: ProviderState = { tone: "warn", text: "paused for some" };

export function describeBreaker({
  breaker,
  open_for,
}: Pick<ProviderView, "breaker" | "open_for">): ProviderState {
  return open_for === "some" ? PAUSED : BREAKERS[breaker];
}

/** Its breakers stay closed, since no model is at fault. */
const REFUSING: ProviderState = { tone: "bad", text: "refuses every credential" };
const UNTRIED: ProviderState = { text: "no recent calls" };
const OFF: ProviderState = { text: "paused" };

/** True if all of its credentials are paused, so that it isn't called. */
export function isPaused({ on, credentials }: Pick<ProviderView, "on" | "credentials">): boolean {
  return !on && credentials.length > 0;
}

export function describeState(provider: ProviderView): ProviderState {
  const { credentials, breaker, open_for, error_rate, in_flight } = provider;
  if (isPaused(provider)) return OFF;
  if (credentials.length > 0 && credentials.every(({ state }) => state === "retired")) return REFUSING;
  // A closed breaker without calls says nothing about the provider.
  const isQuiet = breaker === "closed" && open_for === null && error_rate === null && in_flight === 0;
  return isQuiet ? UNTRIED : describeBreaker(provider);
}
