// OpenAI's embeddings API.
import { asObject, type JsonObject } from "../../core/json.ts";
import type { EmbeddingsForm, EmbeddingsReply, EmbeddingsRequest } from "../../operations/embeddings/form.ts";
import { EMBEDDINGS, refuseManyTokens } from "../../operations/embeddings/operation.ts";
import { toBase64, toFloats } from "../../operations/embeddings/vector.ts";
import { Checker, checkModelName, readFields } from "../checker.ts";
import { writeCost } from "../cost.ts";
import {
  type Exchange,
  type Incoming,
  refuseAsOpenai,
  refuseStream,
  type Stamp,
  type Surface,
  TRANSLATED_WHOLE,
} from "../surface.ts";
import { listTextInputs } from "../text-inputs.ts";
import { embeddingsRequestSchema } from "./schema.ts";

/** Fields that are read here; all others go on as they are, where the server may know them. */
const READ: ReadonlySet<string> = new Set([...Object.keys(embeddingsRequestSchema.properties), "stream"]);
const CHECKER = new Checker(embeddingsRequestSchema);

export const OPENAI_EMBEDDINGS: Surface<EmbeddingsForm> = {
  name: "openai-embeddings",
  family: "openai",
  operation: EMBEDDINGS,
  idPrefix: "embd-",
  read({ body }: Incoming): Exchange<EmbeddingsForm> {
    const ask = readEmbeddings(body);
    const whole = (reply: EmbeddingsReply, stamp: Stamp) => writeWhole(reply, stamp, ask.encoding);
    return { ...TRANSLATED_WHOLE, ask, whole };
  },
  refuse: refuseAsOpenai,
};

function readEmbeddings(body: unknown): EmbeddingsRequest {
  const given = readFields(body);
  const inputs = listTextInputs(given.input);
  CHECKER.check(given, inputs.length);
  checkModelName(given.model);
  if (given.stream === true) refuseStream();
  const ask = checked(given, inputs);
  refuseManyTokens(ask, "input");
  return ask;
}

/** The schema was checked: the fields are what its type says. */
function checked(given: JsonObject, inputs: readonly unknown[]): EmbeddingsRequest {
  const { model, encoding_format, input_type, truncate } = given;
  const dimensions = given.dimensions ?? given.output_dimension;
  const truncation =
    truncate ?? (given.truncation === undefined ? undefined : given.truncation ? "end" : "none");
  return {
    model,
    inputs,
    encoding: encoding_format ?? "float",
    ...(dimensions === undefined ? {} : { dimensions }),
    ...(input_type === undefined ? {} : { inputType: input_type }),
    ...(truncation === undefined ? {} : { truncation }),
    extras: Object.fromEntries(Object.entries(given).filter(([field]) => !READ.has(field))),
  } as EmbeddingsRequest;
}

function writeWhole(
  { vectors, usage }: EmbeddingsReply,
  { model }: Stamp,
  encoding: EmbeddingsRequest["encoding"],
): JsonObject {
  const prompt = usage?.amounts.prompt ?? 0;
  const write = encoding === "base64" ? toBase64 : toFloats;
  return {
    object: "list",
    data: vectors.map((vector, index) => ({ object: "embedding", index, embedding: write(vector) })),
    model,
    usage: { prompt_tokens: prompt, total_tokens: prompt, ...writeCost(asObject(usage)) },
  };
}
