// Tool servers and tools as the admin routes show them: to those who see everything, and to members of single accounts.
import { beforeEach, expect, test } from "bun:test";
import { listToolServers } from "../../src/admin/tools/tool-servers.ts";
import { getTool, listTools, type ToolParts } from "../../src/admin/tools/tools.ts";
import { LIMIT_RULES } from "../../src/core/settings.ts";
import type { ListedTool, ToolDirectory, ToolServerState } from "../../src/core/tools/tool-directory.ts";
import { Access } from "../../src/people/access.ts";
import { DAY, makeAccount, makeKey, NOON } from "../harness/samples.ts";
import { unrecorded } from "../harness/unrecorded.ts";
import { makeMember } from "../people/samples.ts";
import { adminBench, wrongWith } from "./admin-world.ts";

const bench = adminBench();

const TOOLS = ["github delete_repo", "github read", "github write", "jira read"].map((name): ListedTool => {
  const [server = "", tool = ""] = name.split(" ");
  return {
    name: `${server}_${tool}`,
    fullName: `${server}_${tool}`,
    server,
    tool,
    priceNanoUsd: server === "github" ? 2_000_000 : 0,
    description: `does ${tool}`,
    readDefinition: () => ({ title: tool, inputSchema: { type: "object" } }),
  };
});
const makeState = (name: string, fields: Partial<ToolServerState> = {}): ToolServerState => ({
  name,
  url: `https://${name}.example/mcp`,
  state: "up",
  era: "newer",
  version: "2026-07-28",
  error: null,
  tools: 3,
  leftOut: [{ name: "odd", reason: "no schema" }],
  checkedAtMs: NOON,
  ...fields,
});
const directory: ToolDirectory = {
  listServers: async () => [
    makeState("github"),
    makeState("jira", { state: "down", error: "connect to 10.0.0.7 refused", tools: 1 }),
    makeState("wiki", { tools: 0 }),
  ],
  listTools: async (server) => TOOLS.filter((tool) => server === undefined || tool.server === server),
};
const toolRights = { accountDefault: ["jira_*"], keyDefault: null, keyMaximum: null };

let parts: ToolParts;
beforeEach(async () => {
  const { world, clock } = bench();
  parts = {
    store: world.store,
    clock,
    directory,
    limitRules: () => ({ ...LIMIT_RULES, toolRights }),
  };
  const store = unrecorded(world.store);
  await store.addAccount(makeAccount("acct_team", { allowedTools: ["github_*", "!*_delete_*"] }));
  const limits = { ...LIMIT_RULES.memberDefaults, accountIds: null, budgets: null, allowedTools: ["*_read"] };
  const ruleLimits = JSON.stringify([limits]);
  await store.changeMember("mem_ann", () => makeMember("mem_ann", { ruleLimits }));
  const own = { accountId: "acct_team", memberId: "mem_ann" };
  await store.addKey(makeKey("key_own", own), "digest own");
  await store.addKey(makeKey("key_team", { accountId: "acct_team", createdAtMs: NOON }), "digest team");
  const wide = { accountId: "acct_team", allowedTools: ["*"] };
  await store.addKey(makeKey("key_ended", { ...wide, expiresAtMs: NOON - DAY }), "digest ended");
  await store.addKey(makeKey("key_none", { accountId: "acct_team", allowedTools: [] }), "digest none");
  await store.addKey(makeKey("key_default"), "digest default");
});

const member = () =>
  new Access({
    actor: { kind: "person", id: "mem_ann", name: "Ann" },
    grants: [{ role: "member", accountId: "acct_team" }],
    readsContent: false,
    memberId: "mem_ann",
    personId: "mem_ann",
    ends: null,
  });

const allowedFor = async (key: string) =>
  (await listTools(parts, { key })).data.filter(({ allowed }) => allowed).map(({ name }) => name);

test("a key may call what its account, its member and its own list allow", async () => {
  expect(await allowedFor("key_team")).toEqual(["github_read", "github_write"]);
  expect(await allowedFor("key_own")).toEqual(["github_read"]);
  expect(await allowedFor("key_none")).toEqual([]);
  expect(await allowedFor("key_default")).toEqual(["jira_read"]);
  expect(await wrongWith(() => listTools(parts, { key: "key_gone" }))).toBe("not_found");
});

test("tools are listed by name, in pages, with their price and without a key's right", async () => {
  const first = await listTools(parts, { limit: 3 });
  expect(first.next).toBe("github_write");
  expect(first.data[1]).toEqual({
    name: "github_read",
    server: "github",
    tool: "read",
    description: "does read",
    price_usd: 0.002,
    allowed: null,
  });
  const { data, next } = await listTools(parts, { limit: 3, after: "github_write" });
  expect([data.map(({ name }) => name), next]).toEqual([["jira_read"], null]);
  expect((await listTools(parts, { server: "jira" })).data).toHaveLength(1);
});

test("a member sees the tools of the account and of their rules alone, and no address", async () => {
  expect((await listTools(parts, {}, member())).data.map(({ name }) => name)).toEqual(["github_read"]);
  const { data } = await listToolServers(parts, member());
  expect(data.map(({ name, tools, left_out }) => [name, tools, left_out])).toEqual([["github", 1, []]]);
  expect(data[0]).not.toHaveProperty("url");
  expect(await wrongWith(() => getTool(parts, "github_write", member()))).toBe("not_found");
  expect(await wrongWith(() => listTools(parts, { key: "key_team" }, member()))).toBe("not_found");
  expect((await getTool(parts, "github_read", member())).users.map(({ key_id }) => key_id)).toEqual([
    "key_own",
  ]);
});

test("servers are shown with what is wrong with them, and without the reason to those who see no address", async () => {
  const { data } = await listToolServers(parts);
  expect(data.map(({ name, state, url }) => [name, state, url])).toEqual([
    ["github", "up", "https://github.example/mcp"],
    ["jira", "down", "https://jira.example/mcp"],
    ["wiki", "up", "https://wiki.example/mcp"],
  ]);
  expect(data[1]?.error).toContain("10.0.0.7");
  const viewer = new Access({
    actor: { kind: "token", id: "tok", name: "t" },
    grants: [{ role: "viewer", accountId: null }],
    readsContent: false,
    memberId: null,
    personId: null,
    ends: null,
  });
  const shown = JSON.stringify(await listToolServers(parts, viewer));
  expect(shown).toContain('"name":"wiki"');
  expect(shown).not.toMatch(/10\.0\.0\.7|example/);
});

test("a tool has its schema and the keys that may call it, but for those that have ended", async () => {
  const tool = await getTool(parts, "github_read", new Access({ ...ADMIN }));
  expect(tool).toMatchObject({ title: "read", input_schema: { type: "object" }, output_schema: null });
  expect(tool.users.map(({ key_id }) => key_id)).toEqual(["key_team", "key_own"]);
  expect(tool.are_users_complete).toBe(true);
});

const ADMIN = {
  actor: { kind: "admin", id: "admin", name: "admin" },
  grants: [{ role: "admin", accountId: null }],
  readsContent: true,
  memberId: null,
  personId: null,
  ends: null,
} as const;
