// The end of a run of `poundkey setup`: its exit code, and what it prints.
import { EXIT } from "../../app/terminal.ts";
import type { JsonObject } from "../../core/json/json.ts";
import { suggest } from "../../core/text/nearest.ts";
import { AGENT_SETUPS } from "../../docs/site/client-setups.ts";
import { type Arguments, UsageError } from "../arguments.ts";
import { describeAgent, type ShownAgent, viewAgent } from "./show.ts";

export interface SetupOutcome {
  readonly view: JsonObject;
  readonly text: string;
  readonly code: number;
}

interface SetupEnding {
  readonly gateway: string | null;
  readonly agents: readonly ShownAgent[];
  readonly home: string;
  /** Printed in the place of agents if there are none. */
  readonly nothing: string;
  /** True if nothing is written. */
  readonly isDry: boolean;
  readonly remark?: string | null;
}

export function makeOutcome({
  gateway,
  agents,
  home,
  nothing,
  isDry,
  remark = null,
}: SetupEnding): SetupOutcome {
  const lines = agents.map((agent) => describeAgent(agent, home, isDry));
  const text = [...(lines.length === 0 ? [nothing] : lines), ...(remark === null ? [] : [remark])];
  const code = chooseCode(agents);
  return { view: { gateway, agents: agents.map(viewAgent) }, text: text.join("\n\n"), code };
}

/** An agent that waits for a person, or has a field left, may have been changed all the same. */
function chooseCode(agents: readonly ShownAgent[]): number {
  const isWhole = ({ state }: ShownAgent) =>
    state === "connected" || state === "already" || state === "undone";
  if (agents.every(isWhole)) return EXIT.done;
  const isDone = (agent: ShownAgent) =>
    isWhole(agent) || (agent.state !== "refused" && agent.files.some(({ changes }) => changes.length > 0));
  return agents.some(isDone) ? EXIT.partial : EXIT.failed;
}

/** Returns the agents that are asked for. Throws a UsageError for a name that isn't known. */
export function readAgents({ lists }: Arguments): readonly string[] {
  const names = AGENT_SETUPS.map(({ name }) => name);
  const asked = lists.get("agent") ?? [];
  for (const name of asked)
    if (!names.includes(name))
      throw new UsageError(`--agent: '${name}' isn't one of ${names.join(", ")}${suggest(name, names)}`);
  return asked;
}
