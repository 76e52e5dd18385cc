// The strings of the surfaces' own schemas, and which of them no vendor's SDK has.
import { DESCRIPTIONS, type OperationId } from "../../../src/surfaces/descriptions.ts";
import { flatten, Positions, readSchema, type Step } from "./positions-list.ts";
import { findTypes, SDK_BODIES, type SdkBody } from "./positions-sdks.ts";
import type { SdkTypes, Shape } from "./positions-types.ts";

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

/** Returns the ids of the positions that no SDK has, such as `/v1/rerank rank_fields`, and operations without a body here. */
export function listSchemaPositions(): { readonly own: readonly string[]; readonly unknown: readonly string[] } {
  const own = new Set<string>();
  const unknown: string[] = [];
  for (const [id, { schema }] of Object.entries(DESCRIPTIONS)) {
    const body = SDK_BODIES.find(({ path }) => path === PATHS[id as OperationId]);
    if (body) for (const name of listOwn(body, readSchema(schema))) own.add(`${body.path} ${name}`);
    else if (!HOLDING.includes(id)) unknown.push(id);
  }
  return { own: [...own], unknown };
}

function listOwn(body: SdkBody, schema: Shape): readonly string[] {
  const types = findTypes(body);
  const root: Shape = { kind: "named", name: body.type, within: "" };
  return new Positions(null)
    .list(schema, "")
    .filter(({ holds, path }) => holds !== "number" && follow([root], path, types).length === 0)
    .map(({ id }) => id.slice(1));
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
      return step === "[]" ? [shape.of] : [];
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
