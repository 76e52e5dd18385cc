// LiteLLM's protocol for guardrails: what is sent to a hook's server, and what its answer means.

import { parseBounded } from "../../core/json/bounds.ts";
import { asArray, asObject, asString, isObject, type JsonObject } from "../../core/json/json.ts";
import type { GatewayKey } from "../../core/keys/key.ts";
import type { HookPlace } from "../../core/models/hook.ts";

export const HOOK_PATH = "/beta/litellm_basic_guardrail_api";

/** A reason is shown to clients, and may quote anything. */
const REASON_CHARACTERS_MAX = 300;
/** Servers send little beside the texts, which are lists of strings. */
const OTHER_ELEMENTS_MAX = 20_000;
const DEPTH_MAX = 64;

/** The texts to judge, and who sends them. */
export interface Question {
  readonly at: HookPlace;
  /** The same at a request and at its answer, so that a hook can undo its masks. */
  readonly callId: string;
  readonly texts: readonly string[];
  /** The calls of tools in an answer. */
  readonly toolCalls: readonly JsonObject[];
  /** Null unless the hook gets them. */
  readonly messages: readonly unknown[] | null;
  readonly model: string;
  readonly key: Pick<GatewayKey, "id" | "name" | "accountId" | "memberId">;
}

export type HookAnswer =
  /** One text for each that was sent, changed or not, and the changed arguments of the answer's calls by their place. */
  | {
      readonly kind: "judged";
      readonly texts: readonly string[];
      readonly calls: ReadonlyMap<number, string>;
    }
  | { readonly kind: "blocked"; readonly reason: string };

/** Our ids stand in `request_data` only. Neither the key's secret nor any header of the client's is sent. */
export function writeQuestion({ at, callId, texts, toolCalls, messages, model, key }: Question): JsonObject {
  return {
    input_type: at === "request" ? "request" : "response",
    litellm_call_id: callId,
    texts,
    ...(toolCalls.length > 0 ? { tool_calls: toolCalls } : {}),
    ...(messages === null ? {} : { structured_messages: messages }),
    model,
    request_data: {
      user_api_key_hash: key.id,
      user_api_key_alias: key.name,
      user_api_key_user_id: key.memberId,
      user_api_key_team_id: key.accountId,
    },
  };
}

/** Null if it isn't an answer to the question: then nothing is known about any of the texts. */
export function readAnswer(body: string, question: Pick<Question, "texts" | "toolCalls">): HookAnswer | null {
  const { texts, toolCalls } = question;
  const elements = OTHER_ELEMENTS_MAX + texts.length + toolCalls.length;
  const given = parseBounded(body, { depth: DEPTH_MAX, elements });
  if (!isObject(given)) return null;
  const { action, blocked_reason: reason } = given;
  if (action === "BLOCKED") return { kind: "blocked", reason: cutReason(asString(reason)) };
  if (action !== "NONE" && action !== "GUARDRAIL_INTERVENED") return null;
  const calls = readCalls(given.tool_calls, toolCalls);
  const judged = readTexts(given.texts, texts);
  if (calls === null || judged === null) return null;
  const isSilent = asArray(given.texts).length === 0;
  // It changed something without saying what.
  if (action === "GUARDRAIL_INTERVENED" && isSilent && calls.size === 0) return null;
  return { kind: "judged", texts: judged, calls };
}

/** Returns as much of a reason as clients are shown, on one line. */
function cutReason(reason: string | undefined): string {
  const line = (reason ?? "").replace(/[\s\p{Cc}]+/gu, " ").trim();
  return (line === "" ? "no reason given" : line).slice(0, REASON_CHARACTERS_MAX).toWellFormed();
}

/** The texts come back in the same order and number. Without any, or with an empty list, they pass. */
function readTexts(given: unknown, sent: readonly string[]): readonly string[] | null {
  if (given === undefined || given === null) return sent;
  if (Array.isArray(given) && given.length === 0) return sent;
  const texts = asArray(given).filter((one) => typeof one === "string");
  return Array.isArray(given) && given.length === sent.length && texts.length === sent.length ? texts : null;
}

/** Returns the arguments that differ from those sent. Null if the calls aren't the same ones. */
function readCalls(value: unknown, sent: readonly JsonObject[]): ReadonlyMap<number, string> | null {
  const changed = new Map<number, string>();
  if (value === undefined || value === null) return changed;
  if (!Array.isArray(value) || value.length !== sent.length) return null;
  for (const [at, call] of sent.entries()) {
    const now = asObject(value[at]);
    if (now.id !== undefined && now.id !== null && now.id !== call.id) return null;
    const text = asString(asObject(now.function).arguments);
    if (text === undefined) return null;
    if (text !== asObject(call.function).arguments) changed.set(at, text);
  }
  return changed;
}
