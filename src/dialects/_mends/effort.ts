// A level of effort that a server refuses, moved to the nearest one that it takes, in the place that each API has for it.
import { isObject, type JsonObject } from "../../core/json/json.ts";
import type { EffortLevel, Refusal } from "../../core/models/refusals.ts";
import { chooseEffort, EFFORTS } from "../../core/models/words/efforts.ts";

/** The Messages API has no lower level. */
const FROM_LOW = EFFORTS.slice(EFFORTS.indexOf("low"));

/** Returns the body with another level, or without any if none is taken. Null if its level isn't refused. */
export function moveEffort(body: JsonObject, refuses: ReadonlySet<Refusal>): JsonObject | null {
  const flat = moveLevel(body, "reasoning_effort", EFFORTS, refuses);
  if (flat !== null) return flat;
  return (
    moveWithin(body, "reasoning", EFFORTS, refuses) ?? moveWithin(body, "output_config", FROM_LOW, refuses)
  );
}

function moveWithin(
  body: JsonObject,
  outer: string,
  levels: readonly EffortLevel[],
  refuses: ReadonlySet<Refusal>,
): JsonObject | null {
  const held = body[outer];
  const moved = isObject(held) ? moveLevel(held, "effort", levels, refuses) : null;
  if (moved === null) return null;
  const { [outer]: _refused, ...rest } = body;
  return Object.keys(moved).length === 0 ? rest : { ...rest, [outer]: moved };
}

function moveLevel(
  held: JsonObject,
  name: string,
  levels: readonly EffortLevel[],
  refuses: ReadonlySet<Refusal>,
): JsonObject | null {
  const asked = EFFORTS.find((level) => level === held[name]);
  if (asked === undefined || !refuses.has(`reasoning_effort=${asked}`)) return null;
  const { [name]: _refused, ...rest } = held;
  const taken = levels.filter((level) => !refuses.has(`reasoning_effort=${level}`));
  const level = chooseEffort(asked, taken);
  return level === undefined ? rest : { ...rest, [name]: level };
}
