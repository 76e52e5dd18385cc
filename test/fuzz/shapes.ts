// The shapes by which attackers have stopped or misled gateways: structure within strings, chains of references, names
// of every object's properties, and sound that lies about itself.
import type { Dice } from "../sim/dice.ts";

const DEPTHS = [3, 60, 70, 1000, 20_000, 50_000];
const COUNTS = [1, 10, 1000, 30_000, 100_000];
const ELEMENTS = ["[]", "{}", "0", '"a"', '{"a":[]}'];

/** JSON as text: deep, wide, doubly encoded, or none. */
export function makeJsonText(dice: Dice): string {
  const depth = dice.pick(DEPTHS);
  const many = `${dice.pick(ELEMENTS)},`.repeat(dice.pick(COUNTS));
  const makers: readonly (() => string)[] = [
    () => "[".repeat(depth) + "]".repeat(depth),
    () => `${'{"a":'.repeat(depth)}1${"}".repeat(depth)}`,
    () => `{"a":${"[".repeat(depth)}${"]".repeat(depth)}}`,
    () => `[${many}0]`,
    () => `{"a":[${many}0]}`,
    () => `{${Array.from({ length: dice.pick(COUNTS) / 10 }, (_, at) => `"k${at}":${at}`).join(",")}}`,
    () => JSON.stringify({ a: JSON.stringify({ b: JSON.stringify("[".repeat(Math.min(depth, 1000))) }) }),
    () => `{"${dice.pick(PROTOTYPE_NAMES)}":{"a":1}}`,
    () => "{".repeat(depth),
    () => '{"at":1}',
  ];
  return dice.pick(makers)();
}

export const PROTOTYPE_NAMES = [
  "__proto__",
  "constructor",
  "toString",
  "hasOwnProperty",
  "valueOf",
  "prototype",
];

/** A schema whose references form a chain, a cycle, a fan, or nest without references. */
export function makeSchema(dice: Dice): object {
  const length = dice.pick([1, 3, 64, 70, 500, 4000]);
  const toward = (at: number) => ({ $ref: `#/$defs/a${at}` });
  const define = (make: (at: number) => object) =>
    Object.fromEntries(Array.from({ length }, (_, at) => [`a${at}`, make(at)]));
  const last = { type: "string" };
  const makers: readonly (() => object)[] = [
    () => ({ ...toward(0), $defs: define((at) => (at === length - 1 ? last : toward(at + 1))) }),
    () => ({ ...toward(0), $defs: define((at) => toward((at + 1) % length)) }),
    () => ({
      ...toward(0),
      $defs: define((at) => (at === length - 1 ? last : { anyOf: [toward(at + 1), toward(at + 1)] })),
    }),
    () => ({ type: "object", properties: Object.fromEntries(PROTOTYPE_NAMES.map((name) => [name, last])) }),
    () => ({ type: "object", properties: define(() => last), required: [dice.pick(PROTOTYPE_NAMES)] }),
    () => ({ type: "string", enum: Array.from({ length }, (_, at) => `v${at}`), pattern: "(a+)+$" }),
    () => nest(length, last),
    () => ({
      $ref: dice.pick(["#", "#/", "#/$defs/__proto__", "#/a/b", "http://evil.example/x", "", "#/%"]),
    }),
  ];
  return dice.pick(makers)();
}

function nest(depth: number, inner: object): object {
  let schema = inner;
  for (let at = 0; at < depth; at++)
    schema = at % 2 ? { type: "array", items: schema } : { type: "object", properties: { a: schema } };
  return schema;
}

/** Fields that choose another address, model or account at a server that is itself a gateway. */
export const ROUTING_FIELDS: Readonly<Record<string, unknown>> = {
  api_base: "http://evil.example",
  API_BASE: "http://evil.example",
  base_url: "http://evil.example",
  litellm_params: { api_base: "http://evil.example" },
  "litellm-params": {},
  fallbacks: ["Calm#calm"],
  models: ["Calm#calm"],
  provider: { order: ["x"] },
  headers: { authorization: "x" },
  extra_headers: { a: "b" },
  extra_body: { a: 1 },
  mock_response: "x",
  user_api_key: "x",
  config: { strategy: "fallback" },
  targets: [{}],
  previous_response_id: "resp_0",
  container: "c",
  vector_store_ids: ["v"],
  mcp_servers: [{ url: "http://evil.example" }],
  service_tier: "scale",
};

const word = (value: number, bytes: number) => {
  const buffer = Buffer.alloc(bytes);
  buffer.writeUIntBE(value % 2 ** (8 * bytes), 0, bytes);
  return buffer;
};
const tag = (name: string, body: Buffer, size = body.length + 8) =>
  Buffer.concat([word(size, 4), Buffer.from(name), body]);
const LIES = [0, 1, 7, 8, 100, 65_535, 2 ** 31 - 1, 2 ** 32 - 1];

/** A sound file by its beginnings: tags, lying lengths and rates, cut anywhere. */
export function makeSound(dice: Dice): { readonly name: string; readonly bytes: Buffer } {
  const size = dice.pick([0, 10, 1000, 100_000, 1_000_000]);
  const noise = Buffer.alloc(size, dice.pick(["\0", "\xff\xfb\x90\x00", "a\0b/;", "TXXX"]), "latin1");
  const lie = () => dice.pick(LIES);
  const makers: Readonly<Record<string, () => Buffer>> = {
    "a.mp3": () => Buffer.concat([Buffer.from("ID3\x03\0\0"), word(lie(), 4), id3Frames(dice), noise]),
    "b.mp3": () =>
      Buffer.concat([
        Buffer.from("\xff\xfb\x90\x00", "latin1"),
        Buffer.from("Info\0\0\0\x01"),
        word(lie(), 4),
        noise,
      ]),
    "a.wav": () =>
      Buffer.concat([Buffer.from("RIFF"), word(lie(), 4), Buffer.from("WAVEfmt "), word(lie(), 4), noise]),
    "a.m4a": () =>
      Buffer.concat([
        tag("ftyp", Buffer.from("M4A \0\0\0\0")),
        tag(
          "moov",
          Buffer.concat([tag("mvhd", noise.subarray(0, 100), lie()), tag("stsz", word(lie(), 4))]),
          lie(),
        ),
        noise,
      ]),
    "a.flac": () =>
      Buffer.concat([Buffer.from("fLaC"), Buffer.from([dice.int(0, 255)]), word(lie(), 3), noise]),
    "a.ogg": () =>
      Buffer.concat([
        Buffer.from("OggS\0\x02"),
        word(lie(), 4),
        word(lie(), 4),
        Buffer.from("OpusHead"),
        noise,
      ]),
    "a.webm": () => Buffer.concat([Buffer.from("1a45dfa3", "hex"), word(lie(), 4), noise]),
  };
  const name = dice.pick(Object.keys(makers));
  const whole = makers[name]?.() ?? noise;
  return { name, bytes: dice.chance(0.3) ? whole.subarray(0, dice.int(0, whole.length)) : whole };
}

function id3Frames(dice: Dice): Buffer {
  const text = Buffer.from(dice.pick(["", "a\0b/;", "\0".repeat(20), "a".repeat(1000)]));
  const frame = Buffer.concat([
    Buffer.from("TXXX"),
    word(dice.pick([text.length, ...LIES]), 4),
    word(0, 2),
    text,
  ]);
  return Buffer.concat(Array.from({ length: dice.pick([0, 1, 100, 20_000]) }, () => frame));
}
