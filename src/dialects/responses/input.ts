// Messages in the form of OpenAI's Responses API: parts, calls, results, and the thinking of earlier turns.

import { Fault } from "../../core/faults/fault.ts";
import type { JsonObject } from "../../core/json/json.ts";
import type {
  ContentPart,
  FilePart,
  ReasoningDetail,
  RefusalPart,
  TextPart,
  ToolCall,
  ToolMessage,
} from "../../operations/chat/form.ts";
import { joinText } from "../../operations/chat/prompt/content-text.ts";
import { isFetched, withFileName } from "../../operations/chat/prompt/file-names.ts";
import { BREAKPOINT, findBreakpoint } from "../_chat/cache/cache-breakpoint.ts";
import { type InputForm, makeInputContent } from "../_responses/input.ts";
import { REASONING_FORMAT } from "../_responses/output.ts";
import { isPhaseDetail } from "../_responses/phases.ts";
import type { ModelFacts } from "./models.ts";

/** The part of earlier thinking that is sent back: nothing, only sealed items, or also its raw text. */
export type ReasoningReplay = "nothing" | "sealed" | "raw";

/** Makes the form for one model. */
export function makeInputForm(
  replay: ReasoningReplay,
  { hasPhases, hasBreakpoints }: Pick<ModelFacts, "hasPhases" | "hasBreakpoints">,
  changes?: NonNullable<InputForm["changes"]>,
): InputForm {
  const form: InputForm = {
    phasesIn: hasPhases ? REASONING_FORMAT : undefined,
    part: (part, param) => makeInputPart(part, param, hasBreakpoints),
    said: makeOutputParts,
    thought: (details) => makeReasoningItems(details, replay),
    call: makeCallItem,
    ...(changes === undefined ? {} : { changes }),
    result: (message, call, param) =>
      makeResultItem(message, call, makeInputContent(message.content, form, param)),
  };
  return form;
}

function makeInputPart(part: ContentPart, param: string, hasBreakpoints: boolean): JsonObject {
  const breakpoint = findBreakpoint(part, hasBreakpoints);
  const extras = breakpoint === undefined ? {} : { [BREAKPOINT]: breakpoint };
  switch (part.type) {
    case "text":
    case "refusal":
      return { type: "input_text", text: joinText([part]), ...extras };
    case "image_url": {
      const { url, detail } = part.image_url;
      return { type: "input_image", image_url: url, ...(detail === undefined ? {} : { detail }), ...extras };
    }
    case "file":
      return { ...makeFilePart(part), ...extras };
    case "input_audio":
      throw new Fault("unsupported_capability", "This model does not accept audio.", { param });
    case "video_url":
      throw new Fault("unsupported_capability", "This model does not accept videos.", { param });
  }
}

/** `file_data` must be a data: URL with a file name. OpenAI fetches an address itself. */
function makeFilePart({ file }: FilePart): JsonObject {
  if (isFetched(file)) return { type: "input_file", file_url: file.file_data };
  const isUrl = file.file_data.startsWith("data:");
  return {
    type: "input_file",
    filename: withFileName(file).filename,
    file_data: isUrl ? file.file_data : `data:application/pdf;base64,${file.file_data}`,
  };
}

function makeOutputParts(parts: readonly (TextPart | RefusalPart)[]): readonly JsonObject[] {
  return parts.map((part) =>
    part.type === "text"
      ? { type: "output_text", text: part.text }
      : { type: "refusal", refusal: part.refusal },
  );
}

function makeCallItem(call: ToolCall): JsonObject {
  if (call.type === "custom") {
    return { type: "custom_tool_call", call_id: call.id, name: call.custom.name, input: call.custom.input };
  }
  const { name, arguments: input } = call.function;
  return { type: "function_call", call_id: call.id, name, arguments: input || "{}" };
}

function makeResultItem(message: ToolMessage, call: ToolCall | undefined, output: unknown): JsonObject {
  const type = call?.type === "custom" ? "custom_tool_call_output" : "function_call_output";
  return { type, call_id: message.tool_call_id, output };
}

interface ReasoningItem {
  readonly id: string | undefined;
  readonly summary: JsonObject[];
  readonly content: JsonObject[];
  sealed: string | undefined;
}

/**
 * Makes the reasoning items of an earlier turn, unchanged. Only usable items are sent back: OpenAI refuses an item that
 * it hasn't stored and that has no `encrypted_content`, and any item for a model that doesn't reason.
 */
function makeReasoningItems(
  details: readonly ReasoningDetail[],
  replay: ReasoningReplay,
): readonly JsonObject[] {
  if (replay === "nothing") return [];
  const thoughts: ReasoningItem[] = [];
  for (const detail of details) {
    if (detail.format === REASONING_FORMAT && !isPhaseDetail(detail)) addDetail(thoughts, detail);
  }
  return thoughts
    .filter((one) => one.sealed !== undefined || (replay === "raw" && one.content.length > 0))
    .map(({ id, summary, content, sealed }) => ({
      type: "reasoning",
      ...(id === undefined ? {} : { id }),
      summary,
      ...(replay === "raw" && content.length > 0 ? { content } : {}),
      ...(sealed === undefined ? {} : { encrypted_content: sealed }),
    }));
}

/** Details of one item share its id. Without ids, the sealed part ends an item. */
function addDetail(thoughts: ReasoningItem[], detail: ReasoningDetail): void {
  const id = detail.id ?? undefined;
  const open = thoughts.findLast((one) => one.id === id && (id !== undefined || one.sealed === undefined));
  const thought = open ?? { id, summary: [], content: [], sealed: undefined };
  if (!open) thoughts.push(thought);
  if (detail.summary !== undefined) thought.summary.push({ type: "summary_text", text: detail.summary });
  if (detail.text !== undefined) thought.content.push({ type: "reasoning_text", text: detail.text });
  if (detail.data !== undefined) thought.sealed = detail.data;
}
