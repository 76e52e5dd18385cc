// The reason for an answer's end: one of the closed set that clients know, beside the provider's own word for it.
import type { Finish, FinishReason } from "./form.ts";

/** `native` is the provider's word, `sequence` the stop sequence that it names. */
export function makeFinish(reason: FinishReason, native: unknown, sequence?: unknown): Finish {
  const finish: Finish = { finish_reason: reason };
  if (typeof native === "string" && native !== reason) finish.native_finish_reason = native;
  if (typeof sequence === "string") finish.stop_sequence = sequence;
  return finish;
}

/** A surface's own words beyond its usual one for each reason, by the providers' words for the same. */
export type FinishWords = Readonly<Record<string, { readonly means: FinishReason; readonly word: string }>>;

/** The surface's word for an end. A call or a cut that the gateway has found itself counts more than the provider's word. */
export function chooseWord(
  { finish_reason: reason, native_finish_reason: native }: Finish,
  usual: Readonly<Record<FinishReason, string>>,
  words: FinishWords,
): string {
  const own = typeof native === "string" && Object.hasOwn(words, native) ? words[native] : undefined;
  return own?.means === reason ? own.word : usual[reason];
}
