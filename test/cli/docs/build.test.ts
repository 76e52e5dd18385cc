// `poundkey docs build`: the manual as files, what it replaces and what it leaves, and mistakes in its arguments.
import { afterAll, expect, test } from "bun:test";
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { buildStaticManual } from "../../../src/app/build/static-manual.ts";
import { runCommandLine } from "../../../src/cli/commands.ts";
import { CHAPTER_NAMES } from "../../../src/docs/site/contents.ts";

const scratch = mkdtempSync(join(tmpdir(), "poundkey-docs-"));
afterAll(() => rmSync(scratch, { recursive: true }));

async function run(...args: readonly string[]) {
  const out: string[] = [];
  const err: string[] = [];
  const io = { out: (text: string) => void out.push(text), err: (text: string) => void err.push(text) };
  const code = await runCommandLine(["docs", ...args], io);
  return { code, out: out.join("\n"), err: err.join("\n") };
}

const folder = join(scratch, "manual");
const read = (name: string) => readFileSync(join(folder, name), "utf8");
const listPages = () => readdirSync(folder).filter((name) => name.endsWith(".html"));

test("it writes every page and text, and their links lead to its own files and anchors", async () => {
  const { code, out } = await run("build", folder);
  expect([code, out]).toEqual([0, expect.stringContaining(`files to ${folder}`)]);
  const names = new Set(readdirSync(folder));
  const wanted = CHAPTER_NAMES.flatMap((name) => [`${name}.html`, `${name}.md`]);
  const others = ["api.html", "404.html", "openapi.json", "llms.txt", "llms-full.txt", "overview.webp"];
  expect([...wanted, ...others].filter((name) => !names.has(name))).toEqual([]);
  const anchors = new Map(
    listPages().map((name) => [
      name,
      new Set([...read(name).matchAll(/ id="([^"]+)"/g)].map(([, id]) => id)),
    ]),
  );
  const dead = listPages().flatMap((page) =>
    [...read(page).matchAll(/(?:href|src|data-index|data-document)="([^"]*)"/g)]
      .map(([, to = ""]) => to)
      .filter((to) => !/^https?:/.test(to))
      .filter((to) => {
        const [file = "", anchor] = to.split("#");
        const target = file === "" ? page : file;
        if (!names.has(target)) return true;
        return anchor !== undefined && page !== "api.html" && anchors.get(target)?.has(anchor) === false;
      })
      .map((to) => `${page}: ${to}`),
  );
  expect(dead).toEqual([]);
  const texts = [...names].filter((name) => /\.(md|txt)$/.test(name));
  const links = texts.flatMap((name) =>
    [...read(name).matchAll(/\]\(([^)\s]*)\)/g)].map(([, to = ""]) => to),
  );
  expect(links.filter((to) => !/^(https?:|#)/.test(to) && !names.has(to.split("#")[0] ?? ""))).toEqual([]);
  for (const name of ["index.html", "api.html"]) expect(read(name)).not.toContain('class="aside"');
});

test("--address stands in every example, and --console links to a console; all else is replaced as it was", async () => {
  const first = new Map(readdirSync(folder).map((name) => [name, readFileSync(join(folder, name))]));
  writeFileSync(join(folder, "CNAME"), "docs.corp.example");
  const full = await run("build", folder);
  expect([full.code, full.err]).toEqual([1, expect.stringContaining("isn't empty")]);
  const address = "https://corp.example/llm";
  const other = await run("build", folder, "--address", `${address}/`, "--console", address, "--force");
  expect([other.code, other.err]).toEqual([0, ""]);
  for (const name of ["client-claude-code.html", "client-claude-code.md", "llms-full.txt"])
    expect([
      name,
      read(name).includes(address),
      /llm\.example\.com|127\.0\.0\.1:8080\b(?!\/;|; )/.test(read(name)),
    ]).toEqual([name, true, name === "llms-full.txt"]);
  expect(read("index.html")).toContain(`<a class="aside" href="${address}/">Console</a>`);
  expect(JSON.parse(read("openapi.json")).servers).toEqual([{ url: address }]);
  expect((await run("build", folder, "--force")).code).toBe(0);
  expect(read("CNAME")).toBe("docs.corp.example");
  const changed = [...first].filter(([name, bytes]) => !readFileSync(join(folder, name)).equals(bytes));
  expect(changed.map(([name]) => name)).toEqual([]);
});

test("where the manual is published, its pages are listed for search engines", async () => {
  const options = { address: null, console: null };
  const files = await buildStaticManual({ ...options, site: "https://docs.corp.example/a" });
  const listed = String(files.get("sitemap.txt")).trim().split("\n");
  const pages = [...CHAPTER_NAMES, "api"].map((name) => `https://docs.corp.example/a/${name}.html`);
  expect(listed).toEqual(pages.toSorted());
  expect(readdirSync(folder)).not.toContain("sitemap.txt");
});

test.each([
  ["no action", [], "expected an action: build"],
  ["another action", ["serve"], "expected an action: build"],
  ["no folder", ["build"], "name the folder to write into"],
  ["two folders", ["build", "a", "b"], 'unexpected argument "b"'],
  ["an unknown flag", ["build", "a", "--adress", "x"], "--address"],
  ...[
    "llm.example.com",
    "ftp://a",
    "https://",
    "https://a?b",
    "https://a#b",
    "https://u:p@a",
    'https://a/"',
  ].map(
    (url) =>
      [`the address ${url}`, ["build", "a", "--address", url], "--address must be an address"] as const,
  ),
  ["a console without a scheme", ["build", "a", "--console", "a/b"], "--console must be an address"],
] as const)("%s is wrong usage, and nothing is written", async (_, args, words) => {
  const { code, err } = await run(...args);
  expect([code, err]).toEqual([2, expect.stringContaining(words)]);
  expect(existsSync("a")).toBe(false);
});
