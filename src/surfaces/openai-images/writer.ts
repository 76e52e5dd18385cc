// Images as OpenAI's JSON and events: drafts as they arrive, and each image with its usage.
import type { JsonObject } from "../../core/json/json.ts";
import { LongText } from "../../core/json/long.ts";
import type { ImagesForm, ImagesReply, Picture } from "../../operations/images/form.ts";
import type { WorkUsage } from "../../operations/whole-form.ts";
import { writeCost } from "../cost.ts";
import { makePieceWriter, typedEvent } from "../event-stream.ts";
import { Document, type Stamp, type Writer } from "../surface.ts";

type ImagesPiece = ImagesForm["piece"];

export function writeWhole(
  { pictures, settings, usage }: ImagesReply,
  { created }: Stamp,
): JsonObject | Document {
  const rest = { created, ...settings, usage: writeUsage(usage) };
  if (!pictures.some(({ b64_json }) => b64_json instanceof LongText)) return { ...rest, data: pictures };
  const head = JSON.stringify(rest).slice(0, -1);
  const data = pictures.flatMap((picture, at) => [at === 0 ? "" : ",", ...writePicture(picture)]);
  return new Document("application/json", { pieces: [`${head},"data":[`, ...data, "]}"] });
}

/** Returns an image's JSON in pieces. Base64 needs no escaping, so its pieces are used unchanged. */
function writePicture({ b64_json, ...rest }: Picture): readonly (string | Uint8Array<ArrayBuffer>)[] {
  if (!(b64_json instanceof LongText)) return [JSON.stringify({ b64_json, ...rest })];
  const tail = JSON.stringify(rest).slice(1);
  return ['{"b64_json":"', ...b64_json.pieces, tail === "}" ? '"}' : `",${tail}`];
}

function writeUsage(usage: WorkUsage | null): JsonObject {
  const { prompt = 0, inputImage = 0, completion = 0, outputImage = 0 } = usage?.amounts ?? {};
  return {
    input_tokens: prompt,
    output_tokens: completion,
    total_tokens: prompt + completion,
    input_tokens_details: { image_tokens: inputImage, text_tokens: prompt - inputImage },
    output_tokens_details: { image_tokens: outputImage, text_tokens: completion - outputImage },
    ...writeCost(usage),
  };
}

/** Drafts are written as they arrive; an image waits for its usage. */
export function makePictureWriter(stamp: () => Stamp, isEdit: boolean): Writer<ImagesPiece> {
  /** The latest reply. The last one waits for the usage of all. */
  let held: ImagesReply | null = null;
  let replies = 0;
  const writeEvent = (kind: "partial_image" | "completed", fields: JsonObject) => {
    const type = `${isEdit ? "image_edit" : "image_generation"}.${kind}`;
    return typedEvent({ type, ...fields, created_at: stamp().created });
  };
  const writeHeld = (usage: WorkUsage | null) => {
    const { pictures = [], settings } = held ?? {};
    held = null;
    return pictures
      .map((picture) => writeEvent("completed", { ...picture, ...settings, usage: writeUsage(usage) }))
      .join("");
  };
  return makePieceWriter((piece: ImagesPiece) => {
    if (piece.kind === "part") {
      const { index, b64_json, settings } = piece.part;
      return writeEvent("partial_image", { b64_json, partial_image_index: index, ...settings });
    }
    const own = held?.usage ?? null;
    if (piece.kind === "usage")
      return writeHeld(replies > 1 && own ? { ...piece.usage, amounts: own.amounts } : piece.usage);
    const before = writeHeld(own);
    held = piece.reply;
    replies++;
    return before;
  });
}
