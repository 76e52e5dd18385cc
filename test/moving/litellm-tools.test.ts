// LiteLLM's MCP servers and the permissions of its keys: what is taken never lets a key call more than before.
import { expect, test } from "bun:test";
import { createHash } from "node:crypto";
import { parse } from "yaml";
import { readConfig } from "../../src/moving/litellm/config.ts";
import { readOwners } from "../../src/moving/litellm/owners.ts";
import { NO_TABLES, type Tables } from "../../src/moving/litellm/tables.ts";
import { Report } from "../../src/moving/report.ts";
import { key } from "./tables.ts";

const FILE = `model_list:
  - { model_name: chat, litellm_params: { model: openai/gpt-5.4, api_key: k } }
mcp_servers:
  github_mcp:
    url: https://mcp.example.com/mcp
    auth_type: bearer_token
    auth_value: os.environ/GITHUB_TOKEN
    allowed_tools: [search_code, get_issue]
    disallowed_tools: [delete_repo]
    timeout: 20
    mcp_info: { server_name: GitHub, mcp_server_cost_info: { default_cost_per_query: 0.002, tool_name_to_cost_per_query: { search_code: 0.01 } } }
  docs: { url: "https://docs.example.com/mcp", allow_all_keys: true, access_groups: [reading] }
  keyed: { url: "https://keyed.example.com/mcp", transport: http, auth_type: api_key, auth_value: plain-secret, static_headers: { X-Team: search }, extra_headers: [x-user] }
  machine: { url: "https://m.example.com/mcp", auth_type: oauth2, oauth2_flow: client_credentials, token_url: "https://id.example.com/token", client_id: gateway, client_secret: os.environ/SECRET, scopes: [a, b] }
  local: { transport: stdio, command: npx, args: ["-y", "server"] }
  old: { url: "https://old.example.com/sse", transport: sse }
  people: { url: "https://people.example.com/mcp", auth_type: oauth2, oauth2_flow: authorization_code }
  wild: { url: "https://w.example.com/mcp", auth_type: bearer_token, auth_value: os.environ/UNUSED, disallowed_tools: ["delete *"] }
  bounded: { url: "https://b.example.com/mcp", allowed_params: { search: [q] } }
  bare: { url: "http://mcp.example.com/mcp" }
  query: { url: "https://mcp.example.com/mcp?apiKey=abc" }
  token: { url: "https://t.example.com/mcp", auth_type: oauth2, oauth2_flow: client_credentials, token_url: "http://id.example.com/token", client_id: gateway, client_secret: os.environ/SECRET }
  inside: { url: "http://mcp-server:8000/mcp", static_headers: { Content-Type: application/json, mcp-protocol-version: "2025-06-18", X-Team: search } }
litellm_settings: { mcp_aliases: { gh: github_mcp } }
`;
const reference = (name: string) => `\${${name}}`;
const id = (text: string) => createHash("sha256").update(text).digest("hex").slice(0, 32);
const GITHUB = id("github_mcp|https://mcp.example.com/mcp|http|bearer_token|gh");

function read(tables: Partial<Tables> = {}) {
  const report = new Report();
  const all = { ...NO_TABLES, teams: [], ...tables };
  const { config, ...reading } = readConfig({ value: parse(FILE), findLine: () => 1 }, report, all);
  const owners = readOwners(all, { ...reading, report, nowMs: 0, foreignUntilMs: 1 });
  return {
    servers: config.mcp?.servers,
    find: (name: string) => owners.keys.find((one) => one.key.name === name)?.key.allowedTools,
    account: (name: string) => owners.accounts.find((one) => one.account.name === name)?.account.allowedTools,
    row: (item: string) => report.rows.find((one) => one.item === item),
  };
}

test("servers of streamable HTTP are taken with their credentials, tools and prices", () => {
  const { servers, row } = read();
  expect(servers).toEqual({
    "github-mcp": {
      url: "https://mcp.example.com/mcp",
      auth: { bearer: reference("GITHUB_TOKEN") },
      tools: ["search_code", "get_issue", "!delete_repo"],
      timeout: "20s",
      price_per_call: 0.002,
      prices: { search_code: 0.01 },
    },
    docs: { url: "https://docs.example.com/mcp" },
    keyed: {
      url: "https://keyed.example.com/mcp",
      auth: { header: { "X-Team": "search", "X-API-Key": reference("MCP_KEYED_TOKEN") } },
    },
    machine: {
      url: "https://m.example.com/mcp",
      auth: {
        oauth: {
          token_url: "https://id.example.com/token",
          client_id: "gateway",
          client_secret: reference("SECRET"),
          scope: "a b",
        },
      },
    },
    inside: { url: "http://mcp-server:8000/mcp", auth: { header: { "X-Team": "search" } } },
  });
  expect(row("mcp_servers.github_mcp")).toMatchObject({ outcome: "taken", words: "mcp.servers.github-mcp" });
  for (const [name, reason] of [
    ["local", "stdio isn't taken"],
    ["old", "'sse' isn't spoken"],
    ["people", "people sign in at it one by one"],
    ["bounded", "limits the arguments"],
    ["wild", "can't all be named"],
    ["keyed.extra_headers", "x-user"],
    ["bare", "must be https"],
    ["query", "no query"],
    ["token", "token_url: its address must be https"],
    ["inside.static_headers", "the protocol sets"],
  ]) {
    const found = row(`mcp_servers.${name}`);
    expect([name, found?.outcome]).toEqual([name, "not_taken"]);
    expect(found?.words).toContain(reason ?? "");
  }
});

test("a key may call what it and its team were permitted, and without permission only what all may", () => {
  const permissions = [
    { object_permission_id: "p-all", mcp_servers: `{${GITHUB},gone}` },
    { object_permission_id: "p-one", mcp_tool_permissions: { gh: ["search_code", "bad name", "a*"] } },
    { object_permission_id: "p-team", mcp_servers: "{github_mcp,machine}", blocked_tools: "{get_issue}" },
    { object_permission_id: "p-group", mcp_access_groups: "{reading,nobody}" },
  ];
  const { find, account, row } = read({
    permissions,
    teams: [
      { team_id: "t", team_alias: "Search", object_permission_id: "p-team" },
      { team_id: "u", team_alias: "Bare" },
    ],
    keys: [
      key("none"),
      key("whole", { object_permission_id: "p-all" }),
      key("one", { object_permission_id: "p-one" }),
      key("group", { object_permission_id: "p-group" }),
      key("of the team", { team_id: "t" }),
      key("both", { team_id: "t", object_permission_id: "p-one" }),
      key("bare", { team_id: "u" }),
    ],
  });
  expect(find("none")).toEqual(["docs_*"]);
  expect(find("whole")).toEqual(["github-mcp_*", "docs_*"]);
  expect(find("one")).toEqual(["github-mcp_search_code", "docs_*"]);
  expect(find("group")).toEqual(["docs_*"]);
  expect(find("of the team")).toEqual(["github-mcp_*", "machine_*", "docs_*", "!*get_issue"]);
  expect(find("both")).toEqual(["github-mcp_search_code", "docs_*", "!*get_issue"]);
  expect(account("Search")).toEqual(["github-mcp_*", "machine_*", "docs_*", "github-mcp_search_code"]);
  expect(account("Bare")).toEqual(["docs_*"]);
  expect(row("key whole: object_permission_id")).toMatchObject({ outcome: "narrowed" });
  expect(row("tools of keys without a team")).toMatchObject({ outcome: "narrowed" });
});

test("what limits a key's user or organization limits its tools, and a list that can't be said in full allows none", () => {
  const permissions = [
    { object_permission_id: "p-key", mcp_servers: "{github_mcp,machine}" },
    { object_permission_id: "p-org", mcp_servers: "{machine}" },
    { object_permission_id: "p-odd", mcp_servers: "{machine}", blocked_tools: '{"two words"}' },
  ];
  const { find } = read({
    permissions,
    organizations: [{ organization_id: "o", object_permission_id: "p-org" }],
    keys: [
      key("org", { object_permission_id: "p-key", organization_id: "o" }),
      key("odd", { object_permission_id: "p-odd" }),
    ],
  });
  expect(find("org")).toEqual(["machine_*", "docs_*"]);
  expect(find("odd")).toEqual([]);
});
