// Speech as the cache keeps and repeats it.
import { isObject } from "../../core/json/json.ts";
import type { Folding, Keeping } from "../folding.ts";
import { findSound, type SoundPart, type SpeechForm, type SpeechReply } from "./form.ts";

/** Its events are as long as those of a model, rather than one of megabytes. */
const PART_BYTES = 32 * 1024;

type SpeechParts = Pick<SpeechForm, "piece" | "reply">;

export const SOUND_KEEPING: Keeping<SpeechParts> = {
  takeApart: ({ sound, type }) =>
    Array.from({ length: Math.ceil(sound.length / PART_BYTES) }, (_, at) => {
      const part = { sound: sound.subarray(at * PART_BYTES, (at + 1) * PART_BYTES), type };
      return { kind: "part", part };
    }),
  fold: foldSound,
  pack: ({ sound, ...reply }) => ({ ...reply, sound: sound.toBase64() }),
};

/** Undoes `pack`. */
export function restoreSound(kept: unknown): SpeechReply | null {
  return isPacked(kept) ? { ...kept, sound: new Uint8Array(Buffer.from(kept.sound, "base64")) } : null;
}

function isPacked(kept: unknown): kept is Omit<SpeechReply, "sound"> & { readonly sound: string } {
  return isObject(kept) && typeof kept.sound === "string" && typeof kept.type === "string";
}

function foldSound(): Folding<SpeechParts> {
  const parts: SoundPart[] = [];
  return {
    add(pieces) {
      const added = pieces.flatMap((piece) => findSound(piece) ?? []);
      for (const part of added) parts.push(part);
      return added.reduce((sum, { sound }) => sum + sound.length, 0);
    },
    reply() {
      const [first] = parts;
      if (first === undefined) return null;
      const sound = new Uint8Array(Buffer.concat(parts.map((part) => part.sound)));
      return { sound, type: first.type, usage: null };
    },
  };
}
