// The gateway's own address, under which clients find results.
import { Fault } from "../../core/fault.ts";
import type { BatchPorts } from "./sent.ts";

const LOOPBACK = /^(localhost|127(\.\d{1,3}){3}|\[::1\])$/;

/**
 * Returns the public address, else the one that was asked, if it can be trusted: clients send their key there. Throws the
 * Fault `invalid_value`.
 */
export function findAddress({ server }: Pick<BatchPorts, "server">, { url }: Pick<Request, "url">): string {
  if (server.publicUrl !== null) return server.publicUrl;
  const { origin, hostname } = new URL(url);
  const isKnown = server.hosts.some((host) => host.toLowerCase() === hostname.toLowerCase());
  if (isKnown || LOOPBACK.test(hostname)) return `${origin}${server.basePath}`;
  const message =
    "Results need an address: the gateway's operator sets server.public_url, or the host in server.hosts.";
  throw new Fault("invalid_value", message, { param: "results_url" });
}
