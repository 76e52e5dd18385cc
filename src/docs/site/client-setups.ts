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
  /** The words on the marks for Claude's cache that it sets itself, in an API that has none. Missing if it sets none. */
  readonly marks?: string;
  /** Forms of requests beyond its API, and whether they were tried here. Missing if it has none. */
  readonly forms?: readonly { readonly form: string; readonly served: string; readonly tried: string }[];
  /** The lines that connect it with tool servers. Missing if they aren't known. */
  readonly tools?: readonly Snippet[];
  /** The part of `poundkey setup`. Missing if it does nothing with it. */
  readonly setup?: AgentSetup;
}

/** A value with placeholders in its texts and in the names of its fields. */
export type Template =
  | string
  | number
  | boolean
  | readonly Template[]
  | { readonly [name: string]: Template };

/** Fields are named by their path, the names separated by dots. */
type FieldTemplate =
  /** The agent itself changes the fields of `own` within it, whose values never count. */
  | { readonly set: string; readonly to: Template; readonly own?: readonly string[] }
  | { readonly remove: string }
  /** Stands before the other entries of a list, in the place of those that are equal to it in the fields of `same`. */
  | { readonly first: string; readonly to: Template; readonly same: readonly string[] };

/** `isSecret` marks a field that can hold a key, also one of before. */
export type SetupChange = FieldTemplate & { readonly isSecret?: boolean };

export interface SetupFile {
  /** The first whose variable is set counts. */
  readonly folder: readonly string[];
  /** The first that is there counts, else the first of all. */
  readonly names: readonly string[];
  readonly format: "json" | "toml" | "yaml" | "dotenv";
  /** True for an agent that ignores all of its JSON file if a comment or a trailing comma stands in it. */
  readonly isStrict?: boolean;
  /** The text of a new file, before the changes. */
  readonly begins?: string;
  readonly changes: readonly SetupChange[];
}

export interface AgentSetup {
  /** By one of them on PATH, or one of the places, the agent is found. */
  readonly programs: readonly string[];
  /** As the folders of files. */
  readonly places: readonly string[];
  /** It runs a command that prints the key, reads a file, has the key in its settings, or gets it from a person. */
  readonly key: "command" | "file" | "plain" | "person";
  /** A model without which it can't work, and what has to be done then. */
  readonly needs?: { readonly model: string; readonly words: string };
  readonly files: readonly SetupFile[];
  /** The changes that connect it with tool servers. */
  readonly tools?: readonly SetupFile[];
  /** The variables that count before what is written. */
  readonly outranking: readonly string[];
  /** The settings of a project, which count first. */
  readonly project?: string;
  /** The words on what a person has to do. */
  readonly person?: string;
  /** The words on what a person should know. */
  readonly says?: string;
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

export const AGENT_SETUPS: readonly (AgentSetup & { readonly name: string })[] = CLIENT_SETUPS.flatMap(
  ({ name, setup }) => (setup === undefined ? [] : [{ name, ...setup }]),
);

export const TOOL_SETUPS: readonly ToolSetup[] = ROWS.flatMap(({ name, title, tools }) =>
  tools === undefined ? [] : [{ name, title, tools }],
);
