// `tls`, `proxy` and `no_proxy`: how a server of the operator's is connected to, and whether the certificates can be read.
import { createPrivateKey, X509Certificate } from "node:crypto";
import { type Static, Type } from "@sinclair/typebox";
import { omitUndefined } from "../core/json/json.ts";
import { isAddressBlock } from "../core/world/address.ts";
import { isSocksAddress, type NetworkRules, type TlsRules } from "../core/world/network.ts";
import type { Issues, Path } from "./errors.ts";
import { options, text } from "./field-types.ts";

const HOSTS_MAX = 1000;
const NONE = "none";

const pem = (what: string) => text(`${what} in PEM, as in \${file:/path}`, /^[^\0]{1,1000000}$/);

/** The fields of each section that names a server. */
export const networkFields = Type.Partial(
  Type.Object({
    tls: options(
      { ca: pem("certificates"), cert: pem("a certificate"), key: pem("its private key") },
      "Certificates of the connection.",
    ),
    proxy: text(
      'a URL like http://proxy.example.com:3128 or socks5://proxy.example.com, or "none"',
      /^\S{1,2000}$/,
    ),
    no_proxy: Type.Array(text("a host, a domain, an address or a block", /^[^\s,]{1,300}$/), {
      maxItems: HOSTS_MAX,
      expected: "a list of hosts, domains, addresses or blocks",
    }),
  }),
).properties;

const section = Type.Partial(Type.Object(networkFields));
type NetworkConfig = Static<typeof section>;

/** Returns nothing if the process's own variables decide. */
export function readNetwork(
  { tls, proxy, no_proxy: noProxy }: NetworkConfig,
  path: Path,
  issues: Issues,
): { readonly network?: NetworkRules } {
  if (tls === undefined && proxy === undefined && noProxy === undefined) return {};
  checkProxy(proxy ?? NONE, [...path, "proxy"], issues);
  checkExempt(noProxy ?? [], (proxy ?? NONE) !== NONE, [...path, "no_proxy"], issues);
  const found = {
    tls: tls && readTls(tls, [...path, "tls"], issues),
    proxy: proxy === NONE ? null : proxy,
    noProxy,
  };
  return { network: omitUndefined(found) };
}

function checkExempt(hosts: readonly string[], hasProxy: boolean, path: Path, issues: Issues): void {
  if (hosts.length > 0 && !hasProxy) issues.atKey(path, "has no effect without a proxy of its own here");
  for (const [at, host] of hosts.entries())
    if (host.includes("/") && !isAddressBlock(host))
      issues.atValue([...path, at], "expected a block like 10.0.0.0/8");
}

function checkProxy(given: string, path: Path, issues: Issues): void {
  const url = URL.parse(given);
  if (given === NONE || url?.protocol === "http:" || url?.protocol === "https:") return;
  if (url === null || !isSocksAddress(given) || url.hostname === "")
    issues.atValue(
      path,
      "expected a URL like http://proxy.example.com:3128 or socks5://proxy.example.com, or none",
    );
  else if (![url.username, url.password].every(fitsSocks))
    issues.atValue(
      path,
      `expected a user and a password of up to ${SOCKS_BYTES_MAX} bytes each, percent-encoded as in any URL`,
    );
}

/** RFC 1929. */
const SOCKS_BYTES_MAX = 255;

function fitsSocks(encoded: string): boolean {
  try {
    return Buffer.byteLength(decodeURIComponent(encoded)) <= SOCKS_BYTES_MAX;
  } catch {
    return false;
  }
}

function readTls({ ca, cert, key }: NonNullable<NetworkConfig["tls"]>, path: Path, issues: Issues): TlsRules {
  if ((cert === undefined) !== (key === undefined))
    issues.atValue(path, "expected cert and key together: one is of no use without the other");
  for (const [name, one] of [
    ["ca", ca],
    ["cert", cert],
  ] as const)
    if (one !== undefined && readCertificates(one) === null)
      issues.atValue(
        [...path, name],
        "expected certificates in PEM, each from BEGIN CERTIFICATE to END CERTIFICATE",
      );
  const isPair = cert === undefined || key === undefined || isKeyOf(cert, key);
  if (!isPair)
    issues.atValue([...path, "key"], "expected the private key of cert, in PEM without a passphrase");
  return omitUndefined({ ca, cert, key });
}

const BLOCK = /-----BEGIN CERTIFICATE-----[\s\S]+?-----END CERTIFICATE-----/g;

/** Null if one of them can't be read, or there is none. */
function readCertificates(text: string): readonly X509Certificate[] | null {
  const blocks = text.match(BLOCK) ?? [];
  try {
    return blocks.length === 0 ? null : blocks.map((block) => new X509Certificate(block));
  } catch {
    return null;
  }
}

/** A certificate that can't be read has an issue of its own. */
function isKeyOf(cert: string, key: string): boolean {
  const [own] = readCertificates(cert) ?? [];
  if (own === undefined) return true;
  try {
    return own.checkPrivateKey(createPrivateKey(key));
  } catch {
    return false;
  }
}
