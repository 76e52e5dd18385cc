// Every field of the chat-completions API at once, and which of them each model drops or changes: never an error.
import { expect } from "bun:test";
import type { Body } from "./asking.ts";
import { droppedAt } from "./dropped.ts";
import { type Feature, feature, says, type Turn, user } from "./feature.ts";

const SAMPLING: Body = {
  temperature: 1.7,
  top_p: 0.9,
  presence_penalty: 1.5,
  frequency_penalty: -0.5,
  seed: -7,
  logit_bias: { "50256": -100 },
  logprobs: true,
  top_logprobs: 2,
  stop: ["STOP", "END"],
};
const REST: Body = {
  max_tokens: 500,
  max_completion_tokens: 400,
  n: 1,
  user: "someone",
  safety_identifier: "someone-else",
  metadata: { purpose: "test" },
  store: false,
  service_tier: "auto",
  verbosity: "low",
  modalities: ["text"],
  prediction: { type: "content", content: "yes" },
  prompt_cache_key: "k",
  prompt_cache_retention: "24h",
  prompt_cache_options: { mode: "implicit" },
  moderation: { model: "omni-moderation-latest" },
  response_format: { type: "text" },
  parallel_tool_calls: true,
  tool_choice: "auto",
  tools: [],
  functions: [],
};
/** Known fields of other servers. */
const FOREIGN: Body = {
  top_k: 40,
  min_p: 0.1,
  repetition_penalty: 1.1,
  chat_template_kwargs: {},
  safe_prompt: true,
};
const messages = [user("say: yes")];

function saysWithout(group: "sampling" | "rest"): Turn["expects"] {
  return (answer) => {
    says("yes")(answer);
    expect(answer.dropped).toEqual(droppedAt(String(answer.reply.model), group));
  };
}

export const FIELD_FEATURES: readonly Feature[] = [
  feature("every sampling field at once", { messages, ...SAMPLING }, saysWithout("sampling")),
  feature("every other field at once", { messages, ...REST }, saysWithout("rest")),
  feature(
    "all fields and an effort",
    { messages, ...SAMPLING, ...REST, reasoning_effort: "medium" },
    says("yes"),
  ),
  feature(
    "all fields and no effort",
    { messages, ...SAMPLING, ...REST, reasoning_effort: "none" },
    says("yes"),
  ),
  feature("the fields of other servers", { messages, ...FOREIGN }, says("yes")),
  feature("a field that nobody knows", { messages, poundkey_test_field: { a: 1 } }, (answer) => {
    says("yes")(answer);
    expect(answer.dropped).toEqual(["poundkey_test_field"]);
  }),
  feature(
    "null for every field",
    { messages, ...Object.fromEntries(Object.keys({ ...SAMPLING, ...REST }).map((name) => [name, null])) },
    (answer) => {
      says("yes")(answer);
      expect(answer.dropped).toEqual([]);
    },
  ),
  feature("a search", { messages, web_search_options: { search_context_size: "low" } }, says("yes")),
];
