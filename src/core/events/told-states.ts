// The states that were reported of each subject, as they are stored.
import { asNumber, asObject, asString, parseJson } from "../json/json.ts";

interface ToldState {
  readonly state: string;
  /** When each state was last reported, in Unix milliseconds. Those from before a while may be missing. */
  readonly reported: Readonly<Record<string, number>>;
}

/** Empty if nothing was reported yet. */
export function readToldStates(told: string): Map<string, ToldState> {
  const stored = Object.entries(asObject(told === "" ? null : parseJson(told)));
  return new Map(
    stored.map(([subject, value]) => {
      const { state, reported } = asObject(value);
      const times = Object.entries(asObject(reported)).map(
        ([name, at]) => [name, asNumber(at) ?? 0] as const,
      );
      return [subject, { state: asString(state) ?? "", reported: Object.fromEntries(times) }];
    }),
  );
}

export function writeToldStates(states: ReadonlyMap<string, ToldState>): string {
  return JSON.stringify(Object.fromEntries(states));
}
