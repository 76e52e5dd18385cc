// Names of tools at the gateway's address: they fit every model's API, are distinct, and never change.
import { describe, expect, test } from "bun:test";
import { makeFullName } from "../../src/core/tools/rules.ts";
import { fitName, makeResourceUri, makeToolName, splitResourceUri } from "../../src/tools/names.ts";

const FIT = /^[A-Za-z0-9_-]{1,48}$/;

describe("a tool's name", () => {
  test.each([
    ["github", "search_code", "github_search_code"],
    ["a", "x".repeat(46), `a_${"x".repeat(46)}`],
    // Pinned: another digest would break rules, prices and conversations that name the tool.
    ["files", "read.file/now", "files_read_file_now_d0384b"],
    ["files", "x".repeat(60), `files_${"x".repeat(35)}_36d793`],
  ])("of %s, %s is %s", (server, tool, name) => {
    expect(makeToolName(server, tool)).toBe(name);
  });

  test("fits, and none of 10,000 is there twice", () => {
    const tools = Array.from({ length: 10_000 }, (_, at) => {
      const word = `${["get", "liste.", "größe/", "読む", "a b"][at % 5]}${at * 7919}`;
      return at % 3 === 0 ? `${word}_${"long_".repeat(at % 30)}` : word;
    });
    const names = tools.map((tool) => makeToolName("server", tool));
    expect(names.filter((name) => !FIT.test(name))).toEqual([]);
    expect(new Set(names).size).toBe(new Set(tools).size);
  });

  test("on its server's own address stays as it is where it fits", () => {
    expect(fitName("search_code")).toBe("search_code");
    expect(fitName("search.code")).toMatch(/^search_code_[0-9a-f]{6}$/);
    expect(makeFullName("github", "search.code")).toBe("github_search.code");
  });
});

test("a resource's address holds its server's name", () => {
  const uri = makeResourceUri("files", "file:///a+b.txt");
  expect(uri).toBe("files+file:///a+b.txt");
  expect(splitResourceUri(uri)).toEqual({ server: "files", uri: "file:///a+b.txt" });
  expect(splitResourceUri("file:///a")).toBeNull();
  expect(splitResourceUri("+a")).toBeNull();
});
