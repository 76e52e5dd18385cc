// The address of each call to Bedrock's runtime, with the model in its path.

import { Fault } from "../../core/faults/fault.ts";
import type { ModelCard } from "../../core/models/card.ts";
import type { Target } from "../../core/models/dialect.ts";

/** Returns the address of a call such as `converse`. The id is one path segment, including an ARN's slashes. */
export function makeModelUrl({ baseUrl }: Target, card: ModelCard, call: string): string {
  const id = decodeId(card.deployment ?? card.name);
  // These would name a parent directory.
  if (id === "." || id === "..")
    throw new Fault("model_not_found", "There is no model with this name.", { param: "model" });
  return `${baseUrl}/model/${encodeURIComponent(id.toWellFormed())}/${call}`;
}

/** Ids contain no percent sign, so an id with one was copied from a path (`…-v1%3A0`). */
function decodeId(name: string): string {
  try {
    return decodeURIComponent(name);
  } catch {
    return name;
  }
}
