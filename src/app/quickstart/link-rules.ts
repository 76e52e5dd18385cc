// The gateways that may have a link which signs in to the console: nobody else reaches them, and nobody has set who may.
import type { Settings } from "../../core/settings.ts";
import { isLoopbackHost } from "../../core/world/address.ts";

interface LinkParts {
  readonly live: { readonly settings: Settings };
  /** Missing for any other start. */
  readonly isQuickstart?: boolean;
}

/** A reload may add sign-ins, and ends the link with them. */
export function allowLinks({ live, isQuickstart = false }: LinkParts) {
  return { takesLinks: () => isQuickstart && mayHaveLink(live.settings) };
}

export function mayHaveLink({ server, signIn }: Pick<Settings, "server" | "signIn">): boolean {
  const { host, adminToken } = server;
  const isLocal = isLoopbackHost(host.includes(":") ? `[${host}]` : host);
  return isLocal && adminToken === null && signIn === undefined;
}
