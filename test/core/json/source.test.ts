// A value that nothing has changed is sent as it came, and reads the same everywhere as if it were written again.
import { describe, expect, test } from "bun:test";
import { isObject, type JsonObject } from "../../../src/core/json/json.ts";
import { forgetSources, writeJson } from "../../../src/core/json/source.ts";
import { readJson } from "../../../src/http/body/body.ts";
import { BodyMemory } from "../../../src/http/body/body-memory.ts";
import { BodyTurns } from "../../../src/http/body/body-turns.ts";
import { findDialect } from "../../../src/providers/index.ts";
import { ANTHROPIC_MESSAGES } from "../../../src/surfaces/anthropic-messages/surface.ts";
import { GEMINI } from "../../../src/surfaces/gemini/surface.ts";
import { OPENAI_CHAT } from "../../../src/surfaces/openai-chat/surface.ts";
import { OPENAI_RESPONSES } from "../../../src/surfaces/openai-responses/surface.ts";
import { DeadlineSweep } from "../../../src/transport/deadlines.ts";
import { makeAgentChat, makeAgentMessages } from "../../bench/loads/agent.ts";
import { makeModelCard } from "../../harness/cards.ts";
import { ManualClock } from "../../harness/manual-clock.ts";
import { Dice } from "../../sim/dice.ts";
import { incoming } from "../../surfaces/recorded.ts";

const clock = new ManualClock();
const deadlines = new DeadlineSweep(clock);
const ports = { bodies: new BodyMemory(64_000_000, deadlines), turns: new BodyTurns(clock), deadlines };
const LONG = "x".repeat(1100);

/** Parses the text as the body of a request. */
async function receive(text: string): Promise<JsonObject> {
  const bytes = new TextEncoder().encode(text);
  const headers = { "content-type": "application/json", "content-length": String(bytes.length) };
  const request = new Request("http://gateway.example/", { method: "POST", headers, body: bytes });
  const body = await readJson(request, ports, { owner: "a", bytesMax: 1_000_000 });
  if (!isObject(body)) throw new Error("The body is no object.");
  return body;
}

async function resend(text: string): Promise<{ readonly sent: string; readonly isAsItCame: boolean }> {
  const written = writeJson({ ...(await receive(text)), model: "m" });
  if (typeof written === "string") return { sent: written, isAsItCame: false };
  return { sent: new TextDecoder("utf-8", { fatal: true }).decode(written), isAsItCame: true };
}

/** A reader that keeps what others may read in another way: each name of an object, and numbers as they are written. */
class PlainReader {
  readonly #text: string;
  #at = 0;
  readonly numbers: string[] = [];
  readonly repeated: string[] = [];

  constructor(text: string) {
    this.#text = text;
    this.#value();
  }

  #value(): void {
    const first = this.#next();
    if (first === "{") this.#list("}", new Set());
    else if (first === "[") this.#list("]", null);
    else if (first === '"') this.#string();
    else {
      const [word = ""] = /^[^,\]}\s]+/.exec(this.#text.slice(this.#at, this.#at + 400)) ?? [];
      if (!/^(true|false|null)$/.test(word)) this.numbers.push(word);
      this.#at += word.length;
    }
  }

  #list(end: string, names: Set<string> | null): void {
    this.#at++;
    while (this.#next() !== end) {
      if (names) {
        const name = this.#string();
        if (names.has(name)) this.repeated.push(name);
        names.add(name);
        this.#next();
        this.#at++;
      }
      this.#value();
      if (this.#next() === ",") this.#at++;
    }
    this.#at++;
  }

  #string(): string {
    const from = this.#at++;
    while (this.#text[this.#at] !== '"') this.#at += this.#text[this.#at] === "\\" ? 2 : 1;
    return String(JSON.parse(this.#text.slice(from, ++this.#at)));
  }

  /** Returns the next character after spaces. */
  #next(): string {
    while (/\s/.test(this.#text[this.#at] ?? "")) this.#at++;
    return this.#text[this.#at] ?? "";
  }
}

const plainNumber = (written: string) => (/[.]/.test(written) ? written.replace(/\.?0+$/, "") : written);

/** Writes a value with all that JSON allows: spaces, escapes, repeated names, and numbers of any form. */
function writeWild(dice: Dice, depth: number, isTame: boolean): string {
  const space = () => dice.pick(["", "", " ", "\n\t"]);
  const some = (write: () => string) =>
    Array.from({ length: dice.int(0, 4) }, write).join(`${space()},${space()}`);
  const numbers = ["0", "7", "-1", "1.5", "1.0", "123456789012345", "0.1"];
  const wild = [
    "1e400",
    "1e5",
    "12345678901234567890",
    "0.1000000000000000055",
    "1E2",
    "-0",
    "3.14159265358979323",
  ];
  const name = () => dice.pick(isTame ? ["a", "b"] : ["a", "b", "\\u0061"]);
  const texts = ["", "é😀", '\\n\\"', "\\ud83d\\ude00", "},{", ":", LONG];
  const kind =
    depth > 3 ? dice.pick(["text", "number"]) : dice.pick(["text", "number", "list", "object", "word"]);
  if (kind === "text") return `"${dice.pick(texts)}"`;
  if (kind === "number") return dice.pick(isTame ? numbers : [...numbers, ...wild]);
  if (kind === "word") return dice.pick(["true", "false", "null"]);
  if (kind === "list") return `[${space()}${some(() => writeWild(dice, depth + 1, isTame))}${space()}]`;
  let count = 0;
  const field = () =>
    `"${isTame ? `n${++count}` : name()}"${space()}:${space()}${writeWild(dice, depth + 1, isTame)}`;
  return `{${space()}${some(field)}${space()}}`;
}

test("any body reads as if it were written again, in readers of every kind", async () => {
  const dice = new Dice(31);
  let asItCame = 0;
  for (let count = 0; count < 1500; count++) {
    const isTame = count % 2 === 0;
    const fields = ["messages", "tools", dice.pick(["input", "messages", "mess\\u0061ges"]), "temperature"];
    const list = fields.map((name) => `"${name}" : [ "${LONG}", ${writeWild(dice, 0, isTame)} ]`);
    const text = ` {${list.join(" ,\n")}} `;
    const { sent, isAsItCame } = await resend(text);
    const again = JSON.stringify({ ...JSON.parse(text), model: "m" });
    expect([text, JSON.stringify(JSON.parse(sent))]).toEqual([text, again]);
    const { numbers, repeated } = new PlainReader(sent);
    expect([text, repeated]).toEqual([text, []]);
    const changed = numbers.filter((one) => plainNumber(one) !== String(Number(one)) && one !== "-0");
    expect([text, changed]).toEqual([text, []]);
    if (isAsItCame) asItCame++;
  }
  expect(asItCame).toBeGreaterThan(300);
});

describe("a long value", () => {
  const MESSAGES = `[ {"content": "${LONG}", "role" :"user"} ]`;

  test("is sent with its own spaces and order, and short ones are written again", async () => {
    const { sent } = await resend(`{ "model": "a", "n" : 1, "messages" :${MESSAGES}, "user": "é" }`);
    expect(sent).toBe(`{"model":"m","n":1,"messages":${MESSAGES},"user":"é"}`);
  });

  test.each([
    ["a name given twice", `[{"content":"${LONG}","role":"user","role":"system"}]`],
    [
      "a name given twice in different letters",
      `[{"content":"${LONG}","role":"user","r\\u006fle":"system"}]`,
    ],
    ["a number with an exponent", `[{"content":"${LONG}","n":1e5}]`],
    ["a number of too many digits", `[{"content":"${LONG}","n":0.30000000000000004}]`],
  ])("is written again with %s", async (_, messages) => {
    const { sent, isAsItCame } = await resend(`{"messages":${messages}}`);
    expect(isAsItCame).toBe(false);
    expect(sent).toBe(JSON.stringify({ messages: JSON.parse(messages), model: "m" }));
  });

  test("is written again if any other value isn't plain: a reader may be confused by that one", async () => {
    expect(await resend(`{"messages":${MESSAGES},"seed":1e2}`)).toMatchObject({ isAsItCame: false });
    expect(await resend(`{"messages":[],"messages":${MESSAGES}}`)).toMatchObject({ isAsItCame: false });
  });

  test("is written again once another object stands in its place, or its text is forgotten", async () => {
    const body = await receive(`{"messages":${MESSAGES}}`);
    expect(writeJson(body)).toBeInstanceOf(Uint8Array);
    const copied = { ...body, messages: structuredClone(body.messages) };
    expect(writeJson(copied)).toBe(JSON.stringify(copied));
    forgetSources(body);
    expect(writeJson(body)).toBe(JSON.stringify(body));
  });

  test("is found at any place of a body with marks of any number", async () => {
    for (const others of [0, 1, 250, 511, 512, 600]) {
      const fields = Array.from({ length: others }, (_, at) => `"f${at}":[${at}]`);
      const { sent, isAsItCame } = await resend(`{${[...fields, `"messages":${MESSAGES}`].join()}}`);
      expect([others, isAsItCame]).toEqual([others, others < 512]);
      expect(JSON.parse(sent).messages).toEqual(JSON.parse(MESSAGES));
    }
  });
});

describe("a request to a provider of its own family", () => {
  const words = "Look at the file.";
  const schema = { type: "object", properties: { path: { type: "string", description: LONG } } };
  const tool = { name: "look", description: LONG };
  const call = { name: "look", args: { path: "a" } };
  const contents = [
    { role: "user", parts: [{ text: words }] },
    { role: "model", parts: [{ functionCall: call, thoughtSignature: "c2ln" }] },
    { role: "user", parts: [{ functionResponse: { name: "look", response: { output: LONG } } }] },
  ];
  const input = [
    { type: "message", role: "user", content: [{ type: "input_text", text: words }] },
    { type: "function_call", call_id: "c", name: "look", arguments: '{"path":"a"}' },
    { type: "function_call_output", call_id: "c", output: LONG },
  ];
  const agent = { kilobytes: 64, model: "Local#m", words };
  const rows = [
    ["chat", OPENAI_CHAT, "openai", "/v1/chat/completions", makeAgentChat(agent), "messages"],
    ["Messages", ANTHROPIC_MESSAGES, "anthropic", "/v1/messages", makeAgentMessages(agent), "messages"],
    [
      "Responses",
      OPENAI_RESPONSES,
      "responses",
      "/v1/responses",
      { model: "Local#m", input, tools: [{ type: "function", ...tool, parameters: schema, strict: false }] },
      "input",
    ],
    [
      "Gemini's API",
      GEMINI,
      "gemini",
      "/v1beta/models/Local%23m:generateContent",
      { contents, tools: [{ functionDeclarations: [{ ...tool, parameters: schema }] }] },
      "contents",
    ],
  ] as const;

  test.each(rows)(
    "%s: nothing is changed in place, and what is unchanged is sent as it came",
    async (...row) => {
      const [, surface, name, path, fields, prompt] = row;
      const text = JSON.stringify(fields);
      const body = freeze(await receive(text));
      const { ask, raw } = surface.read(incoming(body, path));
      const { chat } = findDialect(name);
      const card = makeModelCard("Local#m");
      const target = { baseUrl: "https://provider.example/v1", secret: "s", headers: {} };
      const lane = raw && chat?.lanes?.[raw.family];
      const encode = () =>
        raw && lane ? lane.encode(raw, ask, card, target) : chat?.encode(ask, card, target);
      const outgoing = encode()?.body ?? {};
      expect(outgoing[prompt]).toBe(body[prompt]);
      expect(outgoing.tools).toBe(body.tools);
      const written = writeJson(outgoing);
      expect(written).toBeInstanceOf(Uint8Array);
      expect(JSON.parse(Buffer.from(written).toString())).toEqual(JSON.parse(JSON.stringify(outgoing)));
    },
  );
});

function freeze<Value>(value: Value): Value {
  if (typeof value === "object" && value !== null) Object.values(Object.freeze(value)).forEach(freeze);
  return value;
}
