// Tools that come again byte for byte are parsed once, and everything else is as if they had been parsed each time.
import { describe, expect, test } from "bun:test";
import { Fault } from "../../../src/core/faults/fault.ts";
import { isObject, type JsonObject } from "../../../src/core/json/json.ts";
import { forgetSources, writeJson } from "../../../src/core/json/source.ts";
import { freezeDeep } from "../../../src/core/world/frozen.ts";
import { readJson } from "../../../src/http/body/body.ts";
import { BodyMemory } from "../../../src/http/body/body-memory.ts";
import { BodyTurns } from "../../../src/http/body/body-turns.ts";
import { CHAT } from "../../../src/operations/chat/operation.ts";
import { DeadlineSweep } from "../../../src/transport/deadlines.ts";
import { ManualClock } from "../../harness/manual-clock.ts";
import { Dice } from "../../sim/dice.ts";
import { PLACES, type SurfaceWord } from "../../surfaces/growth/places.ts";
import { encodeRequest, MODELS, readBody } from "../../surfaces/growth/work.ts";

const clock = new ManualClock();
const deadlines = new DeadlineSweep(clock);
const ports = { bodies: new BodyMemory(64_000_000, deadlines), turns: new BodyTurns(clock), deadlines };
const LONG = "x".repeat(1500);

/** Returns the body, or the words with which it is refused. */
async function receive(bytes: Uint8Array): Promise<unknown> {
  const body = bytes.slice();
  const headers = { "content-type": "application/json", "content-length": String(body.length) };
  const request = new Request("http://gateway.example/", { method: "POST", headers, body });
  try {
    return await readJson(request, ports, { owner: "a", bytesMax: 1_000_000 });
  } catch (thrown) {
    if (thrown instanceof Fault) return thrown.message;
    throw thrown;
  }
}

async function receiveObject(text: string): Promise<JsonObject> {
  const body = await receive(Buffer.from(text));
  if (!isObject(body)) throw new Error(`Refused: ${body}`);
  return body;
}

function writeTools(name: string): string {
  const tools = [1, 2, 3].map((at) => ({
    type: "function",
    function: { name: `${name}${at}`, description: `${LONG} é`, parameters: { n: at } },
  }));
  return JSON.stringify(tools, null, 1);
}

/** Receives the tools twice, after which they are remembered. */
async function remember(tools: string): Promise<void> {
  for (let time = 0; time < 2; time++) await receiveObject(`{"tools":${tools}}`);
}

describe("tools that come again", () => {
  test("are the same frozen object from the third time on, and are sent as they came", async () => {
    const tools = writeTools("a");
    const text = (word: string) =>
      `{"messages":[{"role":"user","content":"${word}"}],"tools":${tools},"n":1}`;
    const first = await receiveObject(text("one"));
    const second = await receiveObject(text("two"));
    const third = await receiveObject(text("three"));
    expect(first.tools).not.toBe(second.tools);
    expect(third.tools).toBe(second.tools);
    expect(third).toEqual(JSON.parse(text("three")));
    expect(Object.keys(third)).toEqual(["messages", "tools", "n"]);
    expect(() => Object.assign(Object(third.tools)[0].function.parameters, { n: 9 })).toThrow(TypeError);
    expect(Buffer.from(writeJson(third)).toString()).toBe(text("three"));
    // Another request still needs them once one has let go of its own.
    forgetSources(second);
    expect(Buffer.from(writeJson(third)).toString()).toBe(text("three"));
  });

  test("are forgotten for others when there are too many", async () => {
    const tools = writeTools("b");
    await remember(tools);
    const before = (await receiveObject(`{"tools":${tools}}`)).tools;
    const large = "y".repeat(100_000);
    for (let count = 0; count < 25; count++) await remember(JSON.stringify([{ at: count, text: large }]));
    const after = await receiveObject(`{"tools":${tools}}`);
    expect(after.tools).not.toBe(before);
    expect(after.tools).toEqual(before);
  });
});

/** `toolz` is never remembered. The names are of one length, so that places in messages agree. */
function rename(value: unknown): string {
  return JSON.stringify(value).replaceAll("toolz", "tools");
}

test("any body around them is read, written and refused as if they were parsed each time", async () => {
  const dice = new Dice(5);
  const tools = writeTools("c");
  await remember(tools);
  const known = (await receiveObject(`{"tools":${tools}}`)).tools;
  const other = writeTools("d");
  const deep = "[".repeat(64) + "]".repeat(64);
  const fields = [
    `"messages":[{"content":"${LONG} é"}]`,
    '"messages" : [ {"content":"\\n\\ud83d\\ude00"} ]',
    '"n":1',
    '"n":1e5',
    '"n":-0',
    '"n":01',
    '"n":"\\ud800"',
    '"n":',
    "n:1",
    '"n":[1,2',
    '"n":"unclosed',
    '"n" "m"',
    '"__proto__":{"a":1}',
    "",
    "[1]",
    `"m":${deep}`,
    '"k":{"tools":0}',
    '"tools":0',
    `"tools":${other}`,
    `"t\\u006fols":${other}`,
    `"tools" :${tools}`,
    `"tools":  ${tools} `,
    `"m":[${"1,".repeat(100_000)}1]`,
  ];
  const broken = [[], [0xff], [0xc3], [0xed, 0xa0, 0x80]];
  let shared = 0;
  for (let count = 0; count < 1000; count++) {
    const around = [...new Set(Array.from({ length: dice.int(0, 3) }, () => dice.pick(fields)))];
    around.splice(dice.int(0, around.length), 0, `"tools":${tools}`);
    const start = dice.int(0, 9) > 0 ? "{" : dice.pick(["", "[", " {", "{{", '"{']);
    const end = dice.int(0, 9) > 0 ? "}" : dice.pick(["", "]", "} ", "}}", "}x", ",}"]);
    const bad = dice.int(0, 9) > 0 ? [] : dice.pick(broken);
    const write = (text: string) => Buffer.concat([Buffer.from(text), Buffer.from(bad), Buffer.from(end)]);
    const text = start + around.join(",");
    const plain = text.replaceAll('"tools"', '"toolz"').replaceAll('"t\\u006fols"', '"t\\u006folz"');
    const found = await receive(write(text));
    const wanted = await receive(write(plain));
    expect([plain.slice(0, 100), JSON.stringify(found)]).toEqual([plain.slice(0, 100), rename(wanted)]);
    if (!isObject(found) || !isObject(wanted)) continue;
    if (found.tools === known) shared++;
    const sent = Buffer.from(writeJson(found));
    const again = Buffer.from(writeJson(wanted));
    expect(JSON.stringify(JSON.parse(sent.toString()))).toBe(rename(JSON.parse(again.toString())));
  }
  expect(shared).toBeGreaterThan(150);
});

const WORDS: readonly SurfaceWord[] = ["chat", "messages", "responses", "gemini"];
test.each(WORDS)("%s: no reader and no encoder changes them, nor what is known of them", (word) => {
  for (const [name, place] of Object.entries(PLACES[word])) {
    const plain = readBody(word, structuredClone(place(3)));
    const shared = readBody(word, freezeDeep(structuredClone(place(3))));
    expect([name, CHAT.estimatePrompt(shared.ask)]).toEqual([name, CHAT.estimatePrompt(plain.ask)]);
    const sent = MODELS.map((id) => encodeRequest(id, shared));
    expect([name, sent]).toEqual([name, MODELS.map((id) => encodeRequest(id, plain))]);
  }
});
