// The address of every call to Bedrock's runtime, with the model in its path.
import type { ModelCard } from "../../core/card.ts";
import type { Target } from "../../core/dialect.ts";
import { Fault } from "../../core/fault.ts";

/** The address of a call, as `converse`: an id is one step of the path, the slashes of an ARN included. */
export function makeModelUrl({ baseUrl }: Target, card: ModelCard, call: string): string {
  const id = decodeId(card.deployment ?? card.name);
  // These would name a directory above.
  if (id === "." || id === "..")
    throw new Fault("model_not_found", "There is no model of this name.", { param: "model" });
  return `${baseUrl}/model/${encodeURIComponent(id.toWellFormed())}/${call}`;
}

/** Ids hold no percent sign, so that one that does was copied from a path (`…-v1%3A0`). */
function decodeId(name: string): string {
  try {
    return decodeURIComponent(name);
  } catch {
    return name;
  }
}
