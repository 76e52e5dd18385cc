// The stranger itself: what it refuses, one thing after another, and that it answers whatever is left.
import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import type { JsonObject } from "../../../src/core/json/json.ts";
import { WIRES } from "./forms.ts";
import { chooseRules, listRules, matchSentence } from "./rules.ts";
import { SENTENCES } from "./sentences.ts";
import { type Stranger, startStranger } from "./server.ts";

let stranger: Stranger;
beforeAll(async () => {
  stranger = await startStranger();
});
afterAll(() => stranger.stop());

const user = { role: "user", content: "say: good day" };
const tool = { name: "look", description: "looks", parameters: { type: "object", properties: {} } };
const BODY: JsonObject = {
  messages: [
    { role: "system", content: "Be brief." },
    user,
    { role: "system", content: "It is noon." },
    user,
  ],
  tools: [{ type: "function", function: { ...tool, strict: false } }],
  tool_choice: { type: "function", function: { name: "look" } },
  temperature: 0.3,
  top_p: 0.9,
  seed: 7,
  stop: ["end"],
  store: false,
  max_tokens: 400,
  reasoning_effort: "high",
  response_format: { type: "json_object" },
  parallel_tool_calls: true,
};

async function ask(model: string, body: JsonObject): Promise<Response> {
  return await fetch(`${stranger.baseUrl("chat")}/chat/completions`, {
    method: "POST",
    headers: { "content-type": "application/json", authorization: "Bearer sim-key" },
    body: JSON.stringify({ ...body, model }),
  });
}

test("every sentence is said in some API", () => {
  const said = new Set(WIRES.flatMap((wire) => listRules(wire).map(({ sentence }) => sentence)));
  expect(SENTENCES.filter((sentence) => !said.has(sentence))).toEqual([]);
});

describe.each([...WIRES])("%s", (wire) => {
  test("a seed chooses twelve things, or all there are, none of them twice, and always the same", () => {
    const most = Math.min(12, new Set(listRules(wire).map(({ kind }) => kind)).size);
    for (let seed = 0; seed < 50; seed++) {
      const rules = chooseRules(wire, seed);
      expect(new Set(rules.map(({ kind }) => kind)).size).toBe(most);
      expect(chooseRules(wire, seed).map(({ refuses }) => refuses)).toEqual(
        rules.map(({ refuses }) => refuses),
      );
    }
  });
});

test.each([false, true])(
  "it refuses one thing after the other, and answers the rest, streamed: %p",
  async (stream) => {
    const body = { ...BODY, stream };
    for (let seed = 0; seed < 10; seed++) {
      const model = `own-chat-${stream ? seed : seed + 10}`;
      const present = chooseRules("chat", stream ? seed : seed + 10).filter(({ isIn }) => isIn(body));
      for (const rule of present) {
        const refused = await ask(model, body);
        expect(refused.status).toBe(rule.sentence.status);
        const text = await refused.text();
        // A text in JSON has its quotation marks escaped.
        expect(text.replaceAll('\\"', '"').replaceAll("\\n", "\n")).toMatch(matchSentence(rule));
        expect(stranger.calls.at(-1)).toMatchObject({ model, body, refusedBy: { refuses: rule.refuses } });
        stranger.lift(model, rule);
      }
      const answered = await ask(model, body);
      expect({ status: answered.status, text: await answered.text() }).toMatchObject({
        status: 200,
        text: expect.stringContaining("look"),
      });
      expect(stranger.calls.at(-1)).toMatchObject({ model, refusedBy: null });
    }
  },
);
