// The manual's search: forms of a word and synonyms count, headings rank above texts, and the excerpt shows the match.
import { expect, test } from "bun:test";
import { readChapter } from "../../../src/docs/site/chapter.ts";
import { buildIndex, type Entry, findSections } from "../../../src/docs/site/search.ts";
import { suggestPages } from "../../../src/docs/site/suggest.ts";
import { SYNONYMS } from "../../../src/docs/site/synonyms.ts";
import { findStem, splitWords } from "../../../src/docs/site/words.ts";

const entry = (chapter: string, heading: string, text: string): Entry => {
  return { href: `/docs/${chapter}#${heading}`, chapter, heading, text };
};
const INDEX = buildIndex([
  entry("Operating", "Stopping", "On SIGTERM work is refused. The drain ends after server.drain."),
  entry("Operating", "Failover", "A drain is mentioned here only once, among many other words."),
  entry("Configuration", "server", `${"word ".repeat(40)}drain and body_limit and more`),
  entry("Keys", "Restoring", "Backups are restored from https://example.com when a key's disk doesn't work."),
]);
const found = (query: string) => findSections(INDEX, query).map(({ entry: { heading } }) => heading);

test("finds sections that contain the query's words, ignoring case", () => {
  expect(found("drain").sort()).toEqual(["Failover", "Stopping", "server"]);
  expect(found("DRAIN body_limit")).toEqual(["server"]);
  expect(found("drain xyzzy")).toEqual(found("drain"));
  expect(found("xyzzy")).toEqual([]);
  expect(found("  ")).toEqual([]);
});

test("finds other forms of a word, names by their parts, and words as they are typed", () => {
  expect(found("backup restore")).toEqual(["Restoring"]);
  expect(found("restored backups")).toEqual(["Restoring"]);
  expect(found("body limits")).toEqual(["server"]);
  expect(found("body_lim")).toEqual(["server"]);
  expect(found("restroing")).toEqual(["Restoring"]);
});

test("finds synonyms, which rank below the word itself", () => {
  expect(found("shutdown")).toEqual([]);
  expect(found("rolling restart")[0]).toBe("Stopping");
  expect(found("disaster recovery")).toEqual(["Restoring"]);
});

test("an address isn't about HTTPS, and words that say nothing don't count", () => {
  expect(found("https")).toEqual([]);
  expect(found("why is there a failover")).toEqual(found("failover"));
  expect(found("why").length).toBe(0);
});

test("a name is one word and its parts, and an apostrophe is no end", () => {
  expect(splitWords("It's x-poundkey_a.").map(({ word }) => word)).toEqual([
    ..."its x-poundkey_a x poundkey a".split(" "),
  ]);
});

test.each([
  "charge charged charges charging",
  "stop stopped stopping stops",
  "policy policies",
  "fail failed failing fails",
  "retry retries",
  "full",
  "key keys",
])("%s have one stem", (forms) => {
  expect(new Set(forms.split(" ").map(findStem)).size).toBe(1);
});

test("synonyms stand in one row once", () => {
  for (const row of SYNONYMS) expect(row).toEqual([...new Set(row)]);
});

/** Sections of few words, of which those that should rank below stand first. */
const RANKED = buildIndex([
  entry("Others", "Fruit", "apple pear plum fig"),
  entry("configuration", "Retries", "a grape"),
  entry("Others", "Retries", "a grape"),
  entry("Others", "Elsewhere", "failover failover failover failover"),
  entry("Others", "Support", "support"),
  entry("Others", "Proxies", "proxy proxy"),
  entry("Webhooks", "Melon", "melon"),
  entry("Others", "Citrus", "lemon lemon juice"),
  entry("Others", "Files", "of ca_file"),
  entry("Operating", "Failover", "failover"),
]);
const ranked = (query: string) => findSections(RANKED, query).map(({ entry: { heading } }) => heading);

test("a section that its heading names is found, however little else of the query it has", () => {
  expect(ranked("apple pear plum fig melon")).toEqual(["Fruit", "Melon"]);
});

test("a chapter's title counts for its sections", () => {
  expect(ranked("webhooks")).toEqual(["Melon"]);
  expect(findSections(RANKED, "operating failover")[0]?.entry.heading).toBe("Failover");
});

test("words of every question and names of a gateway say little", () => {
  expect(ranked("support failover")[0]).toBe("Failover");
  expect(ranked("litellm proxy failover")).toEqual(ranked("failover"));
  expect(ranked("litellm proxy")).toEqual(["Proxies"]);
});

test("a name as in a file of settings says most", () => {
  expect(ranked("ca_file lemon")[0]).toBe("Files");
});

test("a word with one wrong letter is the word, also in a heading", () => {
  expect(ranked("faillover")[0]).toBe("Failover");
});

test("chapters that list everything come after those that explain", () => {
  expect(findSections(RANKED, "grape").map(({ entry: { chapter } }) => chapter)).toEqual([
    "Others",
    "configuration",
  ]);
});

test("an address that leads nowhere suggests pages of nearly its name, then what its words find", () => {
  const index = buildIndex([
    { href: "/docs/client-codex", chapter: "Codex", heading: "Codex", text: "Codex speaks Responses." },
    { href: "client-cursor.html", chapter: "Cursor", heading: "Cursor", text: "Cursor has settings." },
    entry("Keys", "Restoring", "Backups are restored."),
  ]);
  const suggested = (path: string) => suggestPages(index, path).map((one) => one.entry.heading);
  expect(suggested("/docs/clinet-codx")).toEqual(["Codex"]);
  expect(suggested("/manual/client-curser.html")[0]).toBe("Cursor");
  expect(suggested("/docs/restored-backups/")).toEqual(["Restoring"]);
  expect(suggested("/docs/xyzzy")).toEqual([]);
});

test("headings that contain the word come first", () => {
  expect(found("failover")[0]).toBe("Failover");
  expect(found("server")[0]).toBe("server");
});

test("the excerpt starts shortly before the word", () => {
  const [{ excerpt = "", words = [] } = {}] = findSections(INDEX, "body_limit");
  expect(words).toEqual(["body_limit"]);
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
