// The time to think: `reasoning_effort` as one model takes it, and the switches that some providers have beside it.
import { can, type ModelCard } from "../../core/card.ts";
import { asObject, type JsonObject } from "../../core/json.ts";
import type { ChatRequest, ReasoningEffort } from "../../operations/chat/form.ts";
import type { OpenaiQuirks } from "./quirks.ts";

const ORDER: readonly ReasoningEffort[] = ["none", "minimal", "low", "medium", "high", "xhigh", "max"];

export interface ThinkingPlan {
  readonly fields: JsonObject;
  /** True when the model is not going to think. */
  readonly off: boolean;
  readonly dropped: readonly string[];
}

/** The fields to send about thinking. Thinking gives way to what it excludes, a forced tool call for example. */
export function planThinking(request: ChatRequest, card: ModelCard, quirks: OpenaiQuirks): ThinkingPlan {
  const asked = request.reasoning_effort;
  const named = asked === undefined ? [] : ["reasoning_effort"];
  if (!can(card, "reasoning")) return { fields: {}, off: true, dropped: named };
  const { values, toggle } = quirks.effort;
  const value = asked === undefined ? undefined : chooseEffort(asked, values);
  const fields: JsonObject = value === undefined ? {} : { reasoning_effort: value };
  const dropped = value === asked ? [] : named;
  if (toggle === null) {
    const isSilent = asked === undefined && quirks.effort.offByDefault === true;
    return { fields, off: isSilent || value === "none", dropped };
  }

  const own = request[toggle];
  if (own !== undefined) return { fields, off: isOff(own), dropped };
  if (asked === "none" || isExcluded(request, quirks)) {
    const off = toggle === "thinking" ? { type: "disabled" } : false;
    return { fields: { [toggle]: off }, off: true, dropped: asked === "none" ? [] : named };
  }
  if (asked === undefined) return { fields: {}, off: false, dropped: [] };
  const turnedOn = toggle === "enable_thinking" ? { enable_thinking: true } : {};
  return { fields: { ...fields, ...turnedOn }, off: false, dropped };
}

/** The value nearest to the one asked for, the higher of two; thinking isn't turned off where there is no lower one. */
export function chooseEffort(
  asked: ReasoningEffort,
  values: readonly ReasoningEffort[],
): ReasoningEffort | undefined {
  if (values.includes(asked)) return asked;
  const distance = (value: ReasoningEffort): number => Math.abs(ORDER.indexOf(value) - ORDER.indexOf(asked));
  const thinking = values.filter((value) => value !== "none");
  return thinking.toSorted((a, b) => distance(a) - distance(b) || ORDER.indexOf(b) - ORDER.indexOf(a))[0];
}

/** A request's direction of tool use, in the words of the quirks; undefined for `auto`. */
export function readDirection(request: ChatRequest): "none" | "required" | "named" | undefined {
  const choice = request.tool_choice;
  if (choice === undefined || request.tools === undefined) return undefined;
  const mode =
    typeof choice === "object"
      ? choice.type === "allowed_tools"
        ? choice.allowed_tools.mode
        : "named"
      : choice;
  return mode === "auto" ? undefined : mode;
}

export function wantsJson(request: ChatRequest): boolean {
  return request.response_format !== undefined && request.response_format.type !== "text";
}

function isExcluded(request: ChatRequest, quirks: OpenaiQuirks): boolean {
  const direction = readDirection(request);
  return quirks.thinkingExcludes.some((what) => {
    if (what === "json") return wantsJson(request);
    return what === "unstreamed" ? request.stream !== true : what === direction;
  });
}

function isOff(own: unknown): boolean {
  return own === false || asObject(own).type === "disabled";
}
