// A request as a surface reads it: its body, and what the gateway adds for the account.
import type { GatewayKey } from "../../core/keys/key.ts";
import type { Incoming } from "../../surfaces/surface.ts";
import type { HttpPorts } from "../ports.ts";
import { mayStoreUpstream, NO_EARLIER_ANSWER } from "./earlier.ts";

export function makeIncoming(
  ports: HttpPorts,
  { headers, url }: Request,
  body: unknown,
  key: GatewayKey,
  { keeping, stored } = NO_EARLIER_ANSWER,
): Incoming {
  const seal = ports.sealer(key.accountId);
  const { limits: own } = ports.snapshot();
  const limits = own.storesUpstream ? { ...own, storesUpstream: mayStoreUpstream(ports, key) } : own;
  return { url, headers, body, limits, seal, keeping, stored };
}
