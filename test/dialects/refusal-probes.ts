// A request for each word of refusals that has the thing, and a look at what a provider gets for that thing.
import { asArray, asObject, type JsonObject } from "../../src/core/json/json.ts";
import type { ChatDialectName } from "../../src/core/models/dialect-names.ts";
import type { CountName, RefusalWord } from "../../src/core/models/refusals.ts";

interface RefusalProbe {
  /** A chat-completions body without `model`. */
  readonly request: JsonObject;
  /** Asked of models of these dialects instead, at their own API, if the thing has no translation. */
  readonly own?: Partial<Record<ChatDialectName, { readonly path: string; readonly body: JsonObject }>>;
  /** True if a provider's request, from which `model` is taken, has the thing. */
  has(body: JsonObject): boolean;
  /** Names by which models of these dialects have the thing at all, if most lack it. */
  readonly names?: Partial<Record<ChatDialectName, string>>;
  /** Dialects without a place for the thing: without the word, the whole request is refused for it. */
  readonly placeless?: readonly ChatDialectName[];
  /** Further words for the model, without which it wouldn't get the thing. */
  readonly words?: readonly string[];
}

const ASKED: JsonObject = { role: "user", content: "say: hi" };
const RULE: JsonObject = { role: "system", content: "Be brief." };
const ANSWER: JsonObject = { role: "assistant", content: "Sure:" };
const CALLS: JsonObject = {
  role: "assistant",
  content: null,
  tool_calls: [{ id: "call12345", type: "function", function: { name: "look_0", arguments: "{}" } }],
};
const RESULT: JsonObject = { role: "tool", tool_call_id: "call12345", content: "rain" };

function makeTools(count: number, parameters: JsonObject = { type: "object", properties: {} }): JsonObject[] {
  return Array.from({ length: count }, (_, at) => ({
    type: "function",
    function: { name: `look_${at}`, description: "Looks.", parameters },
  }));
}

/** The request has a field, and the provider's has its name or value. */
function probe(fields: JsonObject, sent: RegExp, more: Partial<RefusalProbe> = {}): RefusalProbe {
  const has = (body: JsonObject) => sent.test(JSON.stringify(body));
  return { request: { messages: [ASKED], ...fields }, has, ...more };
}

function probeLevel(level: string): RefusalProbe {
  return probe({ reasoning_effort: level }, new RegExp(`effort":"${level}"`));
}

/** `order` is a part of the roles of the messages as they are sent, each as its first letter. */
function probeOrder(messages: readonly JsonObject[], order: RegExp): RefusalProbe {
  return { request: { messages: [...messages] }, has: (body) => order.test(readRoles(body)) };
}

function readRoles({ messages, contents }: JsonObject): string {
  const roles = asArray(messages ?? contents).map((message) => String(asObject(message).role));
  return roles.map((role) => role.charAt(0)).join("");
}

function probeMedium(
  type: "image" | "video",
  kind: string,
  bytes: string,
  behind: readonly JsonObject[] = [],
): RefusalProbe {
  const part = { type: `${type}_url`, [`${type}_url`]: { url: `data:${type}/${kind};base64,${bytes}` } };
  const content = [{ type: "text", text: "say: hi" }, part];
  return {
    request: { messages: [{ role: "user", content }, ...behind] },
    has: (body) => JSON.stringify(body).includes(bytes),
  };
}

const PNG =
  "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==";
const ADDRESSED = { type: "image_url", image_url: { url: "https://pictures.example/roof.png" } };
const UNION = {
  type: "object",
  anyOf: [
    { type: "object", properties: { city: { type: "string" } } },
    { type: "object", properties: { zip: { type: "string" } } },
  ],
};
const THOUGHT = {
  role: "assistant",
  content: "m",
  reasoning_details: [
    { type: "reasoning.text", text: "Hm.", signature: "s", format: "anthropic-claude-v1", index: 0 },
  ],
};
const HIGH = { reasoning_effort: "high" };
const ALLOWED = {
  type: "allowed_tools",
  allowed_tools: { mode: "auto", tools: [{ type: "function", function: { name: "look_0" } }] },
};

/** The type asks for every word of the vocabulary. */
export const REFUSAL_PROBES: Readonly<Record<RefusalWord, RefusalProbe>> = {
  temperature: probe({ temperature: 0.2 }, /"temperature":/),
  top_p: probe({ top_p: 0.5 }, /"top_?p":/i),
  top_k: probe({ top_k: 3 }, /"top_?k":/i, {
    own: { anthropic: { path: "/v1/messages", body: { max_tokens: 99, messages: [ASKED], top_k: 3 } } },
  }),
  reasoning_effort: probe(HIGH, /effort":/),
  "reasoning_effort=none": probeLevel("none"),
  "reasoning_effort=minimal": probeLevel("minimal"),
  "reasoning_effort=low": probeLevel("low"),
  "reasoning_effort=medium": probeLevel("medium"),
  "reasoning_effort=high": probeLevel("high"),
  "reasoning_effort=xhigh": probeLevel("xhigh"),
  "reasoning_effort=max": probeLevel("max"),
  thinking_adaptive: probe(HIGH, /"adaptive"/),
  thinking_budget: probe(HIGH, /budget/i, {
    names: { anthropic: "claude-sonnet-4-5", gemini: "gemini-2.5-flash" },
  }),
  thinking_binding: probe({ messages: [ASKED, THOUGHT, ASKED] }, /"block_binding"/, {
    names: { anthropic: "claude-opus-5-5" },
  }),
  thinking_level: probe(HIGH, /thinkingLevel/),
  prefill: probeOrder([ASKED, ANSWER], /[am]$/),
  system: probeOrder([RULE, ASKED], /s/),
  system_late: probeOrder([ASKED, RULE], /.s/),
  tools_late: probe({ tools: makeTools(2), tool_choice: ALLOWED }, /"tool_removal"/),
  system_several: probeOrder([RULE, RULE, ASKED], /s.*s/),
  same_role_twice: probeOrder([ASKED, ASKED], /uu/),
  user_after_tool: probeOrder([ASKED, CALLS, RESULT, ASKED], /tu/),
  forced_tool: probe({ tools: makeTools(1), tool_choice: "required" }, /"(required|any)"/i, {
    names: { bedrock: "anthropic.claude-sonnet-4-5" },
  }),
  tools_with_effort: probe({ tools: makeTools(1), ...HIGH }, /^(?=.*"tools":).*effort":"high"/, {
    words: ["-reasoning_effort"],
  }),
  schema_union: probe({ tools: makeTools(1, UNION) }, /"anyOf"/),
  picture_png: probeMedium("image", "png", PNG),
  picture_jpeg: probeMedium("image", "jpeg", "/9j/4AAQSkZJRgABAQEASABIAAD/2w=="),
  picture_gif: probeMedium("image", "gif", "R0lGODlhAQABAIAAAAAAAP///yH5BAEAAAAALAAAAAABAAEAAAIBRAA7"),
  picture_webp: probeMedium("image", "webp", "UklGRhoAAABXRUJQVlA4TA0AAAAvAAAAEAcQERGIiP4HAA=="),
  picture_url: probe({ messages: [{ role: "user", content: [ADDRESSED] }] }, /https:\/\/pictures/),
  video: {
    ...probeMedium("video", "mp4", "AAAAIGZ0eXBpc29t", [ANSWER, ASKED]),
    placeless: ["responses", "anthropic", "mistral", "cohere", "perplexity", "bedrock"],
  },
};

/** The same for each thing that is counted, with a number that the request goes beyond. */
export const COUNT_PROBES: Readonly<Record<CountName, RefusalProbe & { readonly most: number }>> = {
  tools: { ...probe({ tools: makeTools(3) }, /look_2/), most: 2 },
  picture_bytes: { ...probeMedium("image", "png", PNG), most: 50 },
  text_characters: { ...probe({}, /say: hi/), most: 6 },
};
