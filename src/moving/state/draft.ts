// The plan of a state file while it is made: its changes, its mistakes, and the rows that its entries stand for.
import type { AuditAction } from "../../core/audit/audit-log.ts";
import type { RowChange } from "../../core/changes.ts";
import type { JsonObject } from "../../core/json/json.ts";
import type { Entry, Kind, Path, State, StateIssue } from "./file.ts";
import type { KnownState, StateWorld } from "./known.ts";
import type { Memory, MemoryEntry } from "./memory.ts";

/** A secret that was just made, before the row that it belongs to. */
export interface MadeSecret {
  readonly kind: string;
  readonly id: string;
  readonly name: string;
  readonly accountId: string | null;
  readonly secret: string;
}

/** Is called before what the secret is for exists, so that no key is made whose secret nobody has. */
export type KeepSecret = (made: MadeSecret) => void;

/** A change as it is shown, named as its entry of the audit log is. */
export interface ChangeOutline {
  readonly action: string;
  readonly kind: string;
  readonly id: string;
  readonly name: string;
  /** The name of a key's account. Null for all else. */
  readonly account: string | null;
  /** The fields that differ, as they are and as they will be. Null if there is no row before it, or after it. */
  readonly before: JsonObject | null;
  readonly after: JsonObject | null;
  /** True if the file is as it was when it was last applied: somebody has changed this here since. */
  readonly isDrift: boolean;
}

export interface Change extends ChangeOutline {
  readonly action: AuditAction;
  readonly kind: Kind;
  readonly run: (world: StateWorld, keep: KeepSecret) => Promise<unknown>;
}

/** A part that stays as it is, though the file, or its pruning, would have it otherwise. */
export interface KeptEntry extends Pick<ChangeOutline, "kind" | "id" | "name" | "account"> {
  readonly reason: string;
}

export interface PlanOutline<One extends ChangeOutline = ChangeOutline> {
  readonly changes: readonly One[];
  /** Changes that remove what this file made before, after all others. */
  readonly removals: readonly One[];
  readonly kept: readonly KeptEntry[];
  /** The number of entries that are here as the file has them. */
  readonly unchanged: number;
  /** The number of live accounts, keys, aliases and tokens that the file doesn't have. */
  readonly others: number;
  /** The live nodes of older programs, with these, that the changes would stop, as they wouldn't keep them. */
  readonly olderNodes: readonly string[];
  /** Returns the name of an account, also of one that is still to be made. */
  readonly nameAccount: (id: string) => string;
}

export interface Plan extends PlanOutline<Change> {
  /** The file's name here. */
  readonly file: string;
  readonly issues: readonly StateIssue[];
  readonly before: Memory;
  readonly entries: readonly MemoryEntry[];
}

/** The parts of a plan that its sections share and fill. */
export class Draft {
  readonly issues: StateIssue[] = [];
  readonly changes: Change[] = [];
  readonly kept: KeptEntry[] = [];
  /** The accounts and keys as they will be. */
  readonly rows: RowChange[] = [];
  readonly entries: MemoryEntry[] = [];
  readonly known: KnownState;
  readonly memory: Memory;
  readonly state: State;
  readonly #byId: ReadonlyMap<string, MemoryEntry>;
  readonly #byPlace: ReadonlyMap<string, MemoryEntry>;
  unchanged = 0;

  constructor(known: KnownState, memory: Memory, state: State) {
    this.known = known;
    this.memory = memory;
    this.state = state;
    this.#byId = new Map(memory.entries.map((one) => [`${one.kind} ${one.id}`, one]));
    this.#byPlace = new Map(memory.entries.map((one) => [`${one.kind} ${one.place}`, one]));
  }

  /** `field` is one of the entry's, or the path to a part of one. */
  refuse({ path }: Pick<Entry, "path">, field: string | Path, message: string): void {
    const steps = typeof field === "string" ? [field] : field;
    this.issues.push({ path: [...path, ...steps], at: "value", message });
  }

  /** Notes which row an entry stands for. Returns true if the same entry was applied before. */
  rememberEntry({ kind, id, place, digest }: Omit<MemoryEntry, "isMade">, isNew: boolean): boolean {
    const before = this.#byId.get(`${kind} ${id}`);
    this.entries.push({ kind, id, place, digest, isMade: isNew || (before?.isMade ?? false) });
    const last = before ?? this.#byPlace.get(`${kind} ${place}`);
    return last?.digest === digest;
  }
}
