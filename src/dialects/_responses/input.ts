// Messages as input items, the form of OpenAI's Responses API and of APIs modelled on it.

import type { JsonObject } from "../../core/json/json.ts";
import type {
  AssistantMessage,
  ChatMessage,
  Content,
  ContentPart,
  FunctionTool,
  ReasoningDetail,
  RefusalPart,
  SystemMessage,
  TextPart,
  ToolCall,
  ToolMessage,
} from "../../operations/chat/form.ts";
import { joinText, listParts } from "../../operations/chat/prompt/content-text.ts";
import { listTurn, writeTurn } from "../../operations/chat/turn.ts";

import { readPhases, splitText, writePhase } from "./phases.ts";
import { restoreOrder } from "./turn-order.ts";

/** The differences between the dialects of this family. */
export interface InputForm {
  /** Makes a part of a user's, system's or tool's content. `param` names it in faults: `messages[0].content[1]`. */
  part(part: ContentPart, param: string): JsonObject;
  /** Makes the content of an assistant's turn. `parts` is never empty. */
  said(parts: readonly (TextPart | RefusalPart)[]): string | readonly JsonObject[];
  /** The format of earlier thinking that may tell the messages' phases. Missing if they have none. */
  readonly phasesIn?: string | undefined;
  /** Makes the items of earlier thinking. */
  thought(details: readonly ReasoningDetail[]): readonly JsonObject[];
  call(call: ToolCall): JsonObject;
  /** Makes the items of a message's changes of tools. Missing if a request has none. */
  changes?(message: SystemMessage): readonly JsonObject[];
  /** Makes a tool's result. `call` is the call that it answers, if the history has it. */
  result(message: ToolMessage, call: ToolCall | undefined, param: string): JsonObject;
}

/** Makes the items of the whole conversation, in order. Throws what `form` throws for unsupported parts. */
export function makeInputItems(messages: readonly ChatMessage[], form: InputForm): JsonObject[] {
  const calls = new Map<string, ToolCall>();
  return messages.flatMap((message, index) => {
    const param = `messages[${index}]`;
    switch (message.role) {
      case "assistant":
        for (const call of message.tool_calls ?? []) calls.set(call.id, call);
        return makeAssistantItems(message, form);
      case "tool":
        return [form.result(message, calls.get(message.tool_call_id), param)];
      case "system":
      case "developer":
        return makeSystemItems(message, form, param);
      default: {
        const content = makeInputContent(message.content, form, param);
        return [{ type: "message", role: message.role, content }];
      }
    }
  });
}

/** A message may have no words of its own, but changes of tools. */
function makeSystemItems(message: SystemMessage, form: InputForm, param: string): JsonObject[] {
  const { role, tool_changes: changes } = message;
  const content = makeInputContent(message.content, form, param);
  const said: JsonObject[] = [{ type: "message", role, content }];
  if (changes === undefined || form.changes === undefined) return said;
  return [...(content.length === 0 ? [] : said), ...form.changes(message)];
}

/** Keeps a string as it is, and makes parts of any other content. */
export function makeInputContent(content: Content, form: InputForm, param: string): string | JsonObject[] {
  if (typeof content === "string") return content;
  return content.map((part, index) => form.part(part, `${param}.content[${index}]`));
}

function makeAssistantItems(message: AssistantMessage, form: InputForm): JsonObject[] {
  const turn = listTurn(restoreOrder(message));
  const last = turn.findLast(({ kind }) => kind !== "thinking");
  const phases = form.phasesIn === undefined ? null : readPhases(message, form.phasesIn);
  let start = 0;
  return writeTurn<JsonObject>(turn, {
    thinking: ({ details }) => form.thought(details),
    text(part) {
      const whole = joinText(part.content);
      const from = start;
      start += whole.length;
      if (phases && part.refusal === "") {
        return splitText(whole, from, phases, writePhase(part === last)).map(({ text, phase }) =>
          makeMessage(form, [{ type: "text", text }], phase),
        );
      }
      const said = listParts(part.content).filter((one) => one.type === "text" || one.type === "refusal");
      if (part.refusal !== "") said.push({ type: "refusal", refusal: part.refusal });
      if (said.length === 0) return [];
      return [makeMessage(form, said, form.phasesIn && writePhase(part === last))];
    },
    call: (call) => [form.call(call)],
  });
}

function makeMessage(
  form: InputForm,
  said: readonly (TextPart | RefusalPart)[],
  phase: string | undefined,
): JsonObject {
  const phased = phase === undefined ? {} : { phase };
  return { type: "message", role: "assistant", ...phased, content: form.said(said) };
}

/**
 * Flattens a function tool. `strict` is always written: if it is missing, the Responses API assumes true, the
 * chat-completions API false.
 */
export function flattenTool({ function: fn }: FunctionTool, name: string): JsonObject {
  return {
    type: "function",
    name,
    ...(fn.description === undefined ? {} : { description: fn.description }),
    parameters: fn.parameters ?? { type: "object", properties: {} },
    strict: fn.strict ?? false,
  };
}
