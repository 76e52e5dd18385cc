// Pictures and sounds of answers: their bytes and format, and an address within the page for as long as one is shown.
import { useEffect, useState } from "preact/hooks";
import { lendAddress } from "../browser.ts";

/** By their first bytes: providers may send another format than was asked for. None of them can hold a script. */
const FORMATS: readonly (readonly [start: RegExp, type: string, ending: string])[] = [
  [/^\x89PNG/, "image/png", "png"],
  [/^\xff\xd8\xff/, "image/jpeg", "jpg"],
  [/^RIFF.{4}WEBP/s, "image/webp", "webp"],
  [/^RIFF.{4}WAVE/s, "audio/wav", "wav"],
  [/^OggS/, "audio/ogg", "ogg"],
  [/^fLaC/, "audio/flac", "flac"],
  [/^\xff[\xf0\xf1\xf8\xf9]/, "audio/aac", "aac"],
  [/^(ID3|\xff[\xe0-\xff])/, "audio/mpeg", "mp3"],
];

export interface Media {
  readonly data: Blob;
  /** The ending of its file's name. */
  readonly ending: string;
}

function decode(piece: string): string {
  try {
    return atob(piece);
  } catch {
    throw new Error("The provider's answer is broken: it can't be shown.");
  }
}

/** Reads pieces of base64, each by itself. Throws where one is none. */
export function decodeMedia(pieces: readonly string[]): Media {
  const texts = pieces.map(decode);
  const [, type = "application/octet-stream", ending = "bin"] =
    FORMATS.find(([start]) => start.test(texts[0] ?? "")) ?? [];
  const bytes = texts.map((text) => Uint8Array.from(text, (character) => character.charCodeAt(0)));
  return { data: new Blob(bytes, { type }), ending };
}

/** Returns the data's address once it has one; it is taken back when nothing shows the data any more. */
export function useAddress(data: Blob): string | undefined {
  const [address, setAddress] = useState<string>();
  useEffect(() => {
    const { url, revoke } = lendAddress(data);
    setAddress(url);
    return revoke;
  }, [data]);
  return address;
}
