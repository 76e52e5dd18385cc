// Names of the client's functions that the Agent API keeps for its own tools, and the way there and back.
import type { ChatRequest } from "../../operations/chat/form.ts";

/** Refused with a 400 as names of functions (Perplexity, "Function calling and tools"). */
const RESERVED: ReadonlySet<string> = new Set([
  "web_search",
  "search_web",
  "people_search",
  "search_people",
  "fetch_url",
  "finance_search",
  "sandbox",
]);

export interface ToolNames {
  /** The name that is sent for one of the client's. */
  upstream(name: string): string;
  /** The client's name for one that was called, or null when the client declared no such function. */
  client(name: string): string | null;
}

/** The names for a request: the same for its encoding and its answer. */
export function listToolNames(request: ChatRequest): ToolNames {
  const declared = (request.tools ?? []).map((tool) =>
    tool.type === "function" ? tool.function.name : tool.custom.name,
  );
  const taken = new Set(declared);
  const upstream = (name: string): string => {
    if (!RESERVED.has(name)) return name;
    let renamed = `client_${name}`;
    while (taken.has(renamed)) renamed = `client_${renamed}`;
    return renamed;
  };
  const back = new Map(declared.map((name) => [upstream(name), name]));
  return { upstream, client: (name) => back.get(name) ?? null };
}
