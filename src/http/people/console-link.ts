// Signing in by the link of a quick start: only a browser on the gateway's own machine, with nothing in between.
import { takeLink } from "../../admin/people/console-link.ts";
import { isWithin } from "../../core/world/address.ts";
import { readPeer } from "../serve/client-address.ts";
import { checkAddress, createRefusal, type OperatorParts, type OperatorRequest } from "./operator.ts";

const LOOPBACK = ["127.0.0.0/8", "::1"];
/** The headers of proxies and tunnels. A request with one of them may come from anywhere. */
const FORWARDING =
  /^(forwarded|via|x-forwarded.*|x-real-.*|x-original-.*|x-envoy-.*|x-proxyuser-.*|proxy-.*|cdn-loop|(.*-)?client-ip|.*-connecting-ip|tailscale-.*|ngrok-.*)$/;

const ELSEWHERE =
  "This link works only in a browser on the gateway's own machine, without a proxy in between. Sign in with the admin token.";
const ENDED =
  "This link was used already, or has expired. Sign in with the admin token, or start the gateway again for a new link.";

/** Returns what the link gives, and uses it up. Throws the Faults of `createRefusal`, as for a wrong token. */
export async function proveLink(parts: OperatorParts, asked: OperatorRequest, secret: string) {
  if (!isFromHere(asked)) throw createRefusal(parts, asked, ELSEWHERE, "link");
  const proven = await takeLink(parts.world, secret);
  if (proven === null) throw createRefusal(parts, asked, ENDED, "link");
  checkAddress(parts, asked, proven);
  return proven;
}

function isFromHere({ request, server }: OperatorRequest): boolean {
  if (!isWithin(LOOPBACK, readPeer(request, server))) return false;
  return ![...request.headers.keys()].some((name) => FORWARDING.test(name));
}
