// Puts on record which tool servers there are, and what they show: descriptions of tools are prompts.
import { makeEntry } from "../../admin/audit/audit-trail.ts";
import type { AdminWorld } from "../../admin/world.ts";
import type { AuditAction, AuditFields } from "../../core/audit/audit-log.ts";
import { parseBounded, RECEIVED_SHAPE } from "../../core/json/bounds.ts";
import { asObject } from "../../core/json/json.ts";
import { GATEWAY } from "../../core/people/people.ts";
import type { Store } from "../../core/store.ts";
import type { ToolServer } from "../../core/tools/tool-server.ts";
import type { Log } from "../../core/world/world.ts";
import { digestSecret } from "../../keys/secret.ts";
import type { Mirror } from "../../tools/mirror.ts";

const DIGEST_CHARACTERS = 16;
const MINUTE_MS = 60_000;
/** The most names of one kind that an entry lists. */
const NAMES_MAX = 100;

interface RecordParts {
  readonly world: AdminWorld;
  readonly store: Pick<Store, "changeSetting" | "setting">;
  readonly log: Log;
}

/** Digests by name. */
type Digests = Readonly<Record<string, string>>;

interface Differences {
  readonly added: readonly string[];
  readonly removed: readonly string[];
  readonly changed: readonly string[];
}

export class ToolRecords {
  readonly #parts: RecordParts;

  constructor(parts: RecordParts) {
    this.#parts = parts;
  }

  /** Compares the servers with those of the last load, on whatever node. Never throws. */
  async noteServers(servers: readonly ToolServer[]): Promise<void> {
    const now = Object.fromEntries(servers.map((server) => [server.name, this.#digest(writeServer(server))]));
    await this.#attempt(async () => {
      const { store } = this.#parts;
      if (servers.length === 0 && (await store.setting("tool_servers")) === null) return;
      const { added, removed, changed } = (await this.#exchange("tool_servers", now, "first")) ?? NOTHING;
      await this.#add("tool_server.added", added);
      await this.#add("tool_server.changed", changed);
      await this.#add("tool_server.removed", removed);
    });
  }

  /** Compares a server's tools with what it showed last. Never throws. */
  async noteTools(server: string, { tools }: Mirror): Promise<void> {
    const named = [...tools.values()].map(({ name, members }) => [name, this.#digest(members)]);
    await this.#attempt(async () => {
      const found = await this.#exchange(`tool_list ${server}`, Object.fromEntries(named), "known");
      if (found === null || countAll(found) === 0) return;
      const after = { added: cut(found.added), removed: cut(found.removed), changed: cut(found.changed) };
      await this.#add("tools.changed", [server], after);
    });
  }

  /**
   * Stores the digests in the place of those before, and returns what differs. Null if there were none before, unless the
   * `first` count as added.
   */
  async #exchange(
    name: "tool_servers" | `tool_list ${string}`,
    now: Digests,
    mode: "first" | "known",
  ): Promise<Differences | null> {
    const text = JSON.stringify(now);
    let before: string | null = null;
    const known = await this.#parts.store.setting(name);
    if (known === text) return null;
    await this.#parts.store.changeSetting(name, (value) => {
      before = value;
      return text;
    });
    return before === null && mode === "known" ? null : compare(readDigests(before), now);
  }

  #digest(text: string): string {
    return digestSecret(text, this.#parts.world.pepper).slice(0, DIGEST_CHARACTERS);
  }

  async #attempt(work: () => Promise<void>): Promise<void> {
    await work().catch((error: unknown) =>
      this.#parts.log({ event: "audit_failed", level: "warn", cause: String(error) }),
    );
  }

  /** Nodes load the same file at the same moment, so their entries have the same id and only one is kept. */
  async #add(action: AuditAction, names: readonly string[], after?: AuditFields): Promise<void> {
    const { world } = this.#parts;
    const entries = names.map((name) => {
      const about = { action, outcome: "success", target: { type: "tool_server", id: name, name } } as const;
      const entry = makeEntry(world, GATEWAY, { ...about, ...(after && { after }) });
      const subject = `${Math.floor(entry.atMs / MINUTE_MS)} ${JSON.stringify([about, after])}`;
      return { ...entry, id: `aud_${digestSecret(subject, world.pepper).slice(0, 24)}` };
    });
    if (entries.length > 0) await world.store.auditLog.add(entries);
  }
}

const NOTHING: Differences = { added: [], removed: [], changed: [] };

function cut(names: readonly string[]): readonly string[] {
  return names.slice(0, NAMES_MAX);
}

function countAll({ added, removed, changed }: Differences): number {
  return added.length + removed.length + changed.length;
}

function compare(before: Digests, after: Digests): Differences {
  return {
    added: Object.keys(after).filter((name) => !Object.hasOwn(before, name)),
    removed: Object.keys(before).filter((name) => !Object.hasOwn(after, name)),
    changed: Object.keys(after).filter((name) => Object.hasOwn(before, name) && before[name] !== after[name]),
  };
}

function readDigests(text: string | null): Digests {
  const fields = Object.entries(asObject(text === null ? null : parseBounded(text, RECEIVED_SHAPE)));
  return Object.fromEntries(
    fields.flatMap(([name, value]) => (typeof value === "string" ? [[name, value]] : [])),
  );
}

/** Maps have no JSON of their own. */
function writeServer(server: ToolServer): string {
  return JSON.stringify(server, (_key, value: unknown) => (value instanceof Map ? [...value] : value));
}
