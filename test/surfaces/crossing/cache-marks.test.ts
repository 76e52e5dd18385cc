// Anthropic's marks of a prompt's parts that are worth caching become OpenAI's, at models that take these.
import { expect, test } from "bun:test";
import { asArray, asObject, type JsonObject } from "../../../src/core/json/json.ts";
import { cross, type SurfaceKey } from "./crossing.ts";

const MARK = { cache_control: { type: "ephemeral", ttl: "1h" } };
const marked = (text: string) => ({ type: "text", text, ...MARK });

/** Only these two surfaces have the mark. The last message has none. */
const BODIES: readonly (readonly [SurfaceKey, JsonObject])[] = [
  [
    "messages",
    {
      system: [marked("Be brief.")],
      messages: [
        { role: "user", content: [marked("hi")] },
        { role: "assistant", content: [marked("Hello.")] },
        { role: "user", content: "and now?" },
      ],
    },
  ],
  [
    "chat",
    {
      messages: [
        { role: "system", content: [marked("Be brief.")] },
        { role: "user", content: [marked("hi")] },
        { role: "assistant", content: [marked("Hello.")] },
        { role: "user", content: "and now?" },
      ],
    },
  ],
];

/** Returns what each message is marked with, or null. */
function listMarks(body: JsonObject): readonly unknown[] {
  return asArray(body.input ?? body.messages).map((message) => {
    const [part] = asArray(asObject(message).content).map(asObject);
    expect(part).not.toHaveProperty("cache_control");
    return part?.prompt_cache_breakpoint ?? null;
  });
}

const BREAKPOINT = { mode: "explicit" };
const ROWS = BODIES.flatMap(([surface, body]) => [
  { surface, body, model: "OpenAI#gpt-5.6-sol", marks: true },
  { surface, body: { ...body, reasoning_effort: "high" }, model: "OpenAI#gpt-5.6-sol", marks: true },
  { surface, body, model: "Azure#gpt-5.6-sol", marks: true },
  { surface, body, model: "OpenAI#gpt-5.4", marks: false },
  { surface, body, model: "OpenAI#gpt-5.3-codex", marks: false },
]);

test.each(ROWS)("$surface to $model, marked: $marks", ({ surface, body, model, marks }) => {
  for (const isStreamed of [false, true]) {
    const expected = marks ? [BREAKPOINT, BREAKPOINT, null, null] : [null, null, null, null];
    expect(listMarks(cross(surface, body, model, isStreamed).body)).toEqual(expected);
  }
});
