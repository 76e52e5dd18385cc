// The documents are consistent: links resolve, no fact is stated twice, the README stays short.
import { expect, test } from "bun:test";
import { existsSync } from "node:fs";
import { dirname, join, normalize } from "node:path";
import { REGISTERED } from "../http/registered.ts";
import { DOCUMENTS, ROOT, readDocument, readProse } from "./documents.ts";

const README_BYTES_MAX = 10_240;
const REPEATED_CHARACTERS_MAX = 200;

interface Link {
  readonly from: string;
  readonly to: string;
}

const links: readonly Link[] = DOCUMENTS.flatMap((from) =>
  [...readProse(from).matchAll(/\]\(([^)\s]+)\)/g)].map(([, to = ""]) => ({ from, to })),
);

/** The anchors of a document's headings, as GitHub and the manual's pages make them. */
function anchorsOf(path: string): ReadonlySet<string> {
  const rendered = Bun.markdown.html(readDocument(path), { headings: { ids: true } });
  return new Set([...rendered.matchAll(/<h\d id="([^"]*)"/g)].map(([, id = ""]) => id));
}

/** null: the link is right; else what is wrong with it. */
function wrongWith({ from, to }: Link): string | null {
  if (/^https?:/.test(to)) return null;
  const [path = "", anchor] = to.split("#");
  if (path.startsWith("/")) {
    return REGISTERED.some((route) => route.path === path) || path === "/docs/api"
      ? null
      : "there is no such route";
  }
  const file = path === "" ? from : normalize(join(dirname(from), path));
  if (!existsSync(join(ROOT, file))) return "there is no such file";
  // A page of the manual can only lead to others and show the pictures that are served beside it.
  const isServed = DOCUMENTS.includes(file) || file.startsWith("src/console/pictures/");
  if (from.startsWith("src/docs/") && !(isServed && file.startsWith("src/")))
    return "it is not in the manual";
  if (anchor === undefined || !file.endsWith(".md")) return null;
  return anchorsOf(file).has(anchor) ? null : "there is no such heading";
}

test("every link leads to a file, a heading or a route", () => {
  expect(links.length).toBeGreaterThan(100);
  const dead = links.flatMap((link) => {
    const wrong = wrongWith(link);
    return wrong === null ? [] : [`${link.from}: ${link.to}: ${wrong}`];
  });
  expect(dead).toEqual([]);
});

test("no paragraph or row appears twice", () => {
  const first = new Map<string, string>();
  const twice: string[] = [];
  for (const path of DOCUMENTS) {
    const pieces = readProse(path)
      .split(/\n\s*\n|\n(?=[-|])/)
      .map((piece) => piece.replace(/\s+/g, " ").trim());
    for (const piece of pieces) {
      if (piece.length <= REPEATED_CHARACTERS_MAX) continue;
      const before = first.get(piece);
      if (before !== undefined) twice.push(`${before} and ${path}: ${piece.slice(0, 80)}`);
      first.set(piece, path);
    }
  }
  expect(twice).toEqual([]);
});

test("the README stays short", () => {
  expect(Buffer.byteLength(readDocument("README.md"))).toBeLessThanOrEqual(README_BYTES_MAX);
});
