// The rules for connections to a server, where its configuration has some.

/** Certificates in PEM. */
export interface TlsRules {
  /** The authorities that are accepted, in place of the well-known ones. */
  readonly ca?: string | undefined;
  /** The gateway's own, with the certificates between it and its root. */
  readonly cert?: string | undefined;
  readonly key?: string | undefined;
}

export interface NetworkRules {
  readonly tls?: TlsRules | undefined;
  /** Null to use none. If missing, the process's own variables decide. */
  readonly proxy?: string | null | undefined;
  /** The hosts that are called without `proxy`. */
  readonly noProxy?: readonly string[] | undefined;
}

/** For servers on the machine's own link, which no proxy reaches: it would only learn their secrets. */
export const DIRECT: NetworkRules = { proxy: null };
