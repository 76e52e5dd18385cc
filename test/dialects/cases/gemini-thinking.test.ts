// Gemini's thinking under a lowered output limit: translated, and in the native lane.
import { describe, expect, test } from "bun:test";
import { asObject, type JsonObject } from "../../../src/core/json/json.ts";
import { gemini } from "../../../src/dialects/gemini/dialect.ts";
import { GEMINI_LANE } from "../../../src/dialects/gemini/lane.ts";
import { fitToHold } from "../../../src/operations/chat/bounded.ts";
import type { ReasoningEffort } from "../../../src/operations/chat/form.ts";
import { GEMINI } from "../../../src/surfaces/gemini/surface.ts";
import { TARGET } from "../../providers/target.ts";
import { incoming } from "../../surfaces/recorded.ts";
import { makeCard, makeRequest } from "./gemini-cases.ts";

/** The model's own limit in tokens. */
const OUTPUT_MAX = 65_536;

type Sent = readonly [thinking: JsonObject | undefined, isNamed: boolean];

/** Translates a request with that effort, for which `held` tokens are held. */
function translate(name: string, effort: ReasoningEffort, held: number): Sent {
  const card = makeCard(name, OUTPUT_MAX);
  const { ask } = fitToHold(makeRequest({ reasoning_effort: effort }), card, held);
  const { body, dropped } = gemini.chat.encode(ask, card, TARGET);
  const { thinkingConfig, maxOutputTokens } = asObject(body.generationConfig);
  expect(maxOutputTokens).toBe(held);
  return [thinkingConfig as JsonObject, dropped.includes("reasoning_effort")];
}

/** Sends a request in the native lane, for which `held` tokens are held. */
function passOn(name: string, config: JsonObject, held: number): Sent {
  const body = { contents: [{ parts: [{ text: "Hi" }] }], generationConfig: config };
  const { raw, ask } = GEMINI.read(incoming(body, `/v1beta/models/Google%23${name}:generateContent`));
  if (raw === null) throw new Error("There is no native request.");
  const card = makeCard(name, OUTPUT_MAX);
  const sent = GEMINI_LANE.encode(raw, fitToHold(ask, card, held).ask, card, TARGET);
  const { thinkingConfig } = asObject(sent.body.generationConfig);
  return [thinkingConfig as JsonObject, sent.dropped.includes("generationConfig.thinkingConfig")];
}

describe("translated", () => {
  const rows: readonly (readonly [string, ReasoningEffort, number, JsonObject, boolean])[] = [
    ["gemini-2.5-flash", "high", 30_000, { thinkingBudget: 24_576, includeThoughts: true }, false],
    ["gemini-2.5-flash", "high", 4096, { thinkingBudget: 3072, includeThoughts: true }, true],
    ["gemini-2.5-flash", "high", 2048, { thinkingBudget: 1024, includeThoughts: true }, true],
    ["gemini-2.5-flash", "high", 2047, { thinkingBudget: 0 }, true],
    ["gemini-2.5-flash", "none", 1024, { thinkingBudget: 0 }, false],
    ["gemini-2.5-pro", "high", 2047, { thinkingBudget: 128, includeThoughts: true }, true],
    ["gemini-3-flash-preview", "high", 2048, { thinkingLevel: "HIGH", includeThoughts: true }, false],
    ["gemini-3-flash-preview", "high", 2047, { thinkingLevel: "MINIMAL", includeThoughts: true }, true],
    ["gemini-3.1-pro-preview", "high", 1024, { thinkingLevel: "LOW", includeThoughts: true }, true],
    ["gemini-3.1-pro-preview", "low", 1024, { thinkingLevel: "LOW", includeThoughts: true }, false],
  ];
  test.each(rows)("%s, %s, limited to %d", (name, effort, held, thinking, isNamed) => {
    expect(translate(name, effort, held)).toEqual([thinking, isNamed]);
  });
});

describe("in the native lane", () => {
  const shown = { includeThoughts: true };
  const rows: readonly (readonly [string, JsonObject, number, JsonObject, boolean])[] = [
    ["gemini-2.5-flash", { thinkingBudget: 2000, ...shown }, 4096, { thinkingBudget: 2000, ...shown }, false],
    ["gemini-2.5-flash", { thinkingBudget: 8000, ...shown }, 4096, { thinkingBudget: 3072, ...shown }, true],
    ["gemini-2.5-flash", { thinkingBudget: 8000, ...shown }, 2047, { thinkingBudget: 0 }, true],
    ["gemini-2.5-flash", { thinkingBudget: 0 }, 1024, { thinkingBudget: 0 }, false],
    // As many as the model likes.
    ["gemini-2.5-flash", { thinkingBudget: -1 }, 4096, { thinkingBudget: 3072 }, true],
    ["gemini-2.5-flash", { thinkingBudget: -1 }, 30_000, { thinkingBudget: -1 }, false],
    ["gemini-2.5-flash", shown, 1024, shown, false],
    ["gemini-2.5-pro", { thinkingBudget: 8000, ...shown }, 1500, { thinkingBudget: 128, ...shown }, true],
    ["gemini-2.5-pro", { thinkingBudget: 128 }, 1024, { thinkingBudget: 128 }, false],
    ["gemini-3-flash-preview", { thinkingLevel: "high" }, 2048, { thinkingLevel: "high" }, false],
    ["gemini-3-flash-preview", { thinkingLevel: "high" }, 2047, { thinkingLevel: "MINIMAL" }, true],
    ["gemini-3.1-pro-preview", { thinkingLevel: "low" }, 1024, { thinkingLevel: "low" }, false],
    ["gemini-3.1-pro-preview", { thinkingBudget: 8000 }, 4096, { thinkingBudget: 3072 }, true],
    ["gemini-3.1-pro-preview", { thinkingBudget: 8000 }, 1024, { thinkingLevel: "LOW" }, true],
  ];
  test.each(rows)("%s, %j, limited to %d", (name, thinkingConfig, held, thinking, isNamed) => {
    expect(passOn(name, { thinkingConfig }, held)).toEqual([thinking, isNamed]);
    expect(passOn(name, { thinkingConfig, maxOutputTokens: 60_000 }, held)).toEqual([thinking, isNamed]);
  });

  test("a limit that stays as it is changes nothing", () => {
    const thinkingConfig = { thinkingBudget: 8000, ...shown };
    const kept = passOn("gemini-2.5-flash", { thinkingConfig, maxOutputTokens: 1500 }, 1500);
    expect(kept).toEqual([thinkingConfig, false]);
  });
});
