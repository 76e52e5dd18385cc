// The types of pictures, PDFs and sounds by their first bytes. Several clients declare another: Claude and Nova refuse a
// PNG that is called a JPEG, though OpenAI and Google accept it (home-assistant, issue 167208, August 2026).

interface Signature {
  readonly type: string;
  /** The first bytes. Null stands for any byte. */
  readonly bytes: readonly (number | null)[];
  /** True if so little is looked at that only content which is declared a sound may be recognised. */
  readonly isWeak?: boolean;
}

function spell(text: string): readonly number[] {
  return [...text].map((letter) => letter.charCodeAt(0));
}

const LENGTH = [null, null, null, null];

const SIGNATURES: readonly Signature[] = [
  { type: "image/png", bytes: [0x89, ...spell("PNG\r\n")] },
  { type: "image/jpeg", bytes: [0xff, 0xd8, 0xff] },
  { type: "image/gif", bytes: spell("GIF87a") },
  { type: "image/gif", bytes: spell("GIF89a") },
  { type: "image/webp", bytes: [...spell("RIFF"), ...LENGTH, ...spell("WEBP")] },
  { type: "application/pdf", bytes: spell("%PDF-") },
  { type: "audio/wav", bytes: [...spell("RIFF"), ...LENGTH, ...spell("WAVE")] },
  { type: "audio/aiff", bytes: [...spell("FORM"), ...LENGTH, ...spell("AIFF")] },
  // The byte after each name is no letter, so no text begins like this.
  { type: "audio/flac", bytes: [...spell("fLaC"), 0x00] },
  { type: "audio/ogg", bytes: [...spell("OggS"), 0x00] },
  ...[2, 3, 4].map((version) => ({ type: "audio/mpeg", bytes: [...spell("ID3"), version] })),
  ...[0xe3, 0xf2, 0xf3, 0xfa, 0xfb].map((byte) => ({
    type: "audio/mpeg",
    bytes: [0xff, byte],
    isWeak: true,
  })),
  ...[0xf0, 0xf1, 0xf8, 0xf9].map((byte) => ({ type: "audio/aac", bytes: [0xff, byte], isWeak: true })),
  { type: "audio/m4a", bytes: [...LENGTH, ...spell("ftyp")], isWeak: true },
  { type: "audio/webm", bytes: [0x1a, 0x45, 0xdf, 0xa3], isWeak: true },
];

/** Types that lie in a container of another type. */
const CONTAINED: ReadonlyMap<string, readonly string[]> = new Map([
  ["audio/ogg", ["audio/opus"]],
  ["audio/webm", ["audio/opus"]],
  ["audio/m4a", ["audio/aac"]],
]);
/** Enough of the base64 for the longest signature, with line breaks in it. */
const HEAD_CHARS = 32;

/** Returns the type that content in base64 has by its first bytes, or else the declared one. Both are in lower case. */
export function findMediaType(base64: string, declared: string): string {
  const head = Buffer.from(base64.slice(0, HEAD_CHARS), "base64");
  const isSound = declared.startsWith("audio/");
  const found = SIGNATURES.find(
    ({ bytes, isWeak }) =>
      (isSound || !isWeak) && bytes.every((byte, at) => byte === null || byte === head[at]),
  )?.type;
  if (found === undefined || CONTAINED.get(found)?.includes(declared)) return declared;
  // A film may lie in the same containers.
  return declared.startsWith("video/") && found.startsWith("audio/") ? declared : found;
}
