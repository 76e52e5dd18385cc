// Speech as an operation: turns text into audio.
import { type Amounts, NO_AMOUNTS } from "../../core/money/units.ts";
import type { Operation } from "../operation.ts";
import { estimateTextTokens } from "../text-tokens.ts";
import { makeWholeOperation } from "../whole.ts";
import { countCharacters, findSound, type SoundFormat, type SpeechForm, type SpeechRequest } from "./form.ts";
import { restoreSound, SOUND_KEEPING } from "./keeping.ts";

/**
 * OpenAI prices a minute of gpt-4o-mini-tts at 0.015 USD, which is 21 tokens per second. People say 15 characters in
 * one.
 */
const SOUND_TOKENS_PER_CHARACTER_WORST = 6;
const SOUND_TOKENS_PER_CHARACTER = 1.4;
const SOUND_TOKENS_PER_SECOND = 21;
/** Two seconds: a short text begins and ends with silence. */
const CHARACTERS_MIN = 7;
/** A provider's own words around the text. */
const TOKENS_AROUND = 16;
/** The sound is one field. */
const ANSWER_ELEMENTS = 1000;
/** Low bit rates of speech per format: for audio that broke off, no more is charged than its bytes can hold. */
const BITS_PER_SECOND_MIN: Readonly<Record<SoundFormat, number>> = {
  mp3: 32_000,
  opus: 16_000,
  aac: 32_000,
  flac: 96_000,
  wav: 64_000,
  pcm: 128_000,
};

export const SPEECH: Operation<SpeechForm> = makeWholeOperation({
  name: "speech",
  makes: "sound",
  words: ["voice", "id", "format"],
  findCodec: ({ speech }) => speech ?? null,
  countElements: () => ANSWER_ELEMENTS,
  countWorst(ask) {
    // A digit may be read as a word, and every text as slowly as the instructions say.
    const sounds = countCharacters(ask.input) + countDigits(ask.input) + CHARACTERS_MIN;
    const perCharacter = SOUND_TOKENS_PER_CHARACTER_WORST / Math.min(1, ask.speed ?? 1);
    // No tokenizer makes more tokens than a text has bytes.
    return count(ask, sounds * perCharacter, (bytes) => bytes + TOKENS_AROUND);
  },
  countLikely(ask, bytes) {
    const spoken = (countCharacters(ask.input) * SOUND_TOKENS_PER_CHARACTER) / (ask.speed ?? 1);
    const likely = count(ask, spoken, estimateTextTokens);
    const seen = Math.ceil(((bytes * 8) / BITS_PER_SECOND_MIN[ask.format]) * SOUND_TOKENS_PER_SECOND);
    const outputAudio = bytes === 0 ? likely.outputAudio : Math.min(seen, likely.outputAudio);
    return { ...likely, completion: outputAudio, outputAudio };
  },
  countBytes: (piece) => findSound(piece)?.sound.length ?? 0,
  identify: ({ stream: _stream, asEvents: _asEvents, ...ask }) => Object.fromEntries(Object.entries(ask)),
  hasJsonAnswer: () => false,
  restore: restoreSound,
  keeping: SOUND_KEEPING,
  toLog({ input, ...request }) {
    return { request, messages: [input] };
  },
});

function count(
  { input, instructions = "" }: SpeechRequest,
  soundTokens: number,
  estimate: (bytes: number) => number,
): Amounts {
  const outputAudio = Math.ceil(soundTokens);
  const prompt = estimate(Buffer.byteLength(input) + Buffer.byteLength(instructions));
  return { ...NO_AMOUNTS, characters: countCharacters(input), prompt, completion: outputAudio, outputAudio };
}

function countDigits(text: string): number {
  return text.match(/[0-9]/g)?.length ?? 0;
}
