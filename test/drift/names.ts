// Finds names that a newer release of a vendor's program has and ours doesn't know: in declarations, and betas in programs.
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { BETAS } from "../../src/surfaces/anthropic-messages/known.ts";
import { Declarations } from "../surfaces/declarations.ts";

/** The declarations that name fields, events, finish reasons, models and betas. */
const DECLARATIONS: Readonly<Record<string, readonly string[]>> = {
  openai: [
    "resources/responses/responses.d.ts",
    "resources/chat/completions/completions.d.ts",
    "resources/shared.d.ts",
    "resources/images.d.ts",
    "resources/embeddings.d.ts",
    "resources/batches.d.ts",
  ],
  "@anthropic-ai/sdk": [
    "resources/messages/messages.d.ts",
    "resources/beta/messages/messages.d.ts",
    "resources/beta/beta.d.ts",
  ],
  "@google/genai": ["dist/genai.d.ts"],
};

export const SDKS: readonly string[] = Object.keys(DECLARATIONS);

/** Returns the names that the newer release declares and the older one doesn't, sorted. */
export function listNewNames(sdk: string, older: string, newer: string): readonly string[] {
  const read = (modules: string) => {
    const paths = (DECLARATIONS[sdk] ?? []).map((path) => join(sdk, path));
    return new Set(paths.flatMap((path) => [...new Declarations(path, modules).listNames()]));
  };
  const known = read(older);
  return [...read(newer)].filter((name) => !known.has(name)).toSorted();
}

/** Returns the names in the form of a beta that the program contains and no row has, sorted. */
export function listUnknownBetas(program: string): readonly string[] {
  if (!existsSync(program)) return [];
  const text = readFileSync(program, "latin1");
  const names = [...text.matchAll(/["'`]([a-z][a-z0-9]*(?:-[a-z0-9]+)*-20\d\d-\d\d-\d\d)["'`]/g)];
  return [...new Set(names.flatMap(([, name]) => name ?? []))].filter((name) => !BETAS.find(name)).toSorted();
}
