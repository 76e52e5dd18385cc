// The bodies of a directory's requests: JSON in two types, within bounds.
import { Fault } from "../../core/faults/fault.ts";
import { parseBounded } from "../../core/json/bounds.ts";
import { isObject, type JsonObject } from "../../core/json/json.ts";
import { DirectoryRefusal } from "../../people/directory/refusal.ts";
import { type ArrivedBody, type BodyPorts, decodeUtf8, readHeld } from "../body/body.ts";

const BYTES_MAX = 1_048_576;
/** The members of the largest group have four fields each. */
const SHAPE = { depth: 20, elements: 250_000 } as const;
const TYPES: ReadonlySet<string> = new Set(["application/scim+json", "application/json"]);

/** Throws the Faults of a body of the wrong size or type, and the refusal `invalidSyntax` for what isn't an object. */
export async function readScimBody(request: Request, ports: BodyPorts): Promise<JsonObject> {
  const held = ports.bodies.open();
  try {
    const kind = { checkType, parse };
    return await readHeld(request, ports, { owner: "scim", bytesMax: BYTES_MAX, held }, kind);
  } finally {
    held.release();
  }
}

function checkType(headers: Headers): void {
  const [type = ""] = (headers.get("content-type") ?? "").toLowerCase().split(";");
  if (TYPES.has(type.trim())) return;
  const message = "The body must be of the type application/scim+json or application/json.";
  throw new Fault("unsupported_content_type", message);
}

function parse({ bytes }: ArrivedBody): JsonObject {
  const text = decodeUtf8(bytes, () => notJson());
  const body = tryParse(text);
  if (isObject(body)) return body;
  throw notJson();
}

function tryParse(text: string): unknown {
  try {
    return parseBounded(text, SHAPE);
  } catch {
    return undefined;
  }
}

function notJson(): DirectoryRefusal {
  return new DirectoryRefusal(
    "invalidSyntax",
    "the body must be one JSON object, nested no deeper than 20 levels",
  );
}
