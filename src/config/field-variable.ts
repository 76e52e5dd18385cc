// A field of the configuration that an environment variable replaces.
import type { TSchema } from "@sinclair/typebox";
import { Value } from "@sinclair/typebox/value";
import type { Issues } from "./errors.ts";
import type { Environment } from "./interpolate.ts";
import { readVariable } from "./providers/platform.ts";

/** Returns a variable that replaces the field with that schema, or null if it isn't set. */
export function readField(
  name: string,
  field: TSchema,
  env: Environment["env"],
  issues: Issues,
): string | null {
  const value = readVariable(env, name);
  if (value === "") return null;
  if (!Value.Check(field, value)) issues.atVariable(name, `expected ${field.expected}`);
  return value;
}
