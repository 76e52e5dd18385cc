// Says why a gateway wasn't reached, in words that lead to what to do.
import { describeUnanswered } from "../../core/log/no-connection.ts";

/** By the words for how the connection failed. */
const ADVICE: readonly (readonly [words: RegExp, advice: string])[] = [
  [/^connection refused/, "nothing listens there; check the address and its port, and that the gateway runs"],
  [/^name not found/, "check how it is spelt"],
  [/^timeout/, "it is down, or a firewall is between"],
  [/^host not reachable/, "check the network, or the VPN"],
  [
    /^certificate/,
    "trust its authority with NODE_EXTRA_CA_CERTS=FILE, or use the name that the certificate is for",
  ],
  [/^TLS handshake/, "it may not speak HTTPS there; try http:// if it is on this machine"],
  [/^refused by the proxy/, "check HTTPS_PROXY and NO_PROXY"],
];

/** `place` is the address as a person knows it. */
export function explainUnreachable(place: string, error: unknown): string {
  const how = nameFailure(error);
  const advice = ADVICE.find(([words]) => words.test(how))?.[1];
  return `${place} can't be reached: ${how}${advice === undefined ? "" : `: ${advice}`}`;
}

function nameFailure(error: unknown): string {
  const how = describeUnanswered(error);
  return how.includes("UnexpectedRedirect") ? "it redirects to another address; give that one" : how;
}
