// The places from which an input can be read on, and the names of tools in what comes before them.
import type { ToolName, ToolNames } from "./tools.ts";

/** The part of an input that only a provider of the family reads. */
export interface Unread {
  /** The places of items and parts. */
  readonly lost: string[];
  unreadBytes: number;
}

/** A place between two items at which no turn is open: what was read before it doesn't depend on what follows. */
interface Pause {
  readonly items: number;
  /** The messages, lost places and bytes before it. */
  readonly messages: number;
  readonly lost: number;
  readonly unreadBytes: number;
}

/** A tool of a call, and its name as other vendors' models see it. */
type CalledTool = ToolName & { readonly flat: string };

export class ReadPlaces {
  readonly #pauses: (Pause & { readonly calls: number })[] = [];
  readonly #calls: CalledTool[] = [];
  readonly #called = new Set<string>();

  pause(at: Pause): void {
    this.#pauses.push({ ...at, calls: this.#calls.length });
  }

  /** Returns a tool's flat name. */
  flatten(names: ToolNames, name: string, namespace: string | undefined): string {
    const before = names.changes;
    const flat = names.flatten(name, namespace);
    const tool = namespace === undefined ? { name, flat } : { name, namespace, flat };
    // A name that came before and has no effect will have none when the input is read on.
    if (names.changes !== before || !this.#called.has(nameTool(tool))) this.#note(tool);
    return flat;
  }

  /**
   * Goes on from the last place within the first items of an earlier input. Returns it, or null if there is none, or if a
   * tool has another flat name now.
   */
  resume(earlier: ReadPlaces, shared: number, names: ToolNames): Pause | null {
    const at = earlier.#pauses.findLastIndex(({ items }) => items <= shared);
    const pause = earlier.#pauses[at];
    if (pause === undefined) return null;
    const tools = earlier.#calls.slice(0, pause.calls);
    if (!isSameNamed(tools, names.copy())) return null;
    isSameNamed(tools, names);
    for (const tool of tools) this.#note(tool);
    for (const one of earlier.#pauses.slice(0, at + 1)) this.#pauses.push(one);
    return pause;
  }

  #note(tool: CalledTool): void {
    this.#called.add(nameTool(tool));
    this.#calls.push(tool);
  }
}

function isSameNamed(tools: readonly CalledTool[], names: ToolNames): boolean {
  return tools.every(({ name, namespace, flat }) => names.flatten(name, namespace) === flat);
}

function nameTool({ name, namespace }: ToolName): string {
  return namespace === undefined ? name : `${namespace}\n${name}`;
}
