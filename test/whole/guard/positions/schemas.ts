// The strings of the surfaces' own schemas, and which of them no vendor's SDK has.
import { DESCRIPTIONS, type OperationId } from "../../../../src/surfaces/descriptions.ts";
import { flatten, type Position, Positions, readSchema, type Step } from "./list.ts";
import { findTypes, type SdkBody } from "./sdks.ts";
import type { SdkTypes, Shape } from "./types.ts";

/** The path of an SDK's body that a described operation reads. Null for one that reads no texts but these. */
const PATHS: Partial<Record<OperationId, string>> = {
  createChatCompletion: "/v1/chat/completions",
  createMessage: "/v1/messages",
  countMessageTokens: "/v1/messages",
  createResponse: "/v1/responses",
  countResponseTokens: "/v1/responses",
  compactResponse: "/v1/responses",
  createCompletion: "/v1/completions",
  createEmbeddings: "/v1/embeddings",
  createImage: "/v1/images/generations",
  editImage: "/v1/images/edits",
  createSpeech: "/v1/audio/speech",
  createTranscription: "/v1/audio/transcriptions",
  createTranslation: "/v1/audio/transcriptions",
  rerank: "/v1/rerank",
  createModeration: "/v1/moderations",
  createInteraction: "/v1/interactions",
  generateContent: "/v1beta/models/{model}:generateContent",
  streamGenerateContent: "/v1beta/models/{model}:generateContent",
  embedContent: "/v1beta/models/{model}:embedContent",
};

/** The operations whose bodies hold those of another one. */
const HOLDING: readonly string[] = ["countTokens", "batchEmbedContents"];

/** Described operations of which no body is searched here. */
export function listUnsearched(): readonly string[] {
  return Object.keys(DESCRIPTIONS).filter((id) => !isSearched(id) && !HOLDING.includes(id));
}

const isSearched = (id: string) => PATHS[id as OperationId] !== undefined;

/** Returns the positions of a body that no SDK has, such as `schema.rank_fields`. */
export function listOwn(body: SdkBody): readonly Position[] {
  const types = findTypes(body);
  const root: Shape = { kind: "named", name: body.type, within: "" };
  const own = new Map<string, Position>();
  for (const [id, { schema }] of Object.entries(DESCRIPTIONS)) {
    if (PATHS[id as OperationId] !== body.path) continue;
    for (const position of new Positions(null).list(readSchema(schema), "schema")) {
      const isOwn = position.holds !== "number" && follow([root], position.path, types).length === 0;
      if (isOwn) own.set(position.id, position);
    }
  }
  return [...own.values()];
}

/** Returns the shapes to which a path leads. */
function follow(shapes: readonly Shape[], path: readonly Step[], types: SdkTypes): readonly Shape[] {
  return path.reduce((at, step) => at.flatMap((one) => stepDown(one, step, types)), shapes);
}

function stepDown(shape: Shape, step: Step, types: SdkTypes): readonly Shape[] {
  switch (shape.kind) {
    case "any":
      return [shape];
    case "union":
      return shape.of.flatMap((one) => stepDown(one, step, types));
    case "named": {
      const found = types.find(shape.name, shape.within);
      return found ? stepDown(found.shape, step, types) : [];
    }
    case "list":
      // A surface may take one thing in the place of a list.
      return step === "[]" ? [shape.of] : stepDown(shape.of, step, types);
    case "map":
      return step === "*" || typeof step === "object" ? [shape.of] : [];
    case "both":
    case "object": {
      const { fields } = flatten(shape, types);
      const field = typeof step === "object" ? fields.get(step.field) : undefined;
      const held = field ?? fields.get("*");
      return held ? [held.shape] : [];
    }
    default:
      return [];
  }
}
