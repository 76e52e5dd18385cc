// The names of sound formats in requests and files, and their media types: one table for every API.

/** By format: its media type, and others for the same. */
const TYPES = {
  wav: ["audio/wav", "audio/x-wav", "audio/wave", "audio/vnd.wave"],
  mp3: ["audio/mpeg", "audio/mp3", "audio/mpeg3", "audio/x-mpeg-3", "audio/mpga"],
  aac: ["audio/aac", "audio/x-aac", "audio/aacp"],
  aiff: ["audio/aiff", "audio/x-aiff"],
  flac: ["audio/flac", "audio/x-flac"],
  ogg: ["audio/ogg", "audio/x-ogg"],
  opus: ["audio/opus"],
  m4a: ["audio/m4a", "audio/x-m4a", "audio/mp4"],
  webm: ["audio/webm"],
  pcm: ["audio/pcm"],
} as const;

const PREFIX = "audio/";
/** Raw samples mean nothing without their rate. */
const NEEDS_PARAMETERS = "pcm";

/** The formats that are also the extensions of files. */
export const SOUND_EXTENSIONS: readonly string[] = Object.keys(TYPES).filter(
  (format) => format !== "webm" && format !== "pcm",
);

const FORMATS: ReadonlyMap<string, string> = new Map(
  Object.entries(TYPES).flatMap(([format, types]) => types.map((type) => [type, format] as const)),
);
const USUAL: ReadonlyMap<string, string> = new Map(
  Object.entries(TYPES).map(([format, [type]]) => [format, type] as const),
);

export function isSoundType(mediaType: string): boolean {
  return mediaType.toLowerCase().startsWith(PREFIX);
}

/** Returns the format of a sound's media type, such as `mp3`. An unknown one has its own name. */
export function findSoundFormat(mediaType: string): string {
  return findKnownFormat(mediaType) ?? mediaType.slice(PREFIX.length);
}

/** Returns the media type of a format, such as `audio/mpeg`. */
export function findSoundType(format: string): string {
  return USUAL.get(format.toLowerCase()) ?? nameSoundType(PREFIX + format);
}

/** Returns a media type by its usual name: the same if it is unknown, or no sound's. */
export function nameSoundType(mediaType: string): string {
  return USUAL.get(findKnownFormat(mediaType) ?? "") ?? mediaType;
}

function findKnownFormat(mediaType: string): string | undefined {
  const [type = "", parameters] = mediaType.toLowerCase().split(";", 2);
  const format = FORMATS.get(type.trim());
  return format === NEEDS_PARAMETERS && parameters !== undefined ? undefined : format;
}
