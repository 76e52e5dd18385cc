// The table of plain things. Each takes a row here, and a step of the schema.
import type { PlainThing } from "./plain.ts";

export const PLAIN_THINGS: readonly PlainThing[] = [];
