// Finish reasons: one of the closed set that clients know, along with the provider's own word.
import type { Finish, FinishReason } from "./form.ts";

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
