// The gateway's own address, as far as a request can be believed: nobody may be led elsewhere by a made-up Host.
import type { ServerRules } from "../core/settings.ts";
import { isLoopbackHost } from "../core/world/address.ts";

/**
 * Returns the public address, else the one that was asked if it is this machine's or stands in `server.hosts`, else null.
 * `isSecure` is true if a proxy took the request by https.
 */
export function findGatewayAddress(
  { publicUrl, hosts, basePath }: Pick<ServerRules, "publicUrl" | "hosts" | "basePath">,
  url: string,
  isSecure = false,
): string | null {
  if (publicUrl !== null) return publicUrl;
  const asked = URL.parse(url);
  if (asked === null) return null;
  const { protocol, host, hostname } = asked;
  const isKnown = hosts.some((one) => one.toLowerCase() === hostname.toLowerCase());
  if (!isKnown && !isLoopbackHost(hostname)) return null;
  return `${isSecure ? "https:" : protocol}//${host}${basePath}`;
}
