// The vendors' SDKs against the lists of known names: whatever an SDK can send has a row, or a test names it.
import { expect, test } from "bun:test";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import type { NodeKind } from "../../src/operations/text-grammar.ts";
import * as messages from "../../src/surfaces/anthropic-messages/known.ts";
import * as gemini from "../../src/surfaces/gemini/known.ts";
import * as interactions from "../../src/surfaces/interactions/known.ts";
import type { KnownNames } from "../../src/surfaces/known.ts";
import * as responses from "../../src/surfaces/openai-responses/known.ts";
import { Declarations, MODULES } from "./declarations.ts";

const anthropic = new Declarations("@anthropic-ai/sdk/resources/beta/messages/messages.d.ts");
const stable = new Declarations("@anthropic-ai/sdk/resources/messages/messages.d.ts");
const betas = new Declarations("@anthropic-ai/sdk/resources/beta/beta.d.ts");
const openai = new Declarations("openai/resources/responses/responses.d.ts");
const google = new Declarations("@google/genai/dist/genai.d.ts");

type Has = (name: string) => boolean;

/** True for a name with a row, or with a form in any of the kinds. */
function knows(rows: readonly KnownNames[], ...kinds: readonly NodeKind<string>[]): Has {
  return (name) => rows.some((one) => one.find(name)) || kinds.some(({ types }) => types?.has(name));
}

const { turn, block, source, changedTool } = messages.GRAMMAR.kinds;
const { item, part } = responses.GRAMMAR.kinds;
const { step } = interactions.GRAMMAR.kinds;
const messagesTool = knows([messages.TOOLS]);
const messagesBlock = knows([messages.REMOTE_BLOCKS], turn, block);

/** Deltas that are pieces of a step rather than a whole one. Answers here are texts, so those of other media never come. */
const DELTAS: ReadonlySet<string> = new Set([
  ...["arguments_delta", "text", "text_annotation_delta", "thought_signature", "thought_summary"],
  ...["audio", "document", "image", "video"],
]);

/** The statuses of interactions. The last three belong to work that Google queues, limits and continues. */
const STATUSES: ReadonlySet<string> = new Set([
  ...["in_progress", "requires_action", "completed", "failed", "cancelled", "incomplete"],
  ...["queued", "budget_exceeded", "requires_continuation"],
]);

/** Each union of an SDK, the least number of names that it has today, and whether a name is known. */
const UNIONS: readonly (readonly [string, readonly string[], number, Has])[] = [
  ["Anthropic's betas", betas.listLiterals("AnthropicBeta"), 55, knows([messages.BETAS])],
  ["Anthropic's blocks", anthropic.listTypes("BetaContentBlockParam"), 24, messagesBlock],
  ["Anthropic's stable blocks", stable.listTypes("ContentBlockParam"), 16, messagesBlock],
  ["blocks of results", anthropic.listFieldTypes("BetaToolResultBlockParam", "content"), 6, messagesBlock],
  ["Anthropic's tools", anthropic.listTypes("BetaToolUnion"), 27, messagesTool],
  ["Anthropic's stable tools", stable.listTypes("ToolUnion"), 20, messagesTool],
  ["OpenAI's items", openai.listTypes("ResponseInputItem"), 30, knows([responses.ITEMS], item)],
  ["OpenAI's parts", openai.listTypes("ResponseInputContent"), 3, knows([], part)],
  ["OpenAI's parts of results", openai.listTypes("ResponseFunctionCallOutputItem"), 3, knows([], part)],
  ["OpenAI's tools", openai.listTypes("Tool"), 18, knows([responses.TOOLS])],
  ["Gemini's parts", google.listFields("Part"), 17, (name) => gemini.PART.has(name)],
  ["Gemini's tools", google.listFields("Tool"), 12, knows([gemini.TOOLS])],
  ["steps of interactions", google.listTypes("Step"), 21, knows([], step)],
  ["contents of interactions", google.listTypes("Content_2"), 5, (name) => interactions.CONTENTS.has(name)],
  [
    "tools of interactions",
    google.listTypes("Tool_2"),
    9,
    (name) => interactions.findTool(name) !== undefined,
  ],
  [
    "deltas of interactions",
    google.listTypes("StepDeltaData"),
    26,
    (name) => DELTAS.has(name) || step.types?.has(name) === true,
  ],
  ["statuses of interactions", google.listLiterals("InteractionStatus_2"), 9, (name) => STATUSES.has(name)],
];

test.each(UNIONS)("%s all have a row", (_name, names, least, has) => {
  expect(names.filter((name) => !has(name))).toEqual([]);
  expect(names.length).toBeGreaterThanOrEqual(least);
});

test.each([
  ["BetaRequestDocumentBlock", source],
  ["BetaRequestToolAdditionBlock", changedTool],
] as const)("what %s holds has a form", (name, kind) => {
  const types = anthropic.listFieldTypes(name, name.includes("Tool") ? "tool" : "source");
  expect(types.length).toBeGreaterThan(3);
  expect(types.filter((type) => !kind.types?.has(type) && !messages.REMOTE_BLOCKS.find(type))).toEqual([]);
});

test("the AI SDK's betas all have a row", () => {
  const bundle = readFileSync(join(MODULES, "@ai-sdk/anthropic/dist/index.js"), "utf8");
  const names = [...bundle.matchAll(/betas\.add\("([a-z-]+-\d{4}-\d\d-\d\d)"\)/g)].flatMap(
    ([, name]) => name ?? [],
  );
  expect(names.filter((name) => !messages.BETAS.find(name))).toEqual([]);
  expect(names.length).toBeGreaterThan(15);
});

test("each row has a reason, and no name has two rows", () => {
  const tables = [messages.BETAS, messages.TOOLS, responses.TOOLS, responses.ITEMS, gemini.TOOLS];
  for (const { rows } of tables) {
    expect(rows.filter(({ reason }) => !/^[A-Z].{15,}\.$/.test(reason))).toEqual([]);
    const names = rows.flatMap((row) => row.names);
    expect(names.filter((name, at) => names.indexOf(name) !== at)).toEqual([]);
  }
});
