// The sentences in which servers refuse a field or a form, where they don't count, and what is never left out.
import { describe, expect, test } from "bun:test";
import { upstreamFault } from "../../src/core/models/upstream.ts";
import { isFieldWord, makeFieldWord, readPath } from "../../src/core/models/words/body-refusals.ts";
import { EFFORTS } from "../../src/core/models/words/efforts.ts";
import { FIELD_SENTENCES, readFieldRefusals } from "../../src/core/models/words/field-refusal.ts";
import { FORM_SENTENCES } from "../../src/core/models/words/form-refusal.ts";
import { LEVEL_SENTENCES } from "../../src/core/models/words/level-refusal.ts";
import { HOLDERS } from "../../src/surfaces/asked/constraints.ts";

const EXAMPLES: readonly { readonly example: string; readonly word: string; readonly status?: number }[] = [
  ...FIELD_SENTENCES.map(({ example, field }) => ({
    example,
    word: field === "max_tokens" ? field : `field:${field}`,
  })),
  ...FORM_SENTENCES.map(({ example, refuses, status }) => ({ example, word: refuses, status })),
];

describe.each(EXAMPLES)("$example", ({ example, word, status = 400 }) => {
  test("is read, behind a proxy's words too", () => {
    const proxied = `litellm.BadRequestError: OpenAIException - ${example}`;
    for (const said of [example, proxied]) expect(readFieldRefusals(status, said).join()).toBe(word);
  });

  test("teaches nothing as a quoted prompt, or as another status", () => {
    const quoted = [
      `Invalid prompt: "${example}"`,
      `The prompt was blocked: ${example}`,
      `Invalid prompt: Hello.\n${example}`,
      `Invalid prompt: Hello; ${example}`,
    ];
    for (const said of quoted) expect(readFieldRefusals(status, said)).toEqual([]);
    expect(readFieldRefusals(status === 500 ? 503 : 500, example)).toEqual([]);
  });
});

describe.each([...LEVEL_SENTENCES])("$example", ({ example, takes }) => {
  const refused = EFFORTS.filter((level) => !takes.includes(level)).map(
    (level) => `reasoning_effort=${level}` as const,
  );

  test("refuses the levels that it doesn't list", () => {
    expect(readFieldRefusals(400, example, "reasoning.effort")).toEqual(refused);
  });

  test("teaches nothing as a quoted prompt, or as another status", () => {
    expect(readFieldRefusals(400, `Invalid prompt: "${example}"`, "reasoning.effort")).toEqual([]);
    expect(readFieldRefusals(500, example, "reasoning.effort")).toEqual([]);
  });
});

test("a list of levels is about an effort alone", () => {
  const says = (levels: string) =>
    `Unsupported value: 'low' is not supported with the 'gpt-5.1' model. Supported values are: ${levels}.`;
  expect(readFieldRefusals(400, says("'medium'"), "text.verbosity")).toEqual([]);
  expect(readFieldRefusals(400, says("'medium'"))).toEqual([]);
  expect(readFieldRefusals(400, says("'brief'"), "reasoning.effort")).toEqual([]);
});

test("a status of the server's own counts where its sentence says so", () => {
  const message = "Failed to parse tool call arguments as JSON: parse error at line 1, column 2";
  const fault = upstreamFault({ status: 500, message });
  expect([fault.code, fault.details.refuses]).toEqual(["upstream_rejected", ["call_arguments"]]);
  const quoted = upstreamFault({ status: 500, message: `Crashed: ${message}` });
  expect([quoted.code, quoted.details.refuses]).toEqual(["upstream_error", undefined]);
});

test("several fields are read from one message", () => {
  const said = "tools.0.custom.strict: Extra inputs are not permitted; seed: Extra inputs are not permitted";
  expect(readFieldRefusals(422, said)).toEqual(["field:tools[].custom.strict", "field:seed"]);
});

test("betas are read by their names, and the gateway's own by the forms that they let pass", () => {
  const says = (...names: readonly string[]) =>
    `Unexpected value(s) ${names.map((name) => `\`${name}\``).join(", ")} for the \`anthropic-beta\` header. Please try again.`;
  const [scope, effort] = ["prompt-caching-scope-2026-01-05", "effort-2025-11-24"];
  expect(readFieldRefusals(400, says(scope, effort))).toEqual([`beta:${scope}`, `beta:${effort}`]);
  expect(readFieldRefusals(400, says(effort, "inline-tools-2026-01-01"))).toEqual([
    "tools_late",
    `beta:${effort}`,
  ]);
  for (const said of [says("no name"), `Invalid prompt: ${says(effort)}`, says("context")])
    expect(readFieldRefusals(400, said)).toEqual([]);
  expect(readFieldRefusals(500, says(effort))).toEqual([]);
});

const ASKED =
  "model messages input contents system instructions tools tool_choice response_format stop stream n";
const BOUNDS = "max_tokens max_output_tokens maxOutputTokens max_completion_tokens thinking.budget_tokens";
const SEEN =
  "store service_tier inference_geo provider.zdr prompt_cache_retention safetySettings guardrailConfig";
const HELD = "generationConfig.responseSchema output_config.format text.format metadata.guardrails";
const SAID = "messages.0.content tools.0.function.parameters tools.0.function.description input.0.call_id";

test.each([ASKED, BOUNDS, SEEN, HELD, SAID].flatMap((names) => names.split(" ")))(
  "%s is never left out",
  (path) => {
    expect(makeFieldWord(path)).toBeNull();
  },
);

test("no constraint is ever left out", () => {
  for (const holder of HOLDERS) if (holder !== "metadata") expect(makeFieldWord(holder)).toBeNull();
});

test.each([
  "seed",
  "parallel_tool_calls",
  "context_management",
  "generationConfig.topK",
  "messages.0.cache_control.scope",
])("%s may be left out", (path) => {
  const word = makeFieldWord(path);
  expect(word === null ? null : readPath(word).filter((name) => name !== "[]")).toEqual(
    path.split(".").filter((name) => name !== "0"),
  );
});

test("a word is bounded, and of names alone", () => {
  expect(isFieldWord(`field:${"a".repeat(100)}`)).toBe(true);
  for (const path of ["a".repeat(101), "__proto__", "a b", "a..b", "", "a.b'c"])
    expect(isFieldWord(`field:${path}`)).toBe(false);
});
