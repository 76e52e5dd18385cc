// Reads requests of the native families for the tests, with an operator's settings, or finds why one is refused.
import { Fault } from "../../../src/core/faults/fault.ts";
import type { JsonObject } from "../../../src/core/json/json.ts";
import type { Limits } from "../../../src/core/settings.ts";
import type { ChatForm } from "../../../src/operations/chat/decoder.ts";
import { ANTHROPIC_MESSAGES } from "../../../src/surfaces/anthropic-messages/surface.ts";
import { GEMINI } from "../../../src/surfaces/gemini/surface.ts";
import { OPENAI_RESPONSES } from "../../../src/surfaces/openai-responses/surface.ts";
import type { Surface } from "../../../src/surfaces/surface.ts";
import { incoming } from "../recorded.ts";

function read(
  surface: Surface<ChatForm>,
  body: JsonObject,
  path: string,
  limits: Partial<Limits> = {},
  beta = "",
) {
  const given = incoming(body, path, { "anthropic-beta": beta });
  return surface.read({ ...given, limits: { ...given.limits, ...limits } });
}

export function readMessages(more: JsonObject, limits: Partial<Limits> = {}, beta = "") {
  const body = { model: "m", max_tokens: 10, messages: [{ role: "user", content: "a" }], ...more };
  return read(ANTHROPIC_MESSAGES, body, "/v1/messages", limits, beta);
}

export function readResponses(more: JsonObject, limits: Partial<Limits> = {}) {
  return read(OPENAI_RESPONSES, { model: "m", input: "a", ...more }, "/v1/responses", limits);
}

export function readGemini(more: JsonObject, limits: Partial<Limits> = {}) {
  const body = { contents: [{ role: "user", parts: [{ text: "a" }] }], ...more };
  return read(GEMINI, body, "/v1beta/models/m:generateContent", limits);
}

/** Returns the code and the field of a refusal. */
export function findRefusal(work: () => unknown): readonly unknown[] {
  try {
    work();
  } catch (thrown) {
    if (thrown instanceof Fault) return [thrown.code, thrown.details.param];
    throw thrown;
  }
  throw new Error("Nothing was refused.");
}

export function letPass(
  names: Partial<Record<"betas" | "blocks" | "tools", readonly string[]>>,
): Partial<Limits> {
  const { betas = [], blocks = [], tools = [] } = names;
  return { known: { betas: new Set(betas), blocks: new Set(blocks), tools: new Set(tools) } };
}

export const ASKED = { role: "user", content: "a" };
