// Bodies that go on from earlier ones: whatever a client changes, all is read, refused, counted and sent as if each had
// come alone.
import { expect, test } from "bun:test";
import { Fault } from "../../../src/core/faults/fault.ts";
import { asArray, asObject, type JsonObject } from "../../../src/core/json/json.ts";
import { writeJson } from "../../../src/core/json/source.ts";
import { CHAT } from "../../../src/operations/chat/operation.ts";
import { findDialect } from "../../../src/providers/index.ts";
import { makeModelCard } from "../../harness/cards.ts";
import { Dice } from "../../sim/dice.ts";
import { incoming } from "../../surfaces/recorded.ts";
import { LANES, type Lane, LIMITS, MODEL, makeMemory, makePorts, type Ports, receive } from "./lanes.ts";

const TARGET = { baseUrl: "https://provider.example/v1", secret: "s", headers: {} };
const CARD = {
  ...makeModelCard(MODEL),
  capabilities: new Set(["tools", "tools_auto", "vision", "files", "audio", "structured"] as const),
};

/** Returns all that comes of a body: what is read of it, what is counted, and the bytes that are sent. */
async function follow(ports: Ports, { surface, path, list, dialects }: Lane, bytes: Uint8Array) {
  try {
    const body = await receive(ports, bytes);
    const exchange = surface.read({ ...incoming(asObject(body), path), limits: LIMITS });
    const { ask, raw, dropped, lost, unreadBytes, searches, nativeOnly, names } = exchange;
    const read = { ask, raw: raw?.body ?? null, dropped, lost, unreadBytes, searches, nativeOnly, names };
    const counted = [CHAT.estimatePrompt(ask), CHAT.offer(ask, CARD, { ...exchange, answersPerCall: 1 })];
    const sent = dialects.map((name) => {
      const { chat } = findDialect(name);
      const lane = raw && chat?.lanes?.[raw.family];
      if (raw && lane) return writeJson(lane.encode(raw, ask, CARD, TARGET).body);
      return chat ? writeJson(CHAT.encode(chat, ask, CARD, TARGET).body) : "";
    });
    const outcome = JSON.stringify({ read, counted, sent: sent.map((one) => Buffer.from(one).toString()) });
    const [first] = asArray(asObject(body)[list]);
    // As the gateway does once the answer has begun.
    CHAT.forgetPrompt?.(ask, raw);
    return { first, outcome };
  } catch (thrown) {
    if (thrown instanceof Fault) return { first: null, outcome: `${thrown.code}: ${thrown.message}` };
    throw thrown;
  }
}

type Edit = (dice: Dice, text: string, lane: Lane) => string;

/** Changes the parsed body, and writes it again as the client would. */
function change(given: string, by: (body: JsonObject) => void): string {
  const body: JsonObject = asObject(JSON.parse(given));
  by(body);
  return JSON.stringify(body);
}

function changeList(given: string, { list }: Lane, by: (elements: unknown[]) => unknown[]): string {
  return change(given, (body) => {
    body[list] = by([...asArray(body[list])]);
  });
}

/** Puts a text somewhere after a place, mostly near the end of the list, where the new elements are. */
function insert(dice: Dice, given: string, added: string, removed = 0): string {
  const at = dice.chance(0.5) ? dice.int(0, given.length) : given.length - dice.int(0, given.length >> 1);
  return given.slice(0, at) + added + given.slice(at + removed);
}

function replaceOne(dice: Dice, given: string, sought: string, by: string): string {
  const places = [...given.matchAll(new RegExp(RegExp.escape(sought), "g"))].map(({ index }) => index);
  const at = dice.chance(0.6) ? places.at(-1) : dice.pick(places.length > 0 ? places : [0]);
  return at === undefined ? given : given.slice(0, at) + by + given.slice(at + sought.length);
}

const GO_ON: Edit = (dice, given, lane) =>
  changeList(given, lane, (elements) => [...elements, ...lane.turn(dice.int(0, 99))]);
const CHANGE_LAST: Edit = (dice, given, lane) =>
  changeList(given, lane, (elements) => [
    ...elements.slice(0, -dice.int(1, 3)),
    ...lane.turn(dice.int(0, 99)),
  ]);

const EDITS: readonly Edit[] = [
  ...Array.from({ length: 8 }, () => GO_ON),
  ...Array.from({ length: 4 }, () => CHANGE_LAST),
  (_, given) => given,
  // Marks of the cache that move on, and a turn with one of every kind of block.
  (dice, given, lane) =>
    changeList(given, lane, (elements) =>
      elements.map((one, at) =>
        at > elements.length - dice.int(1, 4)
          ? { ...asObject(one), cache_control: { type: "ephemeral" } }
          : one,
      ),
    ),
  (dice, given, lane) =>
    changeList(given, lane, (elements) => elements.slice(0, dice.int(0, elements.length))),
  (dice, given, lane) =>
    changeList(given, lane, (elements) => elements.toSpliced(dice.int(0, elements.length - 1), 1)),
  // Two elements in each other's place.
  (dice, given, lane) =>
    changeList(given, lane, (elements) => {
      const at = dice.int(1, elements.length - 1);
      if (elements.length < 2) return elements;
      return elements.with(at, elements[at - 1]).with(at - 1, elements[at]);
    }),
  // Names given twice, in an element, around it, and the list itself.
  (dice, given) => replaceOne(dice, given, '"role":"user"', '"role":"user","role":"assistant"'),
  (dice, given) => replaceOne(dice, given, '"role":"user"', '"r\\u006fle":"assistant","role":"user"'),
  (_, given, { list }) => given.replace(/}$/, `,"${list}":[]}`),
  (_, given) => given.replace(/}$/, ',"temperature":1,"temperature":0}'),
  (_, given) => given.replace(/}$/, ',"__proto__":{"n":2}}'),
  // Escapes, and halves of pairs.
  (dice, given) => replaceOne(dice, given, "text", "t\\u0065xt"),
  (dice, given) => replaceOne(dice, given, "words", "\\ud83d\\ude00"),
  (dice, given) => replaceOne(dice, given, "words", "\\ud83d words"),
  (dice, given) => replaceOne(dice, given, "words", "\\ude00"),
  (dice, given) => replaceOne(dice, given, "words", "é😀\\n\\\\"),
  // As many bytes.
  (dice, given) => replaceOne(dice, given, "words", "wOrds"),
  (dice, given) => replaceOne(dice, given, "long", 'l":"'),
  // Ends that move: a list that ends earlier, and elements that do.
  (dice, given) => replaceOne(dice, given, "},{", '}],"tools":[{'),
  (dice, given) => replaceOne(dice, given, "},{", "}, {"),
  (dice, given) => replaceOne(dice, given, "},{", "},1,{"),
  (dice, given) => replaceOne(dice, given, "},{", '},"},{",{'),
  (dice, given) => replaceOne(dice, given, "},{", ","),
  (dice, given) => replaceOne(dice, given, "}]", "}"),
  (dice, given) => replaceOne(dice, given, "}]", "},]"),
  // Around the list.
  (dice, given) => change(given, (body) => Object.assign(body, { temperature: dice.int(0, 3) })),
  (dice, given) => replaceOne(dice, given, "description", dice.pick(["desc", "d\\u0065scription"])),
  (dice, given) => replaceOne(dice, given, "engineering", "Engineering"),
  // Numbers that no double holds, and those that another reader may read otherwise.
  (dice, given) =>
    replaceOne(dice, given, '"at":', `"at":${dice.pick(["1e5", "12345678901234567890", "-0", "01"])},"n":`),
  // Anything at all.
  (dice, given) => given.slice(0, dice.int(0, given.length)),
  (dice, given) => insert(dice, given, dice.pick(["}", "{", "]", ",", '"', "\\", " ", "\n", "0", "null"])),
  (dice, given) => insert(dice, given, "", dice.int(1, 3)),
  (dice, given) => insert(dice, given, '{"role":"user","content":"x"},'),
];

test.each(Object.entries(LANES))("%s: all is as if each body had come alone", async (_, lane) => {
  const dice = new Dice(57);
  const [memory, plain] = [makeMemory(), makePorts()];
  let shared = 0;
  let before: unknown = null;
  const first = JSON.stringify(lane.body);
  for (let at = 0, given = first; at < 160; at++) {
    const edited = dice.pick(EDITS)(dice, given, lane);
    const bytes = Buffer.from(edited);
    if (dice.chance(0.02)) bytes[dice.int(0, bytes.length - 1)] = 0xff;
    const found = await follow(memory, lane, bytes);
    const wanted = await follow(plain, lane, bytes);
    if (found.outcome !== wanted.outcome) expect([at, found.outcome]).toEqual([at, wanted.outcome]);
    if (found.first !== null && found.first === before) shared++;
    before = found.first ?? before;
    given = wanted.outcome.startsWith("{") && edited.length < 100_000 ? edited : first;
  }
  expect(shared).toBeGreaterThan(20);
});
