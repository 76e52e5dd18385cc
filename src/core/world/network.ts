// How connections to a server of the operator's are made, where its configuration says so.

/** Certificates in PEM. */
export interface TlsRules {
  /** Accepted beside the well-known ones. */
  readonly ca?: string;
  /** The gateway's own, with the certificates between it and its root. */
  readonly cert?: string;
  readonly key?: string;
}

export interface NetworkRules {
  readonly tls?: TlsRules;
  /** Null to use none. If missing, the process's own variables decide. */
  readonly proxy?: string | null;
  /** The hosts that are called without `proxy`. */
  readonly noProxy?: readonly string[];
}
