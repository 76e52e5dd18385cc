// Speech as an operation: text becomes sound.
import { type Amounts, NO_AMOUNTS } from "../../core/units.ts";
import type { Operation } from "../operation.ts";
import { likelyTextTokens } from "../text-tokens.ts";
import { makeWholeOperation } from "../whole.ts";
import type { SpeechForm, SpeechRequest } from "./form.ts";

/** OpenAI prices a minute of gpt-4o-mini-tts at 0.015 USD, which is 21 tokens a second; people say 15 characters in one. */
const [SOUND_TOKENS_PER_CHARACTER_WORST, SOUND_TOKENS_PER_CHARACTER] = [6, 1.4];

export const SPEECH: Operation<SpeechForm> = makeWholeOperation({
  name: "speech",
  findCodec: ({ speech }) => speech ?? null,
  // A slow voice takes longer for the same words.
  countWorst: (ask) => count(ask, SOUND_TOKENS_PER_CHARACTER_WORST / Math.min(1, ask.speed ?? 1)),
  countLikely: (ask) => count(ask, SOUND_TOKENS_PER_CHARACTER / (ask.speed ?? 1)),
  identify: () => null,
  toLog({ input, ...request }) {
    return { request, messages: [input] };
  },
  restore: () => null,
});

function count({ input, instructions = "" }: SpeechRequest, tokensPerCharacter: number): Amounts {
  const characters = countCharacters(input);
  const outputAudio = Math.ceil(characters * tokensPerCharacter);
  const prompt = likelyTextTokens(Buffer.byteLength(input) + Buffer.byteLength(instructions));
  return { ...NO_AMOUNTS, characters, prompt, completion: outputAudio, outputAudio };
}

function countCharacters(text: string): number {
  let count = 0;
  for (const _character of text) count++;
  return count;
}
