// The manual's search: every word counts, headings rank above texts, and the excerpt shows the match.
import { expect, test } from "bun:test";
import { readChapter } from "../../src/docs/chapter.ts";
import { type Entry, findSections } from "../../src/docs/search.ts";

const entry = (chapter: string, heading: string, text: string): Entry => {
  return { href: `/docs/${chapter}#${heading}`, chapter, heading, text };
};
const INDEX = [
  entry("Operating", "Stopping", "On SIGTERM work is refused. The drain ends after server.drain."),
  entry("Operating", "Failover", "A drain is mentioned here only once, among many other words."),
  entry("Configuration", "server", `${"word ".repeat(40)}drain and body_limit and more`),
];
const found = (query: string) => findSections(INDEX, query).map(({ entry: { heading } }) => heading);

test("finds sections that contain every word, ignoring case", () => {
  expect(found("drain").sort()).toEqual(["Failover", "Stopping", "server"]);
  expect(found("DRAIN body_limit")).toEqual(["server"]);
  expect(found("drain nonsense")).toEqual([]);
  expect(found("  ")).toEqual([]);
});

test("headings that contain the word come first", () => {
  expect(found("failover")[0]).toBe("Failover");
  expect(found("server")[0]).toBe("server");
});

test("the excerpt starts shortly before the word", () => {
  const [{ excerpt = "" } = {}] = findSections(INDEX, "body_limit");
  expect(excerpt).toStartWith("… word");
  expect(excerpt).toContain("drain and body_limit and more");
});

test("a chapter's text is split at its headings, without markup", () => {
  const { sections } = readChapter(
    "x",
    "# Title\n\nFirst `a < b`.\n\n## Two `x`\n\n| p | q |\n|---|---|\n| 1 | 2 |\n",
  );
  expect(sections).toEqual([
    { id: "", heading: "Title", text: "First a < b." },
    { id: "two-x", heading: "Two x", text: "p q 1 2" },
  ]);
});
