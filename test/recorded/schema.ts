// The official JSON Schema of OpenAI's chat objects, against which the gateway's output is checked.
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { Ajv2020, type ValidateFunction } from "ajv/dist/2020.js";
import formats from "ajv-formats";
import { asObject } from "../../src/core/json/json.ts";
import type { ChatChunk, ChatReply } from "../../src/operations/chat/form.ts";
import { separateCitations, showChunk } from "../../src/surfaces/openai-chat/citations.ts";
import { PLAIN_SEALER } from "../surfaces/recorded.ts";

export interface OfficialSchema {
  /** Returns the errors of a whole answer with its envelope added, or null if it is valid. */
  reply(reply: ChatReply): string | null;
  chunk(chunk: ChatChunk): string | null;
}

const ENVELOPE = { id: "chatcmpl-0", created: 1, model: "Provider#model" };

/** The schema beside the fixtures' folder, or null if it isn't there. */
export function officialSchema(fixtures: string): OfficialSchema | null {
  const path = join(fixtures, "../openai-chat.schema.json");
  if (!existsSync(path)) return null;
  const schema = asObject(JSON.parse(readFileSync(path, "utf8")));
  const ajv = new Ajv2020({ strict: false });
  formats.default(ajv);
  ajv.addFormat("unixtime", { type: "number", validate: Number.isInteger });
  ajv.addSchema(schema, "chat");
  const compiled = (name: string) => ajv.compile({ $ref: `chat#/$defs/${name}` });
  const whole = compiled("CreateChatCompletionResponse");
  const piece = compiled("CreateChatCompletionStreamResponse");
  return {
    reply(reply) {
      const choices = reply.choices.map((one) => ({ ...one, message: separateCitations(one.message) }));
      return faultOf(whole, { ...ENVELOPE, object: "chat.completion", ...reply, choices });
    },
    chunk(chunk) {
      const shown = showChunk(chunk, PLAIN_SEALER);
      return shown && faultOf(piece, { ...ENVELOPE, object: "chat.completion.chunk", ...shown });
    },
  };
}

function faultOf(validate: ValidateFunction, value: unknown): string | null {
  if (validate(value)) return null;
  const [first] = validate.errors ?? [];
  return `${first?.instancePath ?? ""} ${first?.message ?? "invalid"}`;
}
