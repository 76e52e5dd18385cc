// Finds the fields of a body that are surely misspelt: a limit or a tool that is left out unnoticed costs more than an error.
import { Fault } from "../../core/faults/fault.ts";
import { findWithin } from "../../core/text/nearest.ts";
import { generateSchema } from "../gemini/schema.ts";
import { toDocumented } from "../gemini/spelling.ts";
import { SURFACES } from "../index.ts";
import type { AnySurface } from "../surface.ts";
import { HOLDERS, WISHES } from "./constraints.ts";

/** Shorter names have too many others beside them. */
const CHARACTERS_MIN = 5;
/** Up to this length, one edit makes another word. */
const SHORT_CHARACTERS = 7;

/** Each name is compared with every field. A request of more unknown ones isn't a mistyped one. */
const NAMES_MAX = 200;

/** Fields of the vendors' SDKs that no schema here has, and that are near one of another API: a new release may add more. */
const SDK_FIELDS = ["responseModalities", "continuationToken", "languages"] as const;

/** A field of a body, and the field of its surface that it was meant to be. */
interface MisspeltField {
  readonly field: string;
  readonly meant: string;
}

let known: ReadonlySet<string> | null = null;

/** Returns the fields of all surfaces, and those of other gateways that are known here. */
function listKnownFields(): ReadonlySet<string> {
  known ??= new Set([
    ...SURFACES.flatMap(({ surface }) => listFields(surface)),
    // Google's clients have these at the top.
    ...Object.keys(generateSchema.properties.generationConfig.properties),
    ...HOLDERS,
    ...WISHES,
    ...SDK_FIELDS,
  ]);
  return known;
}

function listFields(surface: AnySurface): readonly string[] {
  return surface.use(({ fields }) => [...fields]);
}

/**
 * Returns the first of the fields, which the surface doesn't have, that nearly is one of its own. Null if none of the first
 * 200 is. A field is known to somebody if `isKnown` says so.
 */
export function findMisspelt(
  names: readonly string[],
  fields: ReadonlySet<string>,
  isKnown: (field: string) => boolean,
): MisspeltField | null {
  for (const field of names.slice(0, NAMES_MAX)) {
    // Google's API has two spellings of each field.
    const spelt = fields.has("generationConfig") ? toDocumented(field) : field;
    if (field.length < CHARACTERS_MIN || fields.has(spelt)) continue;
    const meant = findWithin(spelt, fields, spelt.length <= SHORT_CHARACTERS ? 1 : 2);
    if (meant !== null && !isKnown(field) && !listKnownFields().has(field)) return { field, meant };
  }
  return null;
}

export function refuseMisspelt({ field, meant }: MisspeltField): Fault {
  return new Fault("unknown_parameter", `Unknown parameter: '${field}'. Did you mean '${meant}'?`, {
    param: field,
  });
}
