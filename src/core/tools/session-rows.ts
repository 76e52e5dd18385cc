// The rows of sessions that tool servers keep for clients, and of clients' own sessions that have ended.

/** A session at a server, or the end of one of the gateway's own. */
export interface ToolSessionRow {
  readonly accountId: string;
  /** A digest of the place: server, owner and the value that was passed on. */
  readonly id: string;
  readonly keyId: string;
  /** The client's session or the key, by a digest. */
  readonly owner: string;
  /** Empty in the row of a client's session that has ended. */
  readonly server: string;
  readonly usedAtMs: number;
  /** The server's own id, sealed. Empty in the row of a client's session that has ended. */
  readonly sealed: string;
}

type SessionKey = Pick<ToolSessionRow, "accountId" | "id">;

export interface ToolSessionStore {
  /** With a time, it notes a use of the row, if the last one that was noted is older than a minute. */
  find(key: SessionKey, nowMs?: number): Promise<ToolSessionRow | null>;
  /**
   * Stores the row unless there is one of its id, and returns the one that is stored. Beyond `rowsMax` rows of the key, the
   * least recently used sessions at servers rest at once, and the oldest ends are dropped.
   */
  keep(row: ToolSessionRow, rowsMax: number): Promise<ToolSessionRow>;
  /** Deletes the row if it still has this sealed id. */
  forget(row: SessionKey & Pick<ToolSessionRow, "sealed">): Promise<void>;
  /** Has the server's sessions of an owner rest at once. */
  end(accountId: string, owner: string): Promise<void>;
  /**
   * Takes up to `most` sessions at servers out that were last used before this time. Each row goes to one caller alone, who ends
   * the session there.
   */
  takeResting(beforeMs: number, most: number): Promise<readonly ToolSessionRow[]>;
  /** Deletes up to `most` ends of clients' sessions that were opened before this time. Returns how many it has deleted. */
  dropEnded(beforeMs: number, most: number): Promise<number>;
}
