// Finish reasons: one of the closed set that clients know, along with the provider's own word.
import { type Finish, type FinishReason, UNKNOWN_WORD } from "./form.ts";

/** The meaning of a provider's word for an end. `failed` says that there is no answer. */
export type FinishMeaning = FinishReason | "failed";

/** Words of which one in an unknown reason says what it means. The first line that matches counts. */
const GUESSES: readonly (readonly [FinishMeaning, RegExp])[] = [
  ["content_filter", /filter|block|safety|policy|prohibit|refus|sensitive|moderat|guardrail|toxic|harm/i],
  ["failed", /error|fail|malformed|invalid|abort|timeout/i],
  ["length", /length|limit|truncat|exceed|max_|cut_?off/i],
];

/** Returns what a word of the table means. For any other, what the words in it say, or else `stop`. */
export function readMeaning(word: string, known: ReadonlyMap<string, FinishMeaning>): FinishMeaning {
  return known.get(word) ?? guessMeaning(word);
}

function guessMeaning(word: string): FinishMeaning {
  return GUESSES.find(([, words]) => words.test(word))?.[0] ?? "stop";
}

/** Marks an end whose word the table lacks, for the request's row and the counter. Clients don't get the mark. */
export function markUnknown(finish: Finish, word: string, known: ReadonlyMap<string, FinishMeaning>): Finish {
  return known.has(word) ? finish : { ...finish, [UNKNOWN_WORD]: word };
}

/** `native` is the provider's word, `sequence` the stop sequence it names. */
export function makeFinish(reason: FinishReason, native: unknown, sequence?: unknown): Finish {
  const finish: Finish = { finish_reason: reason };
  if (typeof native === "string" && native !== reason) finish.native_finish_reason = native;
  if (typeof sequence === "string") finish.stop_sequence = sequence;
  return finish;
}

/** A surface's additional words, by the providers' words with the same meaning. */
export type FinishWords = Readonly<Record<string, { readonly means: FinishReason; readonly word: string }>>;

/** Returns the surface's word for an end. A call or a cut that the gateway detected itself takes precedence. */
export function chooseWord(
  { finish_reason: reason, native_finish_reason: native }: Finish,
  usual: Readonly<Record<FinishReason, string>>,
  words: FinishWords,
): string {
  const own = typeof native === "string" && Object.hasOwn(words, native) ? words[native] : undefined;
  return own?.means === reason ? own.word : usual[reason];
}
