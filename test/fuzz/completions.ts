// The rules of every completion, whole or streamed, for any provider answer: choices, their finishes, a sound usage.
import { asArray, asObject, asString, isObject, type JsonObject } from "../../src/core/json/json.ts";
import { parseTranscript, type Transcript } from "../whole/world/transcript.ts";

/** Returns the stream as a strict client reads it, or why it can't be read. */
export function readStream(body: string): Transcript | string {
  try {
    return parseTranscript(body);
  } catch (thrown) {
    return `not a sound stream: ${thrown instanceof Error ? thrown.message : thrown}`;
  }
}

export function streamedProblems(
  { chunks, texts, usage }: Transcript,
  choicesMax: number,
): readonly string[] {
  const empty = chunks.length === 0 ? ["a stream without a chunk"] : [];
  return [...empty, ...tooMany(texts.length, choicesMax), ...usageProblems(usage)];
}

/** The problems of a parsed JSON answer. Empty if it isn't a completion. */
export function wholeProblems(body: JsonObject, choicesMax: number): readonly string[] {
  if (body.object !== "chat.completion") return [];
  const choices = asArray(body.choices).map(asObject);
  if (choices.length === 0) return ["a completion without choices"];
  const isOrdered = choices.every(({ index }, at) => index === at);
  const isWhole = choices.every(
    ({ message, finish_reason: finish }) => isObject(message) && asString(finish) !== undefined,
  );
  return [
    ...tooMany(choices.length, choicesMax),
    ...(isOrdered ? [] : ["choices out of order"]),
    ...(isWhole ? [] : ["a choice without message or finish reason"]),
    ...usageProblems(asObject(body.usage)),
  ];
}

function tooMany(count: number, most: number): readonly string[] {
  return count > most ? [`${count} choices where ${most} were asked for`] : [];
}

/** Counts must be whole and not negative, the total their sum, and no amount negative. */
function usageProblems(usage: JsonObject | null): readonly string[] {
  if (usage === null) return [];
  const { prompt_tokens: prompt, completion_tokens: completion, total_tokens: total, cost, charged } = usage;
  const areCounts = [prompt, completion, total].every(
    (count) => Number.isSafeInteger(count) && Number(count) >= 0,
  );
  const areAmounts = [cost, charged].every(
    (amount) => amount === undefined || amount === null || Number(amount) >= 0,
  );
  const isSound = areCounts && areAmounts && Number(total) === Number(prompt) + Number(completion);
  return isSound ? [] : [`an unsound usage: ${JSON.stringify(usage).slice(0, 300)}`];
}
