// The upstreams: providers that are on, each with its dialect.
import type { ProviderSetup } from "../core/settings.ts";
import type { Dialect } from "../dialects/dialect.ts";

/** A provider that is on, with the code that speaks to it. */
export interface Upstream {
  readonly setup: ProviderSetup;
  readonly dialect: Dialect;
  /** Its address, as no message to a client may name it. */
  readonly hosts: readonly string[];
}

export function makeUpstream(setup: ProviderSetup, dialect: Dialect): Upstream {
  const { host, hostname } = new URL(setup.baseUrl);
  return { setup, dialect, hosts: [host, hostname] };
}
