// Streams designed to be hard to splice: some that a server might send, and some that none would.

import { encodeText } from "../../../recorded/pipeline.ts";

/** Seeded chance (a linear congruential generator). */
export class Dice {
  #state: number;

  constructor(seed: number) {
    this.#state = seed >>> 0;
  }

  below(count: number): number {
    this.#state = (Math.imul(this.#state, 1_664_525) + 1_013_904_223) >>> 0;
    return Math.floor((this.#state / 2 ** 32) * count);
  }

  chance(share: number): boolean {
    return this.below(1000) < share * 1000;
  }

  among<Value>(values: readonly [Value, ...Value[]]): Value {
    return values[this.below(values.length)] ?? values[0];
  }
}

/** Cuts a stream into pieces of any size. */
export function cutStream(text: string, dice: Dice): Uint8Array[] {
  const bytes = encodeText(text);
  const pieces: Uint8Array[] = [];
  for (let at = 0; at < bytes.length; at += pieces.at(-1)?.length ?? 1)
    pieces.push(bytes.subarray(at, at + 1 + dice.below(dice.below(900) + 1)));
  return pieces;
}

/** The content between the quotes of a JSON string. */
const TEXTS = [
  "a",
  " the",
  "Hello, world",
  "ünï",
  "日本語",
  "😀",
  "\\n",
  '\\"',
  "\\\\",
  '\\\\\\"x',
  "\\u00e9",
  "\\ud83d\\ude00",
  "\\ud800",
  "\\/",
  "\\u0041",
  "\\b\\f\\r\\t",
  "}]}",
  '{\\"choices\\":[{\\"delta\\":{\\"content\\":\\"x\\"}}]}',
  "],",
  "usage",
  "content",
  "poundkey probe",
  "data: [DONE]",
  "[DONE]",
  "null",
  "0",
  "  ",
  "",
  "\u2028",
  "\u007f",
] as const;
const BROKEN = ["\t", "\\x", '"'] as const;

const NUMBERS = ["0", "-0", "1.0", "1e3", "1700000000", "0.1e1", "123456789012345678901"] as const;

function field(dice: Dice): string {
  const key = dice.among([
    "x",
    "",
    "0",
    "1",
    "__proto__",
    "constructor",
    "id",
    "\\u0069d",
    "nested",
    "toJSON",
  ]);
  const value = dice.among([
    dice.among(NUMBERS),
    '"text"',
    "null",
    "true",
    '{"a":[1,{"b":"}]}"}]}',
    "[]",
    '"a"',
    '"}]}"',
    '{ "z" : 1 , "2":0,"1":0 }',
  ]);
  return `"${key}":${value}`;
}

function fields(dice: Dice, most: number): string[] {
  return Array.from({ length: dice.below(most + 1) }, () => field(dice));
}

const HOLE = "<TEXT>";

/** The fields of a delta, one of them with a hole for its text. */
function delta(dice: Dice): string {
  return dice.among([
    `"content":"${HOLE}"`,
    `"content":"${HOLE}"`,
    `"content":"${HOLE}"`,
    `"role":"assistant","content":"${HOLE}"`,
    `"content":null,"reasoning_content":"${HOLE}"`,
    `"reasoning":"${HOLE}"`,
    `"reasoning":"${HOLE}","reasoning_details":[{"type":"reasoning.text","text":"${HOLE}","index":0}]`,
    `"content":"${HOLE}","content":"${HOLE}"`,
    `"content":"b","content":"${HOLE}"`,
    `"content":"${HOLE}","content":"b"`,
    `"refusal":"${HOLE}"`,
    `"content":"${HOLE}","refusal":"no"`,
    `"tool_calls":[{"index":0,"function":{"arguments":"${HOLE}"}}]`,
    `"tool_calls":[{"index":1,"id":"c1","type":"function","function":{"name":"f","arguments":"${HOLE}"}}]`,
    `"tool_calls":[{"function":{"name":"f","arguments":"${HOLE}"}}]`,
    `"tool_calls":null,"content":"${HOLE}"`,
    `"annotations":[],"content":"${HOLE}"`,
    `"content":[{"type":"text","text":"${HOLE}"}]`,
  ]);
}

function chatShape(dice: Dice): string {
  const finish = dice.chance(0.04) ? '"stop"' : dice.among(["null", "null", '""']);
  const choice = [
    `"index":${dice.among(["0", "0", "0", "0", "1", "0.0", '"0"'])}`,
    `"delta":{${[...fields(dice, 1), delta(dice)].join(",")}}`,
    ...fields(dice, 1),
    `"logprobs":${dice.among(["null", "null", '{"content":[]}'])}`,
    `"finish_reason":${finish}`,
    ...(dice.chance(0.1) ? [`"text":"${HOLE}"`] : []),
  ];
  const parts = [
    ...fields(dice, 2),
    ...(dice.chance(0.2) ? ['"service_tier":"default","system_fingerprint":"fp"'] : []),
    `"choices":[{${choice.join(",")}}]`,
    ...(dice.chance(0.05) ? [`"choices":[{"index":0,"delta":{"content":"${HOLE}"}}]`] : []),
    ...(dice.chance(0.1) ? ['"usage":null'] : []),
    ...(dice.chance(0.03) ? ['"usage":{"prompt_tokens":1,"completion_tokens":2}'] : []),
    ...(dice.chance(0.02) ? ['"error":{"message":"no"}'] : []),
    ...(dice.chance(0.1) ? [`"citations":["https://a.example/${HOLE}"]`] : []),
    ...(dice.chance(0.2) ? ['"obfuscation":"aB3"'] : []),
  ];
  return `{${parts.join(dice.among([",", ",", ", "]))}}`;
}

/** The framing of a server's events, mostly the same for a whole stream. */
interface Framing {
  readonly line: string;
  readonly before: string;
}

function framed(json: string, { line, before }: Framing, name: string, dice: Dice): string {
  const data = dice.chance(0.05) ? json.replace(/,"/, `,${line}data:"`) : json;
  const comment = dice.chance(0.05) ? `: still here${line}${dice.among([line, ""])}` : "";
  const id = dice.chance(0.05) ? `id: 5${line}` : "";
  return `${comment}${id}${name === "" ? "" : `event: ${name}${line}`}${before}${data}${line}${line}`;
}

function filled(shape: string, dice: Dice): string {
  const text = dice.chance(0.003) ? dice.among(BROKEN) : dice.among(TEXTS);
  const padded = shape.replace('"aB3"', () => `"${"aB3x9Qw".slice(0, dice.below(7))}"`);
  return padded.replaceAll(HOLE, () => (dice.chance(0.05) ? dice.among(TEXTS) : text));
}

export function chatStream(dice: Dice): string {
  const framing: Framing = {
    line: dice.among(["\n", "\n", "\n", "\r\n", "\r"]),
    before: dice.among(["data: ", "data: ", "data:"]),
  };
  let text = dice.chance(0.1) ? "\uFEFF" : "";
  let shape = chatShape(dice);
  const length = 10 + dice.below(40);
  for (let count = 0; count < length; count++) {
    if (dice.chance(0.15)) shape = chatShape(dice);
    text += framed(filled(shape, dice), framing, dice.chance(0.02) ? "message" : "", dice);
  }
  text += framed('{"choices":[{"index":0,"delta":{},"finish_reason":"stop"}]}', framing, "", dice);
  return text + (dice.chance(0.8) ? framed("[DONE]", framing, "", dice) : "");
}

function pieceShape(dice: Dice): readonly [name: string, json: string] {
  const index = dice.among(["0", "0", "0", "1", "2"]);
  const piece = (inner: string) => `{"type":"content_block_delta","index":${index},"delta":${inner}}`;
  const block = (inner: string) => `{"type":"content_block_start","index":${index},"content_block":${inner}}`;
  return dice.among([
    ["content_block_delta", piece(`{"type":"text_delta","text":"${HOLE}"}`)],
    ["content_block_delta", piece(`{"type":"text_delta","text":"${HOLE}"}`)],
    ["content_block_delta", piece(`{"type":"input_json_delta","partial_json":"${HOLE}"}`)],
    ["content_block_delta", piece(`{"type":"thinking_delta","thinking":"${HOLE}"}`)],
    ["content_block_delta", piece(`{"type":"signature_delta","signature":"${HOLE}"}`)],
    [
      "content_block_delta",
      piece(
        '{"type":"citations_delta","citation":{"type":"web_search_result_location","url":"https://a.example/","title":"A","cited_text":"a"}}',
      ),
    ],
    ["content_block_start", block(`{"type":"text","text":"${dice.chance(0.2) ? HOLE : ""}"}`)],
    ["content_block_start", block('{"type":"tool_use","id":"t1","name":"f","input":{}}')],
    ["content_block_start", block('{"type":"thinking","thinking":"","signature":""}')],
    ["content_block_stop", `{"type":"content_block_stop","index":${index}}`],
    ["ping", '{"type":"ping"}'],
  ]);
}

export function anthropicStream(dice: Dice): string {
  const framing: Framing = { line: dice.among(["\n", "\n", "\r\n"]), before: "data: " };
  const start = `{"type":"message_start","message":{"id":"m","role":"assistant","content":[],"usage":{"input_tokens":3,"output_tokens":1}}}`;
  let text = framed(start, framing, "message_start", dice);
  const first = '{"type":"content_block_start","index":0,"content_block":{"type":"text","text":""}}';
  text += framed(first, framing, "content_block_start", dice);
  let [name, shape] = pieceShape(dice);
  const length = 10 + dice.below(40);
  for (let count = 0; count < length; count++) {
    if (dice.chance(0.25)) [name, shape] = pieceShape(dice);
    const padded = shape.replace(/\}$/, `${" ".repeat(dice.below(4))}}`);
    text += framed(filled(padded, dice), framing, dice.chance(0.02) ? "odd" : name, dice);
  }
  text += framed('{"type":"content_block_stop","index":0}', framing, "content_block_stop", dice);
  const end = `{"type":"message_delta","delta":{"stop_reason":"end_turn"},"usage":{"output_tokens":9}}`;
  text += framed(end, framing, "message_delta", dice);
  return text + (dice.chance(0.9) ? framed('{"type":"message_stop"}', framing, "message_stop", dice) : "");
}
