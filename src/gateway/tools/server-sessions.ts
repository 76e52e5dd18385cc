// Sessions that tool servers keep for clients, as rows that all nodes share. A server's own ids are sealed.
import type { ToolSessionRow, ToolSessionStore } from "../../core/tools/session-rows.ts";
import type { ToolSessionPlace, ToolSessions } from "../../core/tools/tool-sessions.ts";
import type { Clock, Vault } from "../../core/world/world.ts";

/** Sessions that rest for longer are ended at their servers. */
export const REST_MS = 3_600_000;
/** Older sessions of clients are unknown. */
export const SESSION_MS = 30 * 86_400_000;
/** The most rows of a key. */
export const ROWS_MAX = 10_000;

interface SessionPorts {
  readonly store: { readonly toolSessions: ToolSessionStore };
  readonly vault: Vault;
  readonly clock: Pick<Clock, "nowMs">;
}

/** A session's owner: a session of the client's, or else its key. */
interface SessionOwner {
  readonly accountId: string;
  readonly keyId: string;
  /** Null if the client has none. */
  readonly session: string | null;
}

/** No id contains a space. */
export function nameOwner({ accountId, keyId, session }: SessionOwner): string {
  return [accountId, keyId, session ?? ""].join(" ");
}

function readOwner(name: string): SessionOwner {
  const [accountId = "", keyId = "", session = ""] = name.split(" ");
  return { accountId, keyId, session: session || null };
}

export class ServerSessions implements ToolSessions {
  readonly #ports: SessionPorts;

  constructor(ports: SessionPorts) {
    this.#ports = ports;
  }

  async find(place: ToolSessionPlace): Promise<string | null> {
    const { store, clock } = this.#ports;
    const key = this.#findKey(place);
    const row = await store.toolSessions.find(key, clock.nowMs());
    return row === null || row.usedAtMs === 0 ? null : this.open(row);
  }

  async keep(place: ToolSessionPlace, id: string): Promise<string> {
    const { store, vault, clock } = this.#ports;
    const { keyId } = readOwner(place.owner);
    const key = this.#findKey(place);
    const row = {
      ...key,
      keyId,
      owner: vault.digest(place.owner),
      server: place.server,
      usedAtMs: clock.nowMs(),
      sealed: vault.seal(id, makeUse(key)),
    };
    return this.open(await store.toolSessions.keep(row, ROWS_MAX)) ?? id;
  }

  async forget(place: ToolSessionPlace, id: string): Promise<void> {
    const { store } = this.#ports;
    const row = await store.toolSessions.find(this.#findKey(place));
    if (row !== null && this.open(row) === id) await store.toolSessions.forget(row);
  }

  /** Has the sessions of a client's own rest, so that they are ended at their servers. */
  end(owner: SessionOwner): Promise<void> {
    const { store, vault } = this.#ports;
    return store.toolSessions.end(owner.accountId, vault.digest(nameOwner(owner)));
  }

  /** Returns the server's own id. Null if the row can't be opened, as under another master key. */
  open(row: ToolSessionRow): string | null {
    try {
      return this.#ports.vault.open(row.sealed, makeUse(row));
    } catch {
      return null;
    }
  }

  #findKey({ server, owner, passDigest }: ToolSessionPlace) {
    const { accountId } = readOwner(owner);
    return {
      accountId,
      id: this.#ports.vault.digest(`tool session ${JSON.stringify([server, owner, passDigest])}`),
    };
  }
}

function makeUse({ accountId, id }: Pick<ToolSessionRow, "accountId" | "id">): string {
  return `tool session ${accountId} ${id}`;
}
