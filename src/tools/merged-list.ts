// The lists of several servers as one client sees them, kept as bytes for each set of rights.
import type { AllowedTools } from "../core/limits/member-limits.ts";
import { isWholeServerAllowed } from "../core/tools/patterns.ts";
import type { ToolServer } from "../core/tools/tool-server.ts";
import { prepareLevels, prepareMatcher } from "./matcher.ts";
import { compareText, type Mirror, type MirroredEntry, type MirroredTool } from "./mirror.ts";
import { nameTools } from "./named-tools.ts";
import { fitName, makeResourceUri, makeToolName } from "./names.ts";
import type { Era } from "./wire/eras.ts";

/** A server and what it last said. `mirror` is null if it doesn't answer at the moment. */
export interface ServerLists {
  readonly server: ToolServer;
  readonly mirror: Mirror | null;
}

export type ListKind = "tools" | "prompts" | "resources" | "resourceTemplates";

/** A tool under the name that clients call it by. */
interface MergedTool {
  readonly name: string;
  readonly server: ToolServer;
  readonly tool: MirroredTool;
}

interface ListedEntry {
  readonly name: string;
  readonly server: ToolServer;
  readonly entry: MirroredEntry;
}

/** The field of an entry that holds its name, as the protocol has it. */
const NAMED: Readonly<Record<ListKind, string>> = {
  tools: "name",
  prompts: "name",
  resources: "uri",
  resourceTemplates: "uriTemplate",
};

/** All that one set of rights may see and call. */
export class MergedList {
  readonly tools: ReadonlyMap<string, MergedTool>;
  readonly prompts: ReadonlyMap<string, ListedEntry>;
  readonly #others: Readonly<Record<"resources" | "resourceTemplates", readonly ListedEntry[]>>;
  /** The servers of which prompts and resources may be read. */
  readonly wholeServers: ReadonlySet<string>;
  readonly #bytes = new Map<string, Uint8Array>();

  /** `isAll` for the address of all servers, where names hold the servers'. */
  constructor(lists: readonly ServerLists[], levels: readonly AllowedTools[], isAll: boolean) {
    const whole = lists.filter(({ server }) => isWholeServerAllowed(levels, server.name));
    const isAllowed = prepareLevels(levels);
    this.tools = sortByName(lists.flatMap((one) => listTools(one, isAllowed, isAll)));
    this.prompts = sortByName(whole.flatMap((one) => listPrompts(one, isAll)));
    const listUris = (field: "resources" | "templates") => [
      ...sortByName(whole.flatMap((one) => listResources(one, field, isAll))).values(),
    ];
    this.#others = { resources: listUris("resources"), resourceTemplates: listUris("templates") };
    this.wholeServers = new Set(whole.map(({ server }) => server.name));
  }

  get hasResources(): boolean {
    return this.#others.resources.length + this.#others.resourceTemplates.length > 0;
  }

  /** Returns the JSON of the list's array. */
  write(kind: ListKind, era: Era): Uint8Array {
    const form = kind === "tools" ? `${kind} ${era}` : kind;
    const known = this.#bytes.get(form);
    if (known !== undefined) return known;
    const bytes = Buffer.from(`[${this.#listEntries(kind, era).join(",")}]`);
    this.#bytes.set(form, bytes);
    return bytes;
  }

  /** Roughly, with what is kept beside the bytes that were written so far. */
  countBytes(): number {
    const written = [...this.#bytes.values()].reduce((sum, { byteLength }) => sum + byteLength, 0);
    return written + (this.tools.size + this.prompts.size) * 200;
  }

  #listEntries(kind: ListKind, era: Era): readonly string[] {
    const field = NAMED[kind];
    if (kind === "tools") {
      return [...this.tools.values()].map(({ name, tool }) =>
        writeEntry(field, name, era === "newer" ? tool.members : tool.olderMembers),
      );
    }
    const entries = kind === "prompts" ? [...this.prompts.values()] : this.#others[kind];
    return entries.map(({ name, entry }) => writeEntry(field, name, entry.members));
  }
}

function writeEntry(field: string, name: string, members: string): string {
  return `{"${field}":${JSON.stringify(name)}${members === "" ? "" : `,${members}`}}`;
}

function listTools(
  { server, mirror }: ServerLists,
  isAllowed: (name: string) => boolean,
  isAll: boolean,
): readonly MergedTool[] {
  if (mirror === null) return [];
  const isShown = prepareMatcher(server.tools);
  return nameTools(mirror, server.name)
    .tools.filter(({ tool, full }) => isShown(tool.name) && isAllowed(full))
    .map(({ tool, atAll, atServer }) => ({ name: isAll ? atAll : atServer, server, tool }));
}

function listPrompts({ server, mirror }: ServerLists, isAll: boolean): readonly ListedEntry[] {
  if (mirror === null || !server.prompts) return [];
  return mirror.prompts.map((entry) => ({
    name: isAll ? makeToolName(server.name, entry.key) : fitName(entry.key),
    server,
    entry,
  }));
}

function listResources(
  { server, mirror }: ServerLists,
  field: "resources" | "templates",
  isAll: boolean,
): readonly ListedEntry[] {
  if (mirror === null || !server.resources) return [];
  return mirror[field].map((entry) => ({
    name: isAll ? makeResourceUri(server.name, entry.key) : entry.key,
    server,
    entry,
  }));
}

/** If two have the same name, the first counts, so that a call means the same tool as the list. */
function sortByName<Listed extends { readonly name: string }>(
  listed: readonly Listed[],
): ReadonlyMap<string, Listed> {
  const byName = new Map<string, Listed>();
  for (const one of listed.toSorted((a, b) => compareText(a.name, b.name)))
    if (!byName.has(one.name)) byName.set(one.name, one);
  return byName;
}

const LISTS_MAX = 1000;
const BYTES_MAX = 128 * 1024 * 1024;

/** Keeps merged lists by rights and by what the servers last said, so that a list that is known is a copy of bytes. */
export class MergedLists {
  readonly #lists = new Map<string, MergedList>();
  /** A number for each object that a list was made of. */
  readonly #numbers = new WeakMap<object, number>();
  #next = 0;

  get(lists: readonly ServerLists[], levels: readonly AllowedTools[], isAll: boolean): MergedList {
    const parts = lists.map(
      ({ server, mirror }) => `${this.#number(server)}:${mirror ? this.#number(mirror) : ""}`,
    );
    const key = `${isAll} ${parts.join(" ")} ${JSON.stringify(levels)}`;
    const known = this.#lists.get(key);
    const list = known ?? new MergedList(lists, levels, isAll);
    this.#lists.delete(key);
    this.#lists.set(key, list);
    if (known === undefined) this.#dropOldest();
    return list;
  }

  #number(part: object): number {
    const known = this.#numbers.get(part);
    if (known !== undefined) return known;
    this.#numbers.set(part, ++this.#next);
    return this.#next;
  }

  #dropOldest(): void {
    let bytes = 0;
    for (const list of this.#lists.values()) bytes += list.countBytes();
    for (const [key, list] of this.#lists) {
      if (this.#lists.size <= LISTS_MAX && bytes <= BYTES_MAX) return;
      bytes -= list.countBytes();
      this.#lists.delete(key);
    }
  }
}
