// The port to the sessions that tool servers keep for clients: rows that all nodes share.

/** The session's owner at one server. No two owners ever share a session. */
export interface ToolSessionPlace {
  readonly server: string;
  /** One of the gateway's own sessions, or a key if the client has none. The caller names them apart. */
  readonly owner: string;
  /** A digest of the value that a `pass` server was sent. Null for servers of another kind. */
  readonly passDigest: string | null;
}

export interface ToolSessions {
  /** Returns the id of the server's session, or null. Counts as a use. */
  find(place: ToolSessionPlace): Promise<string | null>;
  /**
   * Keeps a session that was just opened. Returns the id that counts: another's, if another node was first, and then the
   * caller ends its own at the server.
   */
  keep(place: ToolSessionPlace, id: string): Promise<string>;
  /** Forgets the session if it is still this one: the server doesn't know it any more. */
  forget(place: ToolSessionPlace, id: string): Promise<void>;
}
