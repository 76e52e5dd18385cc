// The states of a provider in words.
import type { ProviderView } from "../../admin/models/providers.ts";
import type { Tone } from "../parts/states.tsx";

interface State {
  readonly tone?: Tone;
  readonly text: string;
}

export const BREAKERS: Readonly<Record<ProviderView["breaker"], State>> = {
  closed: { tone: "ok", text: "working" },
  half_open: { tone: "warn", text: "recovering" },
  open: { tone: "bad", text: "failing" },
};

/** Its breakers stay closed, since no model is at fault. */
const REFUSING: State = { tone: "bad", text: "refuses every credential" };
const UNTRIED: State = { text: "no recent calls" };

export function describeState({ credentials, breaker, error_rate, in_flight }: ProviderView): State {
  if (credentials.length > 0 && credentials.every(({ state }) => state === "retired")) return REFUSING;
  // A closed breaker without calls says nothing about the provider.
  return breaker === "closed" && error_rate === null && in_flight === 0 ? UNTRIED : BREAKERS[breaker];
}
