// The changes that aren't released yet: a file each in src/changes, and the changelog's section that is made from them.
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { parse } from "yaml";
import { asObject, asString } from "../../src/core/json/json.ts";
import { ROOT } from "./documents.ts";

/** The parts of a release in their order, with the most changes that a reader is asked to read there. */
export const PARTS = [
  { kind: "before-you-upgrade", title: "Before you upgrade", most: 5 },
  { kind: "new", title: "New", most: 10 },
  { kind: "changed", title: "Changed", most: 40 },
  { kind: "fixed", title: "Fixed", most: 40 },
] as const;

export interface Change {
  readonly file: string;
  readonly kind: string;
  /** A page of the manual, from `src/` on, with or without a place in it. */
  readonly page: string | null;
  readonly text: string;
}

export function readChanges(): readonly Change[] {
  const folder = join(ROOT, "src/changes");
  return readdirSync(folder)
    .filter((file) => file !== "README.md")
    .toSorted()
    .map((file) => readChange(file, readFileSync(join(folder, file), "utf8")));
}

function readChange(file: string, source: string): Change {
  const [, head = "", text = ""] = /^---\n([\s\S]*?)\n---\n([\s\S]*)$/.exec(source) ?? [];
  if (head === "")
    throw new Error(`src/changes/${file} doesn't begin with its kind, between two lines of ---.`);
  const { kind, page } = asObject(parse(head));
  return {
    file,
    kind: asString(kind) ?? "",
    page: asString(page) ?? null,
    text: text.trim().replaceAll(/\s+/g, " "),
  };
}

/** The section of the changes that aren't released yet, or nothing if there are none. */
export function renderUnreleased(changes: readonly Change[]): string {
  if (changes.length === 0) return "";
  const parts = PARTS.flatMap(({ kind, title }) => {
    const lines = changes.filter((change) => change.kind === kind).map(renderChange);
    return lines.length === 0 ? [] : [`### ${title}\n\n${lines.join("\n")}\n`];
  });
  return `\n## Unreleased\n\n${parts.join("\n")}`;
}

function renderChange({ page, text }: Change): string {
  return `- ${text}${page === null ? "" : ` ([manual](src/${page}))`}`;
}
