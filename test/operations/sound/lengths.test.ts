// The length and codec of sound files from their containers, and the least that their bytes stand for.
import { describe, expect, test } from "bun:test";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { SoundBytes } from "../../../src/operations/transcription/sound/bytes.ts";
import { measureSeconds, readSound } from "../../../src/operations/transcription/sound/length.ts";
import { BITS_PER_SECOND_MIN, type SoundCodec } from "../../../src/operations/transcription/sound/sound.ts";
import { makeWav } from "../media/world.ts";
import { concat, makeAiff, makeMp4, makeTag, makeWavFile, text, u32 } from "./files.ts";

const read = (bytes: Uint8Array) => readSound(new SoundBytes(new Uint8Array(bytes)));
const measure = (bytes: Uint8Array) => measureSeconds(new Uint8Array(bytes));
const open = (name: string) => readFileSync(join(import.meta.dir, "files", name));

/** Made by ffmpeg; the lengths are ffprobe's. Those of AAC include the encoder's delay, as decoders play it. */
const FILES: readonly (readonly [name: string, codec: SoundCodec, seconds: number])[] = [
  ["constant.mp3", "mp3", 3.168],
  ["variable.mp3", "mp3", 3.168],
  ["layer2.mp2", "mp3", 3.024],
  ["adts.aac", "aac", 3.199],
  ["moov-first.m4a", "aac", 3],
  ["moov-last.m4a", "aac", 3],
  ["quicktime.mov", "aac", 3],
  ["video.mp4", "aac", 3],
  ["silence.flac", "flac", 3],
  ["flac.ogg", "flac", 3],
  ["opus.ogg", "opus", 3.007],
  ["vorbis.ogg", "vorbis", 3],
  ["speex.ogg", "unknown", 3],
  ["opus.webm", "opus", 3.008],
  ["video.webm", "opus", 3.008],
  ["vorbis.mka", "vorbis", 3.032],
  ["rf64.wav", "pcm", 3],
  ["ima-adpcm.wav", "adpcm", 1.018],
  ["ms-adpcm.wav", "adpcm", 1.018],
  ["ima4.aifc", "adpcm", 1],
];
const TOLERANCE_SECONDS = 0.13;

describe("an honest file's container", () => {
  for (const [name, codec, seconds] of FILES) {
    test(name, () => {
      const sound = read(open(name));
      expect(sound.codec).toBe(codec);
      expect(Math.abs((sound.seconds ?? 0) - seconds)).toBeLessThan(TOLERANCE_SECONDS);
    });
  }

  test("an ID3 tag is skipped by its length, before any kind of sound", () => {
    for (const name of ["constant.mp3", "variable.mp3", "silence.flac", "adts.aac"]) {
      const file = open(name);
      const tagged = concat(makeTag(5000), makeTag(100), file);
      expect([name, read(tagged).codec]).toEqual([name, read(file).codec]);
      const plain = read(file).seconds ?? 0;
      const same = read(tagged).seconds ?? 0;
      expect(Math.abs(plain - same)).toBeLessThan(TOLERANCE_SECONDS);
    }
  });

  test("a media type that the client invents changes nothing, since only the bytes are read", async () => {
    expect(measure(new Uint8Array(await makeWav(7).arrayBuffer()))).toBe(7);
  });

  const stereo = { channels: 2, rate: 44_100, bits: 16 };
  const SECOND = 4 * 44_100;
  const WAVS: readonly (readonly [string, Uint8Array, SoundCodec, number])[] = [
    ["two data chunks are added", makeWavFile({ ...stereo, data: [SECOND, 2 * SECOND] }), "pcm", 3],
    [
      "a streamed one is as long as its bytes",
      makeWavFile({ ...stereo, data: [SECOND], isStreamed: true }),
      "pcm",
      1,
    ],
    ["an extensible format", makeWavFile({ ...stereo, tag: 0xfffe, subformat: 1, data: [SECOND] }), "pcm", 1],
    ["float", makeWavFile({ channels: 1, rate: 8000, bits: 32, tag: 3, data: [32_000] }), "pcm", 1],
    ["A-law", makeWavFile({ channels: 1, rate: 8000, bits: 8, tag: 6, data: [16_000] }), "pcm", 2],
    [
      "MP3 in it",
      makeWavFile({ channels: 1, rate: 8000, bits: 0, tag: 0x55, data: [2000], bytesPerSecond: 1000 }),
      "mp3",
      2,
    ],
    [
      "a codec that few know",
      makeWavFile({ channels: 1, rate: 8000, bits: 1, tag: 0x31, data: [1625], bytesPerSecond: 1625 }),
      "unknown",
      1,
    ],
  ];
  for (const [name, bytes, codec, seconds] of WAVS) {
    test(`WAV: ${name}`, () => {
      expect(read(bytes)).toEqual({ codec, seconds });
    });
  }

  test("WAV: a wrong rate of bytes is as meaningless as to a decoder", () => {
    const lying = makeWavFile({ ...stereo, data: [10 * SECOND], bytesPerSecond: 10 * SECOND });
    expect(read(lying)).toEqual({ codec: "pcm", seconds: 10 });
  });

  test("AIFF", () => {
    expect(read(makeAiff({ frames: 88_200, rate: 44_100 }))).toEqual({ codec: "pcm", seconds: 2 });
    expect(read(makeAiff({ frames: 16_000, rate: 8000, compression: "alaw" }))).toEqual({
      codec: "pcm",
      seconds: 2,
    });
  });

  test("MP4 with sizes of 64 bits, and the length of its fragments", () => {
    expect(read(makeMp4({ seconds: 4, isLong: true }))).toEqual({ codec: "aac", seconds: 4 });
    expect(read(makeMp4({ seconds: 0, fragmentSeconds: 6 }))).toEqual({ codec: "aac", seconds: 6 });
    expect(read(makeMp4({ seconds: 2, codec: "Opus" }))).toEqual({ codec: "opus", seconds: 2 });
  });

  test("MP3 by Fraunhofer's encoder has the number of its frames in another header", () => {
    const frame = concat(u32(0xfffb9000), new Uint8Array(32), text("VBRI"), new Uint8Array(10), u32(1000));
    const second = concat(u32(0xfffb9000), new Uint8Array(413));
    const file = concat(frame, new Uint8Array(417 - frame.length), second);
    expect(read(file)).toEqual({ codec: "mp3", seconds: (1000 * 1152) / 44_100 });
  });

  test("AMR by its frames", () => {
    const frames = Array.from({ length: 150 }, () => concat(new Uint8Array([0x3c]), new Uint8Array(31)));
    expect(read(concat(text("#!AMR\n"), ...frames))).toEqual({ codec: "unknown", seconds: 3 });
  });
});

describe("the least that a file's bytes stand for", () => {
  test("the codecs' lowest rates", () => {
    expect(BITS_PER_SECOND_MIN).toEqual({
      opus: 6000,
      vorbis: 6000,
      aac: 8000,
      mp3: 8000,
      adpcm: 32_000,
      pcm: 64_000,
      flac: 64_000,
      unknown: 6000,
    });
  });

  const MILLION = new Uint8Array(1_000_000);
  test("a header that names a second doesn't shorten a million bytes", () => {
    const flac = concat(text("fLaC"), new Uint8Array(14), u32(0x01f400f0), u32(8000), MILLION);
    expect(read(flac)).toEqual({ codec: "flac", seconds: 1 });
    expect(measure(flac)).toBe(125);
    const mp4 = concat(makeMp4({ seconds: 1 }), u32(MILLION.length + 8), text("mdat"), MILLION);
    expect(read(mp4)).toEqual({ codec: "aac", seconds: 1 });
    expect(measure(mp4)).toBe(1000);
    const info = concat(
      u32(0xfffb9000),
      new Uint8Array(32),
      text("Info"),
      u32(1),
      u32(38),
      new Uint8Array(369),
    );
    const mp3 = concat(info, info, MILLION);
    expect(read(mp3)).toEqual({ codec: "mp3", seconds: (38 * 1152) / 44_100 });
    expect(measure(mp3)).toBe(1000);
  });

  test("Opus, Ogg and WebM", () => {
    for (const name of ["opus.ogg", "opus.webm"]) {
      const file = open(name);
      expect(measure(concat(file, MILLION))).toBe(Math.floor(((file.length + MILLION.length) * 8) / 6000));
    }
  });

  test("a longer length in the container counts, and so does one of an unknown file's bytes", () => {
    expect(measure(makeMp4({ seconds: 5000 }))).toBe(5000);
    expect(measure(new Uint8Array(75_000))).toBe(100);
    expect(measure(new Uint8Array(1))).toBe(1);
  });

  test("samples at a rate that hides their number", () => {
    const slow = makeWavFile({ channels: 1, rate: 1, bits: 8, data: [3600] });
    expect(measure(slow)).toBe(3600);
  });
});
