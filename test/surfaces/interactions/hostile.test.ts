// Almost valid interactions: whatever a body holds, it is read or refused as the client's mistake, and so is each step nested
// where none belongs, of any size.
import { expect, test } from "bun:test";
import { Fault } from "../../../src/core/faults/fault.ts";
import { parseBounded, REQUEST_SHAPE } from "../../../src/core/json/bounds.ts";
import { asObject, isObject, type JsonObject } from "../../../src/core/json/json.ts";
import { INTERACTION } from "../../fuzz/body-cases.ts";
import { mutateJson, write } from "../../fuzz/mutate.ts";
import { IS_LONG } from "../../harness/long.ts";
import { Dice } from "../../sim/dice.ts";
import { encodeAsk } from "../crossing/crossing.ts";
import { readInteraction } from "./interactions-read.ts";

const CASES = Number(process.env.CASES ?? (IS_LONG ? 100_000 : 500));
/** A case takes a millisecond, and thirty on a machine that does other things too. */
const TEST_MS = 60_000 + CASES * 30;
const MODELS = [
  "OpenAI#gpt-5.4",
  "Anthropic#claude-sonnet-5",
  "Google#gemini-3.8-flash",
  "OpenAI#gpt-5.3-codex",
];

/** Returns the status of the answer to a body, or an error that is no refusal. */
function tryBody(body: unknown, model: string): unknown {
  try {
    encodeAsk(readInteraction(asObject(body)), model);
    return 200;
  } catch (thrown) {
    return thrown instanceof Fault ? thrown.row.status : thrown;
  }
}

test(
  "a mutated body is read, or refused with 400",
  () => {
    const wrong: unknown[] = [];
    let read = 0;
    for (let seed = 1; seed <= CASES; seed++) {
      const dice = new Dice(seed);
      const text = write(mutateJson(dice, INTERACTION, dice.int(1, 4)));
      // As the routes read it: what is no JSON or nested too deeply is refused there.
      const body = parseBounded(text, REQUEST_SHAPE);
      if (!isObject(body)) continue;
      const status = tryBody(body, dice.pick(MODELS));
      if (status === 200) read++;
      else if (status !== 400) wrong.push({ seed, status });
    }
    expect(wrong).toEqual([]);
    expect(read).toBeGreaterThan(CASES / 10);
  },
  TEST_MS,
);

const nest = (depth: number): JsonObject =>
  depth === 0 ? { type: "text", text: "a" } : { type: "user_input", content: [nest(depth - 1)] };

test.each<readonly [string, JsonObject]>([
  ["steps within contents", nest(60)],
  ["an id of a megabyte", { type: "function_call", id: "i".repeat(1_000_000), name: "look", arguments: {} }],
  ["lone surrogates", { type: "function_result", call_id: "\uD800", result: "\uDC00" }],
  ["a signature that is cut", { type: "thought", signature: Buffer.from("pk1.").toString("base64") }],
  ["a type of a megabyte", { type: "x".repeat(1_000_000) }],
])("%s end in a short answer", (_name, step) => {
  try {
    readInteraction({ input: [step, { type: "user_input", content: "a" }] });
  } catch (thrown) {
    if (!(thrown instanceof Fault)) throw thrown;
    expect(thrown.row.status).toBe(400);
    expect(thrown.message.length).toBeLessThan(1000);
  }
});
