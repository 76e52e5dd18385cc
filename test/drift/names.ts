// Finds the names that a newer release of a package declares and an older one doesn't.
import { type ReleaseFile, readFiles } from "./files.ts";
import type { Package } from "./packages.ts";

const SYNTAX = {
  other: { comments: /\/\*[\s\S]*?\*\//g, fields: /^ +(?:readonly )?(\w+)\??: /gm },
  python: { comments: /"""[\s\S]*?"""|#.*$/gm, fields: /^ +(\w+): /gm },
} as const;

/** Returns the names that the newer release declares and the older one doesn't, sorted. Folders are the package's own. */
export function listNewNames(one: Package, older: string, newer: string): readonly string[] {
  const read = (folder: string) => new Set(readFiles(folder, one.declarations).flatMap(listNames));
  const known = read(older);
  return [...read(newer)].filter((name) => !known.has(name)).toSorted();
}

/** Lists every field, and every literal that names something. */
function listNames({ text, language }: ReleaseFile): readonly string[] {
  const { comments, fields } = SYNTAX[language];
  const code = text.replace(comments, "");
  const literals = [...code.matchAll(/['"]([\w.#-]+)['"]/g)];
  return [...code.matchAll(fields), ...literals].flatMap(([, name]) => name ?? []);
}
