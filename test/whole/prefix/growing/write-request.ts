// A conversation as a request of each surface. Answers that came by the same surface are sent back as they came.
import type { JsonObject } from "../../../../src/core/json/json.ts";
import type { SurfaceKey } from "../../../surfaces/crossing/crossing.ts";
import {
  type Answer,
  type AnswerPart,
  type Ask,
  PICTURE,
  type Said,
  type Signed,
  type Talk,
  type Tool,
} from "./talk.ts";

/** The signatures that a client can write in each surface's form. */
export const CARRIED: Readonly<Record<SurfaceKey, readonly Signed[]>> = {
  chat: ["claude", "openai"],
  messages: ["claude", "sealed"],
  responses: ["openai", "sealed"],
  gemini: ["sealed"],
};

export function writeRequest(surface: SurfaceKey, talk: Talk, ask: Ask): JsonObject {
  return WRITERS[surface](talk, ask);
}

const WRITERS: Readonly<Record<SurfaceKey, (talk: Talk, ask: Ask) => JsonObject>> = {
  chat: (talk, ask) => ({
    messages: [{ role: "system", content: talk.system }, ...talk.said.flatMap(writeChatMessages)],
    tools: talk.tools.map(({ name, description, schema }) => ({
      type: "function",
      function: { name, description, parameters: schema },
    })),
    ...(talk.effort && { reasoning_effort: talk.effort }),
    ...(ask === "required" && { tool_choice: "required" }),
    ...(ask === "named" && { tool_choice: nameChatTool(talk) }),
    ...(ask === "allowed" && {
      tool_choice: { type: "allowed_tools", allowed_tools: { mode: "auto", tools: [nameChatTool(talk)] } },
    }),
    ...(ask === "json" && { response_format: { type: "json_object" } }),
  }),
  messages: (talk, ask) => ({
    max_tokens: 9000,
    system: talk.system,
    messages: joinTurns(talk.said.flatMap(writeBlocks)),
    tools: talk.tools.map(writeMessagesTool),
    ...(talk.effort && {
      thinking: { type: "adaptive", display: "summarized" },
      output_config: { effort: talk.effort },
    }),
    ...(ask === "required" && { tool_choice: { type: "any" } }),
    ...(ask === "named" && { tool_choice: { type: "tool", name: talk.tools[0]?.name } }),
  }),
  responses: (talk, ask) => ({
    input: [{ role: "system", content: talk.system }, ...talk.said.flatMap(writeItems)],
    tools: talk.tools.map(writeResponsesTool),
    store: false,
    ...(talk.effort && { reasoning: { effort: talk.effort } }),
    ...(ask === "required" && { tool_choice: "required" }),
    ...(ask === "named" && { tool_choice: nameResponsesTool(talk) }),
    ...(ask === "allowed" && {
      tool_choice: { type: "allowed_tools", mode: "auto", tools: [nameResponsesTool(talk)] },
    }),
    ...(ask === "json" && { text: { format: { type: "json_object" } } }),
  }),
  gemini: (talk, ask) => ({
    systemInstruction: { parts: [{ text: talk.system }] },
    contents: joinContents(talk.said.flatMap(writeParts)),
    tools: [
      {
        functionDeclarations: talk.tools.map(({ name, description, schema }) => ({
          name,
          description,
          parametersJsonSchema: schema,
        })),
      },
    ],
    ...(ask === "required" && { toolConfig: { functionCallingConfig: { mode: "ANY" } } }),
    ...(ask === "named" && {
      toolConfig: { functionCallingConfig: { mode: "ANY", allowedFunctionNames: [talk.tools[0]?.name] } },
    }),
    generationConfig: {
      ...(talk.effort && { thinkingConfig: { thinkingLevel: talk.effort } }),
      ...(ask === "json" && { responseMimeType: "application/json" }),
    },
  }),
};

const nameChatTool = ({ tools }: Talk) => ({ type: "function", function: { name: tools[0]?.name } });
const nameResponsesTool = ({ tools }: Talk) => ({ type: "function", name: tools[0]?.name });
const writeMessagesTool = ({ name, description, schema }: Tool) => ({
  name,
  description,
  input_schema: schema,
});
const writeResponsesTool = ({ name, description, schema }: Tool) => ({
  type: "function",
  name,
  description,
  parameters: schema,
  strict: false,
});

function cannot(surface: SurfaceKey, what: string): never {
  throw new Error(`${surface} has no form for ${what}.`);
}

/** Returns an answer as it came, or each of its parts in another form. */
function writeAnswer<Form>(
  answer: Answer,
  surface: SurfaceKey,
  write: (parts: readonly AnswerPart[]) => readonly (Form | JsonObject)[],
): readonly (Form | JsonObject)[] {
  return answer.surface === surface ? answer.given : write(answer.parts);
}

function writeChatMessages(said: Said): readonly JsonObject[] {
  switch (said.kind) {
    case "user": {
      if (!said.hasPicture) return [{ role: "user", content: said.text }];
      const picture = { type: "image_url", image_url: { url: `data:image/png;base64,${PICTURE}` } };
      return [{ role: "user", content: [{ type: "text", text: said.text }, picture] }];
    }
    case "late":
      return [{ role: "system", content: said.text }];
    case "result":
      return [{ role: "tool", tool_call_id: said.call.id, content: said.text }];
    case "answer":
      return writeAnswer(said, "chat", (parts) => [writeChatAnswer(parts)]);
    default:
      return cannot("chat", said.kind);
  }
}

function writeChatAnswer(parts: readonly AnswerPart[]): JsonObject {
  const details: JsonObject[] = [];
  const calls: JsonObject[] = [];
  let content: string | null = null;
  for (const [index, part] of parts.entries()) {
    if (part.kind === "text") content = part.text;
    else if (part.kind === "call") {
      const { id, name, input } = part.call;
      calls.push({ id, type: "function", function: { name, arguments: JSON.stringify(input) } });
    } else if (part.signed === "openai") {
      const text = content?.length ?? 0;
      const behind = text + calls.length === 0 ? {} : { behind: { text, calls: calls.length } };
      const about = { format: "openai-responses-v1", id: part.id, ...behind };
      details.push({ type: "reasoning.encrypted", data: part.signature, ...about });
    } else {
      const about = { format: "anthropic-claude-v1", index };
      if (part.id === "redacted")
        details.push({ type: "reasoning.encrypted", data: part.signature, ...about });
      else details.push({ type: "reasoning.text", text: part.text, signature: part.signature, ...about });
    }
  }
  return {
    role: "assistant",
    content,
    ...(details.length > 0 && { reasoning_details: details }),
    ...(calls.length > 0 && { tool_calls: calls }),
  };
}

interface Turn {
  readonly role: string;
  readonly blocks: readonly JsonObject[];
}

function writeBlocks(said: Said): readonly Turn[] {
  switch (said.kind) {
    case "user": {
      const source = { type: "base64", media_type: "image/png", data: PICTURE };
      const picture = said.hasPicture ? [{ type: "image", source }] : [];
      return [{ role: "user", blocks: [{ type: "text", text: said.text }, ...picture] }];
    }
    case "late":
      return [{ role: "system", blocks: [{ type: "text", text: said.text }] }];
    case "added": {
      const tool = { type: "tool_definition", definition: writeMessagesTool(said.tool) };
      return [{ role: "system", blocks: [{ type: "tool_addition", tool }] }];
    }
    case "removed": {
      const tool = { type: "tool_reference", name: said.name };
      return [{ role: "system", blocks: [{ type: "tool_removal", tool }] }];
    }
    case "result": {
      const block = { type: "tool_result", tool_use_id: said.call.id, content: said.text };
      return [{ role: "user", blocks: [block] }];
    }
    case "answer": {
      const blocks = writeAnswer<JsonObject>(said, "messages", (parts) => parts.map(writeBlock));
      return [{ role: "assistant", blocks }];
    }
  }
}

function writeBlock(part: AnswerPart): JsonObject {
  if (part.kind === "text") return { type: "text", text: part.text };
  if (part.kind === "call") return { type: "tool_use", ...part.call };
  if (part.id === "redacted") return { type: "redacted_thinking", data: part.signature };
  return { type: "thinking", thinking: part.text, signature: part.signature };
}

/** Joins the turns of one role. */
function joinTurns(turns: readonly Turn[]): readonly JsonObject[] {
  const joined: { role: string; content: JsonObject[] }[] = [];
  for (const { role, blocks } of turns) {
    const last = joined.at(-1);
    if (last?.role === role) last.content.push(...blocks);
    else joined.push({ role, content: [...blocks] });
  }
  return joined;
}

function writeItems(said: Said): readonly JsonObject[] {
  switch (said.kind) {
    case "user": {
      const picture = { type: "input_image", image_url: `data:image/png;base64,${PICTURE}` };
      const content = [{ type: "input_text", text: said.text }, ...(said.hasPicture ? [picture] : [])];
      return [{ role: "user", content }];
    }
    case "late":
      return [{ role: "system", content: said.text }];
    case "added":
      return [{ type: "additional_tools", role: "developer", tools: [writeResponsesTool(said.tool)] }];
    case "result":
      return [{ type: "function_call_output", call_id: said.call.id, output: said.text }];
    case "answer":
      return writeAnswer<JsonObject>(said, "responses", (parts) =>
        parts.map((part) => writeItem(part, part === parts.at(-1) ? "final_answer" : "commentary")),
      );
    case "removed":
      return cannot("responses", said.kind);
  }
}

/** The phases of messages must come back to OpenAI's newer models ("Using GPT-5.3-Codex"). */
function writeItem(part: AnswerPart, phase: string): JsonObject {
  if (part.kind === "text")
    return { role: "assistant", phase, content: [{ type: "output_text", text: part.text }] };
  if (part.kind === "call") {
    const { id, name, input } = part.call;
    return { type: "function_call", call_id: id, name, arguments: JSON.stringify(input) };
  }
  const summary = part.text === "" ? [] : [{ type: "summary_text", text: part.text }];
  const id = part.id === undefined ? {} : { id: part.id };
  return { type: "reasoning", ...id, summary, encrypted_content: part.signature };
}

function writeParts(said: Said): readonly JsonObject[] {
  switch (said.kind) {
    case "user": {
      const picture = { inlineData: { mimeType: "image/png", data: PICTURE } };
      return [{ role: "user", parts: [{ text: said.text }, ...(said.hasPicture ? [picture] : [])] }];
    }
    case "result": {
      const { id, name } = said.call;
      return [{ role: "user", parts: [{ functionResponse: { id, name, response: { output: said.text } } }] }];
    }
    case "answer":
      return writeAnswer<JsonObject>(said, "gemini", (parts) => [
        { role: "model", parts: parts.map(writePart) },
      ]);
    default:
      return cannot("gemini", said.kind);
  }
}

function writePart(part: AnswerPart): JsonObject {
  if (part.kind === "text") return { text: part.text };
  if (part.kind === "call")
    return { functionCall: { id: part.call.id, name: part.call.name, args: part.call.input } };
  return { text: part.text, thought: true, thoughtSignature: Buffer.from(part.signature).toString("base64") };
}

/** The results of several calls stand in one content. */
function joinContents(contents: readonly JsonObject[]): readonly JsonObject[] {
  const joined: { role: unknown; parts: unknown[] }[] = [];
  for (const { role, parts } of contents) {
    const last = joined.at(-1);
    const list = Array.isArray(parts) ? parts : [];
    if (last !== undefined && last.role === role) last.parts.push(...list);
    else joined.push({ role, parts: [...list] });
  }
  return joined;
}
