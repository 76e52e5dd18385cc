// Contents of several texts at every dialect: a tool's results and a system prompt keep their blocks apart.
import { expect, test } from "bun:test";
import { asArray, asObject } from "../../../src/core/json/json.ts";
import type { ChatMessage, ContentPart } from "../../../src/operations/chat/form.ts";
import { readId } from "../../providers/target.ts";
import { encoded } from "./drive.ts";

const texts = (...list: readonly string[]): readonly ContentPart[] =>
  list.map((text) => ({ type: "text", text }));
const picture: ContentPart = { type: "image_url", image_url: { url: "data:image/png;base64,aGk=" } };

function send(id: string, messages: readonly ChatMessage[]): string {
  const { dialect, card } = readId(id);
  return JSON.stringify(encoded(dialect, { messages }, card).body);
}

const RESULT: readonly ContentPart[] = texts("balance: 12", "34 open orders");
function answer(content: ChatMessage["content"], more: object = {}): readonly ChatMessage[] {
  const call = { id: "abcDEF123", type: "function", function: { name: "look", arguments: "{}" } } as const;
  return [
    { role: "user", content: "Hi" },
    { role: "assistant", content: null, tool_calls: [call] },
    { role: "tool", tool_call_id: call.id, content: content ?? "", ...more },
  ];
}

const ONE_TEXT = ["Google#gemini-3.5-flash", "Mistral#mistral-medium-latest", "Cohere#command-a-03-2025"];

test.each([...ONE_TEXT, "Perplexity#sonar"])("a tool's texts are lines of its result at %s", (id) => {
  expect(send(id, answer(RESULT))).toContain('"balance: 12\\n34 open orders"');
  expect(send(id, answer(texts("", "only", "")))).toContain('"only"');
});

test.each(["OpenAI#gpt-5.4", "Local#any", "DeepSeek#deepseek-v4-flash"])(
  "a picture or a failure beside them joins no lines at %s",
  (id) => {
    const [first = picture, second = picture] = RESULT;
    expect(send(id, answer([first, picture, second]))).toContain('"balance: 12\\n34 open orders"');
    expect(send(id, answer(RESULT, { is_error: true }))).toContain('"Error: balance: 12\\n34 open orders"');
  },
);

test.each(ONE_TEXT)("a system prompt's blocks are paragraphs at %s, wherever it stands", (id) => {
  const system = { role: "system", content: texts("Rule one is 1.", "2 is rule two.") } as const;
  const user = { role: "user", content: "Hi" } as const;
  expect(send(id, [system, user])).toContain('"Rule one is 1.\\n\\n2 is rule two."');
  expect(send(id, [user, { role: "assistant", content: "Well" }, system])).toContain(
    "Rule one is 1.\\n\\n2 is rule two.",
  );
});

test("a user's and an assistant's texts stay as they are", () => {
  const said = (role: "user" | "assistant") => ({ role, content: texts("a", "b") }) as const;
  const { dialect, card } = readId("Mistral#mistral-medium-latest");
  const { messages } = encoded(
    dialect,
    { messages: [said("user"), said("assistant"), said("user")] },
    card,
  ).body;
  expect(asArray(messages).map((one) => asObject(one).content)).toEqual([
    [...texts("a", "b")],
    "ab",
    [...texts("a", "b")],
  ]);
});
