// Every client of the gateway with the lines that connect it: the manual's pages and the console's tabs are made of this table.
import setups from "./client-setups.yaml";

export interface Snippet {
  /** Tells what to do with it. */
  readonly about: string;
  readonly language: "sh" | "toml" | "json" | "yaml" | "js" | "python";
  /** `{address}` stands for the gateway's address, without a path, `{key}` for the key. */
  readonly code: string;
}

export interface ClientSetup {
  /** The name of its page is `client-<name>`. */
  readonly name: string;
  readonly title: string;
  readonly kind: "agent" | "library";
  /** The API that it speaks. */
  readonly speaks: "Messages" | "Responses" | "generateContent" | "chat completions";
  readonly snippets: readonly Snippet[];
  /** Facts that would surprise otherwise. */
  readonly notes: readonly string[];
  /** Forms of requests beyond its API, and whether they were tried here. Missing if it has none. */
  readonly forms?: readonly { readonly form: string; readonly served: string; readonly tried: string }[];
  /** The lines that connect it with tool servers. Missing if they aren't known. */
  readonly tools?: readonly Snippet[];
}

/** A client of tool servers. */
interface ToolSetup extends Pick<ClientSetup, "name" | "title"> {
  readonly tools: readonly Snippet[];
}

/** Returns a snippet's code for a gateway and a key. */
export function fillSnippet({ code }: Snippet, address: string, key: string): string {
  return code.replaceAll("{address}", address).replaceAll("{key}", key);
}

const ROWS: readonly (ClientSetup | ToolSetup)[] = setups;

export const CLIENT_SETUPS: readonly ClientSetup[] = ROWS.filter((row) => "snippets" in row);

export const TOOL_SETUPS: readonly ToolSetup[] = ROWS.flatMap(({ name, title, tools }) =>
  tools === undefined ? [] : [{ name, title, tools }],
);
