// The list of several servers as one client sees it.
import { describe, expect, test } from "bun:test";
import type { AllowedTools } from "../../src/core/limits/member-limits.ts";
import type { ToolServer } from "../../src/core/tools/tool-server.ts";
import { type ListKind, MergedList, MergedLists, type ServerLists } from "../../src/tools/merged-list.ts";
import { buildMirror, EMPTY_LISTS } from "../../src/tools/mirror.ts";

function makeServer(name: string, more: Partial<ToolServer> = {}): ToolServer {
  return {
    name,
    url: "http://127.0.0.1/mcp",
    auth: { kind: "none" },
    tools: ["*"],
    timeoutMs: 60_000,
    parallel: 32,
    pricePerCall: 0,
    prices: new Map(),
    resources: true,
    prompts: true,
    ...more,
  };
}

function makeLists(name: string, tools: readonly string[], more: Partial<ToolServer> = {}): ServerLists {
  const schema = { type: "object" };
  const outputSchema = { type: "array" };
  const mirror = buildMirror({
    ...EMPTY_LISTS,
    tools: tools.map((tool) => ({ name: tool, inputSchema: schema, outputSchema })),
    prompts: [{ name: "greet" }],
    resources: [{ uri: "file:///a", name: "a" }],
    templates: [{ uriTemplate: "file:///{b}", name: "b" }],
  });
  return { server: makeServer(name, more), mirror };
}

const LISTS = [
  makeLists("zoo", ["b", "a", "delete_a"]),
  makeLists("app", ["c/d"], { tools: ["*", "!delete_*"] }),
];

function listNames(levels: readonly AllowedTools[], isAll = true, lists: readonly ServerLists[] = LISTS) {
  return [...new MergedList(lists, levels, isAll).tools.keys()];
}

function readList(list: MergedList, kind: ListKind, era: "older" | "newer" = "newer") {
  return JSON.parse(Buffer.from(list.write(kind, era)).toString());
}

describe("tools", () => {
  test("are those of all levels and of the servers' own lists, by name", () => {
    expect(listNames([null])).toEqual([
      expect.stringMatching(/^app_c_d_[0-9a-f]{6}$/),
      "zoo_a",
      "zoo_b",
      "zoo_delete_a",
    ]);
    expect(listNames([["*", "!zoo_delete_*"], ["zoo_*"]])).toEqual(["zoo_a", "zoo_b"]);
    // Patterns know the name before it is fitted.
    expect(listNames([["app_c/d"]])).toHaveLength(1);
    expect(listNames([[]])).toEqual([]);
    expect(listNames([null], false, LISTS.slice(0, 1))).toEqual(["a", "b", "delete_a"]);
    const strict = [makeLists("zoo", ["a", "delete_a"], { tools: ["*", "!delete_*"] })];
    expect(listNames([null], true, strict)).toEqual(["zoo_a"]);
  });

  test("of a server that isn't there are missing", () => {
    const list = new MergedList([{ server: makeServer("down"), mirror: null }, ...LISTS], [["zoo_*"]], true);
    expect(readList(list, "tools")).toHaveLength(3);
  });

  test("are written for each era", () => {
    const list = new MergedList(LISTS, [["zoo_a"]], true);
    const tool = { name: "zoo_a", inputSchema: { type: "object" } };
    expect(readList(list, "tools")).toEqual([{ ...tool, outputSchema: { type: "array" } }]);
    expect(readList(list, "tools", "older")).toEqual([tool]);
  });
});

describe("prompts and resources", () => {
  test("are for keys that may use the whole server", () => {
    const list = new MergedList(LISTS, [["zoo_*", "app_*", "!app_c*"]], true);
    expect(readList(list, "prompts")).toEqual([{ name: "zoo_greet" }]);
    expect(readList(list, "resources")).toEqual([{ uri: "zoo+file:///a", name: "a" }]);
    expect(readList(list, "resourceTemplates")).toEqual([{ uriTemplate: "zoo+file:///{b}", name: "b" }]);
    expect([...list.wholeServers]).toEqual(["zoo"]);
    expect(list.hasResources).toBe(true);
  });

  test("aren't shown of a server that doesn't show them", () => {
    const hidden = [makeLists("zoo", ["a"], { resources: false, prompts: false })];
    const list = new MergedList(hidden, [null], true);
    expect([list.prompts.size, list.hasResources]).toEqual([0, false]);
  });
});

test("a list is made once for a set of rights, and again when a server says something else", () => {
  const merged = new MergedLists();
  const first = merged.get(LISTS, [["zoo_*"]], true);
  expect(merged.get([...LISTS], [["zoo_*"]], true)).toBe(first);
  expect(first.write("tools", "newer")).toBe(first.write("tools", "newer"));
  expect(merged.get(LISTS, [["zoo_a"]], true)).not.toBe(first);
  expect(merged.get(LISTS, [["zoo_*"]], false)).not.toBe(first);
  const changed = [makeLists("zoo", ["a"]), ...LISTS.slice(1)];
  expect([...merged.get(changed, [["zoo_*"]], true).tools.keys()]).toEqual(["zoo_a"]);
});
