// Thinking and its signatures on interactions, there and back: Gemini's own stands on the part that it was on, any other
// comes back to its family whether or not the client has seen or kept the text.
import { describe, expect, test } from "bun:test";
import { asArray, asObject, type JsonObject } from "../../../src/core/json/json.ts";
import { foldChunks } from "../../../src/operations/chat/answer/fold.ts";
import type { Delta, Finish } from "../../../src/operations/chat/form.ts";
import { encodeAsk } from "../crossing/crossing.ts";
import { PLAIN_SEALER, STAMP, writeStream } from "../recorded.ts";
import { foldEvents, listEvents, readInteraction } from "./interactions-read.ts";

const GEMINI = "Google#gemini-3.5-flash";
const CLAUDE = "Anthropic#claude-sonnet-5";

const call = (index: number, id: string, signature?: string): Delta => ({
  tool_calls: [
    {
      index,
      id,
      type: "function",
      function: { name: "look", arguments: "{}" },
      ...(signature ? { extra_content: { google: { thought_signature: signature } } } : {}),
    },
  ],
});
const textSignature = (data: string): Delta => ({
  reasoning_details: [{ type: "reasoning.encrypted", data, format: "google-gemini-v1", index: 1 }],
});

/** The steps of an answer, whole and streamed. */
function answer(deltas: readonly Delta[], more: JsonObject = {}): readonly (readonly JsonObject[])[] {
  const reason: Finish = {
    finish_reason: deltas.some(({ tool_calls: calls }) => calls) ? "tool_calls" : "stop",
  };
  const chunks = deltas.map((delta, at) => ({
    choices: [{ index: 0, delta, ...(at === deltas.length - 1 ? reason : { finish_reason: null }) }],
  }));
  const exchange = readInteraction(more);
  const events = listEvents(writeStream(exchange, chunks, true));
  const bodies = [exchange.whole(foldChunks(chunks), STAMP), foldEvents(events)];
  return bodies.map((body) => asArray(asObject(body).steps).map(asObject));
}

function results(steps: readonly JsonObject[]): readonly JsonObject[] {
  const calls = steps.filter(({ type }) => type === "function_call");
  return calls.map(({ id }) => ({ type: "function_result", call_id: id, result: "rain" }));
}

const ASKED = { type: "user_input", content: [{ type: "text", text: "a" }] };

/** The model's turn as it goes to a model after the steps came back. */
function sendBack(steps: readonly JsonObject[], model: string, seal = PLAIN_SEALER): readonly JsonObject[] {
  const input = [ASKED, ...steps, ...results(steps), ASKED];
  const { body } = encodeAsk(readInteraction({ input }, { seal }), model);
  const [, turn] = asArray(body.contents ?? body.messages).map(asObject);
  return asArray(turn?.parts ?? turn?.content).map(asObject);
}

/** Gemini's parts by what they are, each with its signature. */
function listSigned(parts: readonly JsonObject[]): readonly unknown[] {
  return parts.map(({ text, functionCall, thoughtSignature }) => [
    functionCall ? asObject(functionCall).id : text,
    thoughtSignature,
  ]);
}

const GEMINI_ANSWERS: readonly (readonly [
  name: string,
  deltas: readonly Delta[],
  parts: readonly unknown[],
])[] = [
  [
    "parallel calls, of which the first is signed",
    [call(0, "c1", "c2lnMQ=="), call(1, "c2")],
    [
      ["c1", "c2lnMQ=="],
      ["c2", undefined],
    ],
  ],
  [
    "a text before a signed call",
    [{ content: "One." }, call(0, "c1", "c2lnMQ==")],
    [
      ["One.", undefined],
      ["c1", "c2lnMQ=="],
    ],
  ],
  [
    "a signed text before a call without a signature",
    [{ content: "One." }, textSignature("c2lnMg=="), call(0, "c1", "c2lnMQ==")],
    [
      ["One.", "c2lnMg=="],
      ["c1", "c2lnMQ=="],
    ],
  ],
  [
    "a text's own signature, which comes last",
    [{ content: "One." }, textSignature("c2lnMg==")],
    [["One.", "c2lnMg=="]],
  ],
];

describe("Gemini's signature", () => {
  test.each(GEMINI_ANSWERS)("comes back to its part: %s", (_name, deltas, parts) => {
    for (const steps of answer(deltas)) {
      for (const step of steps)
        if (step.type === "thought") expect(Object.keys(step)).toEqual(["type", "signature"]);
      expect(listSigned(sendBack(steps, GEMINI))).toEqual(parts);
    }
  });

  test("stands directly before the call that it signs, and behind a text", () => {
    const [, deltas] = GEMINI_ANSWERS[2] ?? [];
    for (const steps of answer(deltas ?? []))
      expect(steps.map(({ type }) => type)).toEqual(["model_output", "thought", "thought", "function_call"]);
  });

  test("of a text stands behind it, with nothing else in its step, in a whole answer too", () => {
    const thought = { type: "reasoning.text", text: "Hm.", format: "google-gemini-v1", index: 0 } as const;
    const thinking: Delta = { reasoning_content: "Hm.", reasoning_details: [thought] };
    const shown = { generation_config: { thinking_summaries: "auto" } };
    for (const before of [[], [thinking]])
      for (const steps of answer([...before, { content: "One." }, textSignature("c2lnMg==")], shown)) {
        const kinds = steps.map(({ type, summary }) => [type, summary !== undefined]);
        expect(kinds).toEqual([
          ...before.map(() => ["thought", true]),
          ["model_output", false],
          ["thought", false],
        ]);
        expect(listSigned(sendBack(steps, GEMINI)).at(-1)).toEqual(["One.", "c2lnMg=="]);
      }
  });

  test("made elsewhere goes to Google's models alone", () => {
    const steps = [
      { type: "thought", signature: "Zm9yZWlnbg==", summary: [{ type: "text", text: "Hm." }] },
      { type: "function_call", id: "c1", name: "look", arguments: {} },
    ];
    expect(listSigned(sendBack(steps, GEMINI)).at(-1)).toEqual(["c1", "Zm9yZWlnbg=="]);
    const said = { type: "model_output", content: [{ type: "text", text: "One." }] };
    const others = [CLAUDE, "OpenAI#gpt-5.4", "Groq#llama-4", "OpenRouter#google/gemini-3.5", "vLLM#any"];
    for (const turn of [steps, [...steps.slice(0, 1), said]])
      for (const model of others) {
        const input = [ASKED, ...turn, ...results(turn), ASKED];
        const { body } = encodeAsk(readInteraction({ input }), model);
        expect(JSON.stringify(body)).not.toContain("Zm9yZWlnbg");
      }
  });
});

const THINKING: readonly Delta[] = [
  {
    reasoning_content: "Well",
    reasoning_details: [{ type: "reasoning.text", text: "Well", format: "anthropic-claude-v1", index: 0 }],
  },
  {
    reasoning_content: " now.",
    reasoning_details: [{ type: "reasoning.text", text: " now.", format: "anthropic-claude-v1", index: 0 }],
  },
  {
    reasoning_details: [{ type: "reasoning.text", signature: "s1", format: "anthropic-claude-v1", index: 0 }],
  },
  { content: "Two." },
];

describe("another family's thinking", () => {
  test("comes back with its text, whether or not a summary was asked for", () => {
    for (const summaries of ["none", "auto"]) {
      const more = { generation_config: { thinking_summaries: summaries } };
      for (const steps of answer(THINKING, more)) {
        const summary = summaries === "auto" ? [{ type: "text", text: "Well now." }] : undefined;
        expect(steps[0]?.summary).toEqual(summary);
        // ADK keeps no more than the signature, which it decodes and encodes again.
        const signature = Buffer.from(String(steps[0]?.signature), "base64").toString("base64");
        expect(signature).toBe(String(steps[0]?.signature));
        const [thought] = sendBack([{ type: "thought", signature }, ...steps.slice(1)], CLAUDE);
        expect(thought).toEqual({ type: "thinking", thinking: "Well now.", signature: "s1" });
      }
    }
  });

  test("of another account, or damaged, or without a signature, is left out", () => {
    const [[thought = {}, ...rest] = []] = answer(THINKING);
    const broken = { ...PLAIN_SEALER, open: () => null };
    const cut = { ...thought, signature: String(thought.signature).slice(0, -8) };
    const [of, damaged, empty] = [
      sendBack([thought, ...rest], CLAUDE, broken),
      sendBack([cut, ...rest], CLAUDE),
      sendBack([{ ...thought, signature: "" }, { type: "thought" }, ...rest], CLAUDE),
    ];
    for (const content of [of, damaged, empty])
      expect(content.map(({ type }) => type)).not.toContain("thinking");
  });
});
