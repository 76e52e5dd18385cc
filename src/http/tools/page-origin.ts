// The pages from which browsers may call tools: any other could reach a gateway on its visitor's own machine by another name.
import { Fault } from "../../core/faults/fault.ts";
import type { ServerRules } from "../../core/settings.ts";

const LOOPBACK = /^(localhost|127(\.\d{1,3}){3}|\[::1\])$/i;

/** Throws the Fault of a request by a page that may not call tools. */
export function checkPageOrigin({ headers }: Request, server: ServerRules): void {
  const header = headers.get("origin");
  if (header === null || isAllowed(header, server)) return;
  const message = "Pages of this origin may not call tools here: the operator can name it in `server.cors`.";
  throw new Fault("cross_site_request", message);
}

function isAllowed(given: string, { cors, hosts, publicUrl, host }: ServerRules): boolean {
  if (cors.includes("*") || cors.includes(given)) return true;
  const origin = URL.parse(given);
  if (origin === null) return false;
  if (publicUrl !== null && URL.parse(publicUrl)?.origin === origin.origin) return true;
  const name = origin.hostname.replace(/\.$/, "").toLowerCase();
  if (hosts.some((one) => one.toLowerCase() === name.replace(/^\[(.*)\]$/, "$1"))) return true;
  return isLoopback(name) && isLoopback(host.includes(":") ? `[${host}]` : host);
}

function isLoopback(host: string): boolean {
  return LOOPBACK.test(host);
}
