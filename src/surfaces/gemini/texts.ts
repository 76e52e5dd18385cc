// The texts of a generateContent request, of its answer and of a stream's events.
import { asArray, asObject, type JsonObject } from "../../core/json/json.ts";
import type { IsChanged } from "../../core/text/texts.ts";
import { makeForm, type TextGrammar } from "../../operations/text-grammar.ts";
import { hasSeal, makeNativeTexts, mapNode, mapNodes } from "../texts.ts";
import { GRAMMAR, type Kind } from "./known.ts";
import { POSITIONS } from "./positions.ts";

const candidate = { usageMetadata: "setting" } as const;
const { call, response, media } = GRAMMAR.kinds;

/** The family's table with its answers and the words of its API. */
export const TEXTS: TextGrammar<Kind | "answer" | "candidate" | "event" | "begun" | "piece"> = {
  ...GRAMMAR,
  isSealed: (node) => hasSeal(node, ["thoughtSignature", "thought_signature"]),
  words: new Set([
    "role",
    "id",
    "mimeType",
    "fileUri",
    "data",
    "thoughtSignature",
    "language",
    "outcome",
    "voiceName",
    "responseMimeType",
    "responseModalities",
    "mediaResolution",
    "thinkingLevel",
    "mode",
    "behavior",
    "category",
    "threshold",
    "method",
    "probability",
    "severity",
    "blockReason",
    "finishReason",
    "modelVersion",
    "responseId",
    "createTime",
    "scheduling",
    "urlRetrievalStatus",
    "languageCode",
  ]),
  kinds: {
    ...GRAMMAR.kinds,
    answer: { form: makeForm({ ...candidate, candidates: { kind: "candidate", takes: ["list"] } }) },
    candidate: {
      form: makeForm({ content: { kind: "content", takes: ["object"] }, logprobsResult: "again" }),
    },
    // In a stream only texts continue: a call or a file arrives whole.
    event: { form: makeForm({ ...candidate, candidates: { kind: "begun", takes: ["list"] } }) },
    begun: { form: makeForm({ content: { kind: "piece", takes: ["object"] }, logprobsResult: "again" }) },
    piece: { ...GRAMMAR.kinds.content, isPiece: true },
    call: { ...call, isPiece: false },
    response: { ...response, isPiece: false },
    media: { ...media, isPiece: false },
  },
};

/** A candidate's last event may have the end of its text too. */
function endedTexts({ candidates }: JsonObject): readonly string[] {
  return asArray(candidates).flatMap((candidate, at) => {
    const { finishReason, index = at } = asObject(candidate);
    return finishReason ? [`candidates[${index}]`] : [];
  });
}

/** A stream's parts share their path. */
function unseal(body: JsonObject, isChanged: IsChanged): JsonObject {
  return mapNodes(body, "candidates", (candidate, at) => {
    const path = `candidates[${candidate.index ?? at}].content.parts`;
    const unsign = (part: JsonObject, place: number): JsonObject => {
      const { thoughtSignature, thought_signature: other, ...rest } = part;
      const isSigned = part.thought === true && (thoughtSignature || other);
      return isSigned && (isChanged(`${path}[${place}].`) || isChanged(`${path}.`)) ? rest : part;
    };
    return mapNode(candidate, "content", (content) => mapNodes(content, "parts", unsign));
  });
}

export const GEMINI_TEXTS = makeNativeTexts(TEXTS, {
  toolRuns: /"(executableCode|codeExecutionResult|groundingMetadata|urlContextMetadata)":/,
  request: "body",
  answer: "answer",
  findEventKind: () => "event",
  readPath: () => "",
  endedTexts,
  unseal,
  thought: /^contents\[\d+\]\.parts\[\d+\]/,
  positions: POSITIONS,
});
