// Connects the coding agents with the gateway's tool servers, as the manual says, and writes the names that they give tools.
import { asObject, parseJson } from "../../src/core/json/json.ts";
import { fillSnippet, type Snippet, TOOL_SETUPS } from "../../src/docs/site/client-setups.ts";
import { type Agent, type AgentRun, findProgram, type ToolCall } from "./agents.ts";

interface ToolAgent {
  /** The agent's. */
  readonly name: string;
  /** The client's in the manual. */
  readonly setup: string;
  /** Returns the name of a server's tool that the model is shown. */
  readonly write: (server: string, tool: string) => string;
  /** The agent's own tool that reads a server's resource, and its arguments. */
  readonly read: (server: string, uri: string) => ToolCall;
}

export const TOOL_AGENTS: readonly ToolAgent[] = [
  {
    name: "claude",
    setup: "claude-code",
    write: (server, tool) => `mcp__${server}__${tool}`,
    read: (server, uri) => ["ReadMcpResourceTool", { server, uri }],
  },
  {
    name: "codex",
    setup: "codex",
    write: (server, tool) => `mcp__${server}__${tool}`.replaceAll("-", "_"),
    read: (server, uri) => ["read_mcp_resource", { server, uri }],
  },
  {
    name: "gemini",
    setup: "gemini-cli",
    write: (server, tool) => `mcp_${server}_${tool}`,
    read: (_server, uri) => ["read_mcp_resource", { uri }],
  },
];

type Run = Omit<AgentRun, "prompt">;

/**
 * Connects the agent with addresses of the gateway by the names that it shall have for them. Returns the files and variables
 * of its runs.
 */
export async function connectTools(
  agent: Agent,
  run: Run,
  paths: Readonly<Record<string, string>>,
): Promise<Pick<AgentRun, "files" | "environment">> {
  const setup = TOOL_AGENTS.find(({ name }) => name === agent.name)?.setup;
  const [snippet] = TOOL_SETUPS.find(({ name }) => name === setup)?.tools ?? [];
  if (!snippet) throw new Error(`The manual doesn't connect ${agent.name} with tool servers.`);
  const codes = Object.entries(paths).map(([name, path]) => fillPath(snippet, run, name, path));
  if (snippet.language !== "sh") return { files: addToFile(agent, run, codes, snippet.language) };
  for (const code of codes) await runInShell(code.replace(/^claude /, `${findProgram(agent)} `), run.home);
  // It gives its model a search for tools otherwise, and those of servers that answer before its first request.
  return { environment: { ENABLE_TOOL_SEARCH: "false", MCP_CONNECTION_NONBLOCKING: "false" } };
}

function fillPath(snippet: Snippet, { url, secret }: Run, name: string, path: string): string {
  const code = snippet.code.replace("{address}/mcp", `{address}${path}`).replace("poundkey", name);
  return fillSnippet({ ...snippet, code }, url, secret);
}

/** Returns the agent's first file with the servers of the snippets in it. */
function addToFile(agent: Agent, run: Run, codes: readonly string[], language: Snippet["language"]) {
  const files = agent.files({ ...run, prompt: "" });
  const [file = "", own = ""] = Object.entries(files)[0] ?? [];
  if (language === "toml") return { [file]: [own, ...codes].join("\n\n") };
  const mcpServers = Object.assign({}, ...codes.map((code) => asObject(parseJson(code)).mcpServers));
  return { [file]: JSON.stringify({ ...asObject(parseJson(own)), mcpServers }) };
}

async function runInShell(command: string, home: string): Promise<void> {
  const env = { PATH: process.env.PATH ?? "", HOME: home };
  const child = Bun.spawn(["sh", "-c", command], { env, stdout: "pipe", stderr: "pipe", cwd: home });
  const said = await new Response(child.stderr).text();
  if ((await child.exited) !== 0) throw new Error(said);
}
