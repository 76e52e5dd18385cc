// Spoken text as it comes: the sound's own bytes, or OpenAI's events with the sound in base64.
import { findSound, type SpeechForm } from "../../operations/speech/form.ts";
import { writeCost } from "../cost.ts";
import { makePieceWriter, typedEvent } from "../event-stream.ts";
import type { ByteWriter } from "../surface.ts";

type Piece = SpeechForm["piece"];

export class SoundWriter implements ByteWriter<Piece> {
  readonly keepAlive = null;
  readonly #type: string;

  /** `type` is the media type that was asked for. */
  constructor(type: string) {
    this.#type = type;
  }

  readType(first: readonly Piece[]): string {
    return first.map((piece) => findSound(piece)?.type).find((type) => type !== undefined) ?? this.#type;
  }

  write(pieces: readonly Piece[]): Uint8Array<ArrayBuffer> {
    const sounds = pieces.flatMap((piece) => findSound(piece)?.sound ?? []);
    const [only] = sounds;
    return only && sounds.length === 1 ? only : new Uint8Array(Buffer.concat(sounds));
  }

  end(): string {
    return "";
  }

  fail(): null {
    return null;
  }
}

export const SOUND_EVENTS = makePieceWriter(writePiece);

function writePiece(piece: Piece): string {
  if (piece.kind !== "usage") {
    const audio = findSound(piece)?.sound.toBase64() ?? "";
    return typedEvent({ type: "speech.audio.delta", audio });
  }
  const { prompt, completion } = piece.usage.amounts;
  const counts = { input_tokens: prompt, output_tokens: completion, total_tokens: prompt + completion };
  return typedEvent({ type: "speech.audio.done", usage: { ...counts, ...writeCost(piece.usage) } });
}
