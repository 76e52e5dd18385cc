// Requests of the Messages API, made of every kind of field that chat lacks, to an operator's own server that refuses whatever
// OpenAI's chat-completions API doesn't have.
import { afterAll, beforeAll, expect, test } from "bun:test";
import { asObject, type JsonObject, parseJson } from "../../../src/core/json/json.ts";
import type { Fetch } from "../../../src/core/world/world.ts";
import { startUnderTest, type UnderTest } from "../../harness/harness.ts";
import { Dice } from "../../sim/dice.ts";
import { askSurface } from "../world/surface-asking.ts";
import { refuseUnknown } from "./strict-form.ts";

const REQUESTS = 40;
const refusing: Fetch = async (url, init) => {
  const request = new Request(url, init);
  return refuseUnknown(asObject(parseJson(await request.clone().text()))) ?? fetch(request);
};

const MARK = { cache_control: { type: "ephemeral", ttl: "1h" } };
const PICTURE = {
  type: "image",
  source: { type: "base64", media_type: "image/png", data: "iVBORw0KGgo=" },
};
const REPORT = {
  type: "document",
  source: { type: "base64", media_type: "application/pdf", data: "JVBERi0=" },
  title: "Report",
  context: "Of the year.",
};

/** Fields beside the conversation that chat lacks or says in another way. A request has some of them. */
const SETTINGS: readonly JsonObject[] = [
  MARK,
  { thinking: { type: "adaptive", display: "omitted" } },
  { thinking: { type: "enabled", budget_tokens: 1024 } },
  { thinking: { type: "disabled" } },
  { output_config: { effort: "high" } },
  { context_management: { edits: [{ type: "clear_tool_uses_20250919" }] } },
  { top_k: 5 },
  { metadata: { user_id: "u", team: "t" } },
  { inference_geo: "global" },
  { speed: "standard" },
  { from_next_year: true },
];

/** Returns a conversation with a call of a tool, whose blocks have marks and fields of Anthropic's or not. */
function makeConversation(dice: Dice): JsonObject {
  const mark = () => (dice.chance(0.5) ? MARK : {});
  const some = (block: JsonObject) => (dice.chance(0.5) ? [{ ...block, ...mark() }] : []);
  const result = dice.pick(["done", [{ type: "text", text: "done", ...mark() }, ...some(PICTURE)]]);
  const tool = { name: "look", description: "Looks.", input_schema: { type: "object", properties: {} } };
  const extras = [
    { strict: true },
    { eager_input_streaming: true },
    { input_examples: [{}] },
    { type: "custom" },
  ];
  return {
    system: dice.pick(["Be brief.", [{ type: "text", text: "Be brief.", ...mark() }]]),
    tools: [
      ...(dice.chance(0.3) ? [{ type: "web_search_20250305", name: "web_search" }] : []),
      Object.assign({ ...tool, ...mark() }, ...extras.filter(() => dice.chance(0.4))),
    ],
    messages: [
      {
        role: "user",
        content: [{ type: "text", text: "Look.", ...mark() }, ...some(PICTURE), ...some(REPORT)],
      },
      {
        role: "assistant",
        content: [
          ...(dice.chance(0.5) ? [{ type: "thinking", thinking: "I look.", signature: "c2lnbmVk" }] : []),
          ...(dice.chance(0.3) ? [{ type: "redacted_thinking", data: "c2VhbGVk" }] : []),
          ...some({ type: "text", text: "I look." }),
          { type: "tool_use", id: "toolu_1", name: "look", input: {}, ...mark() },
        ],
      },
      {
        role: "user",
        content: [
          {
            type: "tool_result",
            tool_use_id: "toolu_1",
            is_error: dice.chance(0.3),
            content: result,
            ...mark(),
          },
          { type: "text", text: "say: hi", ...mark() },
        ],
      },
    ],
  };
}

let gateway: UnderTest;
beforeAll(async () => {
  gateway = await startUnderTest({ fetch: refusing });
});
afterAll(() => gateway.stop());

test.each([
  "Local#gpt-4.1",
  "Local#gpt-4o-mini",
  "Local#openai/gpt-4.1",
  "Local#chatgpt-4o-latest",
  "Local#gpt-5.5-own",
])("%s gets no field that its API lacks, whatever a request of Messages has", async (model) => {
  const dice = new Dice(4);
  for (let at = 0; at < REQUESTS; at++) {
    const settings: JsonObject = Object.assign({}, ...SETTINGS.filter(() => dice.chance(0.4)));
    const body = { ...makeConversation(dice), ...settings };
    for (const stream of [false, true]) {
      const { status, text } = await askSurface(gateway, { surface: "messages", model, body, stream });
      expect({ status, text, body }).toMatchObject({ status: 200 });
    }
  }
});
