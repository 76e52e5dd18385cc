// A server's lists as the gateway keeps them: each entry as JSON that is ready to be sent, under any name.
import { isObject, type JsonObject } from "../core/json/json.ts";
import { dropGatewayMeta } from "./wire/gateway-meta.ts";
import { type HeaderParameter, readHeaderParameters } from "./wire/header-parameters.ts";
import { findLeftOut } from "./wire/list-entries.ts";

export interface MirroredTool {
  /** The server's own name. */
  readonly name: string;
  readonly description: string | null;
  /** The entry without its name and both brackets: `"inputSchema":{…}`. */
  readonly members: string;
  /** The same for clients of the older era. */
  readonly olderMembers: string;
  readonly inputSchema: JsonObject;
  /** True if its annotations say that it changes nothing. */
  readonly isReadOnly: boolean;
  readonly parameters: readonly HeaderParameter[];
}

/** A prompt, a resource or a template of resources. */
export interface MirroredEntry {
  /** Its name, or its address. */
  readonly key: string;
  readonly members: string;
}

export interface LeftOut {
  readonly name: string;
  readonly reason: string;
}

export interface Mirror {
  readonly tools: ReadonlyMap<string, MirroredTool>;
  readonly prompts: readonly MirroredEntry[];
  readonly resources: readonly MirroredEntry[];
  readonly templates: readonly MirroredEntry[];
  readonly leftOut: readonly LeftOut[];
  /** The length of the tools' JSON. */
  readonly bytes: number;
}

/** The entries of all pages, as a server gave them. */
export interface RawLists {
  readonly tools: readonly unknown[];
  readonly prompts: readonly unknown[];
  readonly resources: readonly unknown[];
  readonly templates: readonly unknown[];
}

export const EMPTY_LISTS: RawLists = { tools: [], prompts: [], resources: [], templates: [] };

const TOOL_BYTES_MAX = 64 * 1024;
const TOOLS_MAX = 1000;
const BYTES_MAX = 4 * 1024 * 1024;
const NAME_SHOWN_MAX = 128;
const LEFT_OUT_MAX = 1000;

const isText = (value: unknown) => typeof value === "string";

/** Optional fields that strict clients reject a whole list for if their kind is wrong. */
const KINDS = new Map<string, (value: unknown) => boolean>([
  ["title", isText],
  ["description", isText],
  ["mimeType", isText],
  ["annotations", isObject],
  ["execution", isObject],
  ["outputSchema", isObject],
  ["_meta", isObject],
  ["icons", Array.isArray],
  ["arguments", Array.isArray],
]);

class Builder {
  readonly tools = new Map<string, MirroredTool>();
  readonly leftOut: LeftOut[] = [];
  bytes = 0;

  add(raw: unknown): void {
    const tool = isObject(raw) ? readTool(raw) : "not an object";
    if (typeof tool === "string") this.#leaveOut(raw, tool);
    else this.#keep(tool);
  }

  #keep(tool: MirroredTool): void {
    const bytes = Buffer.byteLength(tool.members);
    if (this.tools.has(tool.name)) this.#leaveOut(tool, "another tool has the same name");
    else if (bytes > TOOL_BYTES_MAX) this.#leaveOut(tool, `larger than ${TOOL_BYTES_MAX / 1024} KB`);
    else if (this.tools.size >= TOOLS_MAX) this.#leaveOut(tool, `beyond ${TOOLS_MAX} tools`);
    else if (this.bytes + bytes > BYTES_MAX)
      this.#leaveOut(tool, `beyond ${BYTES_MAX / 1024 / 1024} MB of all tools`);
    else {
      this.bytes += bytes;
      this.tools.set(tool.name, tool);
    }
  }

  #leaveOut(raw: unknown, reason: string): void {
    const name = isObject(raw) && typeof raw.name === "string" ? raw.name : "";
    if (this.leftOut.length < LEFT_OUT_MAX)
      this.leftOut.push({ name: name.slice(0, NAME_SHOWN_MAX).toWellFormed(), reason });
  }
}

/** Returns the tool, or the reason to leave it out. */
function readTool(raw: JsonObject): MirroredTool | string {
  const { name, inputSchema, execution, annotations } = raw;
  const reason = findLeftOut(raw);
  if (reason !== undefined) return reason;
  if (typeof name !== "string" || name === "") return "no name";
  if (!isObject(inputSchema) || inputSchema.type !== "object") return "its schema is not that of an object";
  if (isObject(execution) && execution.taskSupport === "required") return "it only runs as a task";
  const parameters = readHeaderParameters(inputSchema);
  if (typeof parameters === "string") return parameters;
  const { name: _, ...given } = keepKinds(raw);
  const members = writeMembers(given);
  return {
    name,
    description: typeof raw.description === "string" ? raw.description : null,
    members,
    olderMembers: needsOlderForm(given) ? writeMembers({ ...given, outputSchema: undefined }) : members,
    inputSchema,
    isReadOnly: isObject(annotations) && annotations.readOnlyHint === true,
    parameters,
  };
}

/** Older clients reject a whole list with a tool whose output isn't an object. */
function needsOlderForm({ outputSchema }: JsonObject): boolean {
  return isObject(outputSchema) && outputSchema.type !== "object";
}

function keepKinds(raw: JsonObject): JsonObject {
  const kept: JsonObject = {};
  for (const [field, value] of Object.entries(dropGatewayMeta(raw)))
    if (KINDS.get(field)?.(value) ?? true) kept[field] = value;
  return kept;
}

function writeMembers(given: JsonObject): string {
  return JSON.stringify(given).slice(1, -1);
}

function readEntry(raw: unknown, field: string): readonly MirroredEntry[] {
  if (!isObject(raw)) return [];
  const { [field]: key, ...given } = keepKinds(raw);
  if (typeof key !== "string" || key === "" || findLeftOut(raw) !== undefined) return [];
  const members = writeMembers(given);
  return Buffer.byteLength(members) > TOOL_BYTES_MAX ? [] : [{ key, members }];
}

/** Entries are kept up to the bounds of tools: each is small, and a doubled one is the server's own. */
function readEntries(raw: readonly unknown[], field: string): readonly MirroredEntry[] {
  const entries = new Map<string, MirroredEntry>();
  let bytes = 0;
  for (const one of raw) {
    for (const entry of readEntry(one, field)) {
      bytes += Buffer.byteLength(entry.members);
      if (entries.size < TOOLS_MAX && bytes <= BYTES_MAX && !entries.has(entry.key))
        entries.set(entry.key, entry);
    }
  }
  return sortByKey([...entries.values()]);
}

function sortByKey(entries: readonly MirroredEntry[]): readonly MirroredEntry[] {
  return entries.toSorted((one, other) => compareText(one.key, other.key));
}

/** The order is the same everywhere: caches of prompts depend on it. */
export function compareText(one: string, other: string): number {
  return one < other ? -1 : one > other ? 1 : 0;
}

export function buildMirror({ tools, prompts, resources, templates }: RawLists): Mirror {
  const builder = new Builder();
  for (const tool of tools) builder.add(tool);
  return {
    tools: builder.tools,
    prompts: readEntries(prompts, "name"),
    resources: readEntries(resources, "uri"),
    templates: readEntries(templates, "uriTemplate"),
    leftOut: builder.leftOut,
    bytes: builder.bytes,
  };
}

export interface ToolChanges {
  readonly added: readonly string[];
  readonly removed: readonly string[];
  /** Those with another description or schema: a model would read them in another way. */
  readonly changed: readonly string[];
}

export function compareMirrors(before: Mirror, after: Mirror): ToolChanges {
  const names = [...after.tools.keys()];
  return {
    added: names.filter((name) => !before.tools.has(name)),
    removed: [...before.tools.keys()].filter((name) => !after.tools.has(name)),
    changed: names.filter((name) => {
      const earlier = before.tools.get(name);
      return earlier !== undefined && earlier.members !== after.tools.get(name)?.members;
    }),
  };
}

/** True if clients would see other lists, or the operator other tools that are left out. */
export function areSameMirrors(before: Mirror, after: Mirror): boolean {
  const { added, removed, changed } = compareMirrors(before, after);
  const isSame = (field: "prompts" | "resources" | "templates") =>
    before[field].length === after[field].length &&
    before[field].every(({ key, members }, at) => {
      const other = after[field][at];
      return key === other?.key && members === other.members;
    });
  const areToolsSame = added.length + removed.length + changed.length === 0;
  return (
    areToolsSame &&
    areSameLeftOut(before, after) &&
    isSame("prompts") &&
    isSame("resources") &&
    isSame("templates")
  );
}

export function areSameLeftOut(before: Mirror, after: Mirror): boolean {
  return (
    before.leftOut.length === after.leftOut.length &&
    before.leftOut.every(({ name, reason }, at) => {
      const other = after.leftOut[at];
      return name === other?.name && reason === other.reason;
    })
  );
}
