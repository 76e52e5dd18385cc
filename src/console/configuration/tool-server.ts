// A tool server as YAML.
import type { ConfigurationProposal } from "./proposal.tsx";
import { readWords, writeReference } from "./yaml.ts";

export const TOOL_SERVER: ConfigurationProposal = {
  title: "A tool server",
  about:
    "It speaks streamable HTTP. Keys may call no tool until mcp.allowed_tools, their account or they themselves allow it.",
  fields: [
    {
      name: "name",
      label: "Name",
      placeholder: "github",
      hint: "Its tools' names begin with it, as in github_search",
    },
    { name: "url", label: "Address", placeholder: "https://mcp.example.com/mcp" },
    {
      name: "bearer",
      label: "Environment variable with its token",
      placeholder: "GITHUB_TOKEN",
      hint: "Empty if it asks for none",
    },
    {
      name: "tools",
      label: "Only these of its tools",
      placeholder: "get_* list_* !list_secrets",
      hint: "Empty for all",
    },
  ],
  write: ({ name = "", url = "", bearer = "", tools = "" }) => {
    if (name.trim() === "" || url.trim() === "") return null;
    const auth = bearer.trim() === "" ? undefined : { bearer: writeReference(bearer) };
    return { mcp: { servers: { [name.trim()]: { url: url.trim(), auth, tools: readWords(tools) } } } };
  },
};
