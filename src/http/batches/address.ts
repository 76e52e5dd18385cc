// The gateway's own address, under which clients find results.
import { Fault } from "../../core/faults/fault.ts";
import { findGatewayAddress } from "../gateway-address.ts";
import type { BatchPorts } from "./sent.ts";

/** Throws the Fault `invalid_value` unless the address can be trusted: clients send their key there. */
export function findAddress({ server }: Pick<BatchPorts, "server">, { url }: Pick<Request, "url">): string {
  const address = findGatewayAddress(server, url);
  if (address !== null) return address;
  const message =
    "Results need an address: the gateway's operator sets server.public_url, or the host in server.hosts.";
  throw new Fault("invalid_value", message, { param: "results_url" });
}
