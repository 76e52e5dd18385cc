// Conversations on the surfaces of chat, and the reading of their bodies with and without a memory of earlier ones.

import type { DialectName } from "../../../src/core/models/dialect-names.ts";
import { readHeldJson } from "../../../src/http/body/body.ts";
import { BodyMemory } from "../../../src/http/body/body-memory.ts";
import { BodyTurns } from "../../../src/http/body/body-turns.ts";
import { EarlierBodies } from "../../../src/http/body/earlier-bodies.ts";
import type { ChatForm } from "../../../src/operations/chat/decoder.ts";
import { ANTHROPIC_MESSAGES } from "../../../src/surfaces/anthropic-messages/surface.ts";
import { GEMINI } from "../../../src/surfaces/gemini/surface.ts";
import { OPENAI_CHAT } from "../../../src/surfaces/openai-chat/surface.ts";
import { OPENAI_RESPONSES } from "../../../src/surfaces/openai-responses/surface.ts";
import type { Surface } from "../../../src/surfaces/surface.ts";
import { DeadlineSweep } from "../../../src/transport/deadlines.ts";
import { makeAgentChat, makeAgentMessages } from "../../bench/loads/agent.ts";
import { ManualClock } from "../../harness/manual-clock.ts";

export const LONG = 'Some words, and "quotes" of a long text.\n'.repeat(60);
export const MODEL = "Local#m";
export const LIMITS = { choicesMax: 16, messagesMax: 10_000 };

export interface Lane {
  readonly surface: Surface<ChatForm>;
  readonly path: string;
  /** The list that grows. */
  readonly list: string;
  /** Its own family first. */
  readonly dialects: readonly DialectName[];
  readonly body: object;
  /** Returns what a turn adds. */
  turn(at: number): readonly object[];
}

export const agent = { kilobytes: 56, model: MODEL, words: "Look at the file." };
const text = (said: string) => ({ type: "text", text: said });
export const LANES: Readonly<Record<string, Lane>> = {
  chat: {
    surface: OPENAI_CHAT,
    path: "/v1/chat/completions",
    list: "messages",
    dialects: ["openai", "anthropic"],
    body: makeAgentChat(agent),
    turn: (at) => [
      {
        role: "assistant",
        content: null,
        tool_calls: [
          { id: `c${at}`, type: "function", function: { name: "Tool1", arguments: `{"at":${at}}` } },
        ],
      },
      { role: "tool", tool_call_id: `c${at}`, content: [text(`${LONG}${at}`)] },
    ],
  },
  messages: {
    surface: ANTHROPIC_MESSAGES,
    path: "/v1/messages",
    list: "messages",
    dialects: ["anthropic", "openai"],
    body: makeAgentMessages(agent),
    turn: (at) => [
      {
        role: "assistant",
        content: [text("I look."), { type: "tool_use", id: `t${at}`, name: "Tool1", input: { at } }],
      },
      { role: "user", content: [{ type: "tool_result", tool_use_id: `t${at}`, content: `${LONG}${at}` }] },
    ],
  },
  responses: {
    surface: OPENAI_RESPONSES,
    path: "/v1/responses",
    list: "input",
    dialects: ["responses", "openai"],
    body: {
      model: MODEL,
      instructions: LONG,
      input: Array.from({ length: 9 }, (_, at) => ({
        type: "message",
        role: "user",
        content: `${LONG}${at}`,
      })),
      tools: [{ type: "function", name: "look", description: LONG, parameters: {}, strict: false }],
    },
    turn: (at) => [
      { type: "function_call", call_id: `c${at}`, name: "look", arguments: `{"at":${at}}` },
      { type: "function_call_output", call_id: `c${at}`, output: `${LONG}${at}` },
    ],
  },
  gemini: {
    surface: GEMINI,
    path: "/v1beta/models/Local%23m:generateContent",
    list: "contents",
    dialects: ["gemini", "openai"],
    body: {
      contents: Array.from({ length: 9 }, (_, at) => ({
        role: at % 2 ? "model" : "user",
        parts: [{ text: `${LONG}${at}` }],
      })),
      systemInstruction: { parts: [{ text: LONG }] },
    },
    turn: (at) => [
      { role: "model", parts: [{ functionCall: { name: "look", args: { at } } }] },
      { role: "user", parts: [{ functionResponse: { name: "look", response: { output: `${LONG}${at}` } } }] },
    ],
  },
};

export function makePorts() {
  const clock = new ManualClock();
  const deadlines = new DeadlineSweep(clock);
  const bodies = new BodyMemory(64_000_000, deadlines);
  return { clock, bodies, turns: new BodyTurns(clock), deadlines };
}

export function makeMemory(bytesMax = 16_000_000) {
  const ports = makePorts();
  return { ...ports, earlier: new EarlierBodies(bytesMax, ports.bodies, ports.deadlines) };
}

export type Ports = ReturnType<typeof makePorts> & { readonly earlier?: EarlierBodies };
const UNDER = {};
export const SCOPE = { owner: "account", keyId: "key", surface: "any", under: UNDER };

export async function receive(
  ports: Ports,
  given: Uint8Array,
  scope: Partial<typeof SCOPE> = SCOPE,
): Promise<unknown> {
  const body = given.slice();
  const headers = { "content-type": "application/json", "content-length": String(body.length) };
  const request = new Request("http://gateway.example/", { method: "POST", headers, body });
  const held = ports.bodies.open();
  try {
    return await readHeldJson(request, ports, { ...SCOPE, ...scope, bytesMax: 1_000_000, held });
  } finally {
    held.release();
  }
}
