// Sound files made in code, honest or lying.

export function concat(...parts: readonly Uint8Array[]): Uint8Array<ArrayBuffer> {
  return new Uint8Array(Buffer.concat(parts));
}

export const text = (value: string) => Buffer.from(value, "latin1");

export function u16(value: number): Buffer {
  const bytes = Buffer.alloc(2);
  bytes.writeUInt16BE(value);
  return bytes;
}

export const u16le = (value: number) => u16(value).swap16();

export function u32(value: number): Buffer {
  const bytes = Buffer.alloc(4);
  bytes.writeUInt32BE(value);
  return bytes;
}

export const u32le = (value: number) => u32(value).swap32();

/** An ID3v2 tag of this many bytes. */
export function makeTag(bytes: number, content: Uint8Array = Buffer.alloc(bytes)): Uint8Array {
  const size = [21, 14, 7, 0].map((shift) => (bytes >>> shift) & 0x7f);
  return concat(text("ID3"), new Uint8Array([4, 0, 0, ...size]), content);
}

interface WavFile {
  readonly channels: number;
  readonly rate: number;
  readonly bits: number;
  readonly tag?: number;
  readonly subformat?: number;
  readonly bytesPerSecond?: number;
  /** The sizes of its data chunks. */
  readonly data: readonly number[];
  /** True if the sizes are not known, as in a stream. */
  readonly isStreamed?: boolean;
}

export function makeWavFile(wav: WavFile): Uint8Array {
  const { channels, rate, bits, tag = 1, subformat, data, isStreamed = false } = wav;
  const block = (channels * bits) / 8;
  const { bytesPerSecond = rate * block } = wav;
  const more =
    subformat === undefined ? [] : [u16le(22), new Uint8Array(6), u16le(subformat), new Uint8Array(14)];
  const numbers = [
    u16le(tag),
    u16le(channels),
    u32le(rate),
    u32le(bytesPerSecond),
    u16le(block),
    u16le(bits),
  ];
  const format = concat(...numbers, ...more);
  const chunks = data.flatMap((size) => [
    text("data"),
    u32le(isStreamed ? 0xffffffff : size),
    new Uint8Array(size + (size % 2)),
  ]);
  const body = concat(text("WAVEfmt "), u32le(format.length), format, ...chunks);
  return concat(text("RIFF"), u32le(isStreamed ? 0xffffffff : body.length), body);
}

interface AiffFile {
  readonly frames: number;
  readonly rate: number;
  readonly compression?: string;
}

export function makeAiff({ frames, rate, compression }: AiffFile): Uint8Array {
  const exponent = 31 - Math.clz32(rate);
  const float = [u16(16_383 + exponent), u32(rate * 2 ** (31 - exponent)), u32(0)];
  const common = concat(u16(1), u32(frames), u16(8), ...float, text(compression ?? ""));
  const chunk = concat(text("COMM"), u32(common.length), common);
  const body = concat(text(compression ? "AIFC" : "AIFF"), text("ANNO"), u32(3), text("hm!\0"), chunk);
  return concat(text("FORM"), u32(body.length), body);
}

export function makeBox(type: string, ...content: readonly Uint8Array[]): Uint8Array {
  const body = concat(...content);
  return concat(u32(body.length + 8), text(type), body);
}

interface Mp4File {
  readonly seconds: number;
  readonly fragmentSeconds?: number;
  readonly codec?: string;
  /** True for sizes and durations of 64 bits. */
  readonly isLong?: boolean;
}

const TIMESCALE = 1000;

/** A movie's headers without its sound. */
export function makeMp4({ seconds, fragmentSeconds, codec = "mp4a", isLong = false }: Mp4File): Uint8Array {
  const times = new Uint8Array(isLong ? 16 : 8);
  const long = (value: number) => (isLong ? concat(u32(0), u32(value)) : u32(value));
  const version = u32(isLong ? 0x01000000 : 0);
  const header = (type: string) => makeBox(type, version, times, u32(TIMESCALE), long(seconds * TIMESCALE));
  const handler = makeBox("hdlr", u32(0), u32(0), text("soun"));
  const description = makeBox("stsd", u32(0), u32(1), makeBox(codec, new Uint8Array(28)));
  const media = makeBox("mdia", header("mdhd"), handler, makeBox("minf", makeBox("stbl", description)));
  const fragments =
    fragmentSeconds === undefined
      ? []
      : [makeBox("mvex", makeBox("mehd", version, long(fragmentSeconds * TIMESCALE)))];
  const movie = makeBox("moov", header("mvhd"), makeBox("trak", media), ...fragments);
  const data = isLong ? concat(u32(1), text("mdat"), u32(0), u32(16)) : new Uint8Array(0);
  return concat(makeBox("ftyp", text("M4A ")), data, movie);
}
