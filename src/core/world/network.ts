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
  /** An HTTP or SOCKS5 proxy. Null to use none. If missing, the process's own variables decide. */
  readonly proxy?: string | null | undefined;
  /** The hosts that are called without `proxy`. */
  readonly noProxy?: readonly string[] | undefined;
}

/** True for a SOCKS5 proxy. It looks up the names of hosts itself, whether `h` (curl's word for that) is there or not. */
export function isSocksAddress(proxy: string | null | undefined): boolean {
  return /^socks5h?:/i.test(proxy ?? "");
}

/** For servers on the machine's own link, which no proxy reaches: it would only learn their secrets. */
export const DIRECT: NetworkRules = { proxy: null };
