// The signatures of calls made by another model or client, which have none.
import { asArray, asObject } from "../../core/json/json.ts";
import { mapList } from "../../operations/text-json.ts";

/** Replaces a missing signature (Gemini API, "Thought signatures"). */
const NO_SIGNATURE = "skip_thought_signature_validator";

/**
 * From generation 3 on, a call of the current turn is refused without a signature. Of parallel calls only the first
 * carries one: with a replacement on its siblings gemini-3.5 answered nothing (LiteLLM, issue 37541, August 2026). Returns the
 * same contents if nothing was missing.
 */
export function signLastTurn<Turn extends object>(contents: readonly Turn[]): readonly Turn[] {
  const asked = contents.findLastIndex(isAsked);
  return mapList(contents, (turn, at) => (at > asked ? signTurn(turn) : turn));
}

/** True if the user speaks in the turn. The developer API takes a turn without a role as the user's. */
function isAsked(turn: object): boolean {
  const { role, parts } = asObject(turn);
  return (
    role !== "model" &&
    !asArray(parts).some((part) => readField(part, "functionResponse", "function_response"))
  );
}

function signTurn<Turn extends object>(turn: Turn): Turn {
  const given = asArray(asObject(turn).parts);
  let isSigned = false;
  const parts = mapList(given, (part) => {
    if (!readField(part, "functionCall", "function_call")) return part;
    const isFirst = !isSigned;
    isSigned = true;
    const needsNone = !isFirst || Boolean(readField(part, "thoughtSignature", "thought_signature"));
    return needsNone ? part : { ...asObject(part), thoughtSignature: NO_SIGNATURE };
  });
  return parts === given ? turn : { ...turn, parts };
}

/** The API accepts both spellings. */
function readField(part: unknown, name: string, other: string): unknown {
  const given = asObject(part);
  return given[name] ?? given[other];
}
