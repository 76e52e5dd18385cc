// Changes the texts of an answer: long ones in steps, so that other requests have their turn in between.
import type { ChangeText, TextPlace } from "../../core/text/texts.ts";
import { type Steps, takeAll } from "../../guard/steps.ts";
import type { TextStream } from "../../guard/text-filter.ts";
import type { PlacedText } from "../../operations/ordered-texts.ts";

/** Filtered in a millisecond or two, if they are hostile. */
const STEP_CHARACTERS = 16_384;

/**
 * Ends with the result of `walk`, which calls its function with each text. Texts within a step's characters are changed as they
 * are reached, and the others between a first walk and a second.
 */
export function* mapInSteps<Result>(
  walk: (change: ChangeText) => Result,
  change: (text: string, place: TextPlace) => Steps<string>,
): Steps<Result> {
  const changed: string[] = [];
  const left: PlacedText[] = [];
  let characters = 0;
  const mapped = walk(
    takeAllKinds((text, place) => {
      characters += text.length;
      if (characters > STEP_CHARACTERS) {
        left.push({ text, place });
        return text;
      }
      const now = takeAll(change(text, place));
      changed.push(now);
      return now;
    }),
  );
  if (left.length === 0) return mapped;
  let taken = 0;
  for (const { text, place } of left) {
    changed.push(yield* change(text, place));
    taken += 1 + (text.length % STEP_CHARACTERS);
    if (taken < STEP_CHARACTERS) continue;
    taken = 0;
    yield;
  }
  let visit = 0;
  return walk(takeAllKinds(() => changed[visit++] ?? ""));
}

/** Pushes a text into a stream, and ends with the text that leaves. */
export function* pushInSteps(stream: TextStream, text: string): Steps<string> {
  let now = "";
  for (let from = 0; ; from += STEP_CHARACTERS) {
    now += stream.push(text.slice(from, from + STEP_CHARACTERS));
    if (from + STEP_CHARACTERS >= text.length) return now;
    yield;
  }
}

/** Integers are asked for too, and the client's own JSON as it is written. */
function takeAllKinds(change: ChangeText): ChangeText {
  return Object.assign(change, { takesIntegers: true as const, takesJson: true as const });
}
