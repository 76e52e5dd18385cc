// Upstreams: the enabled providers with their dialects.

import type { ProviderSetup } from "../../core/settings.ts";
import type { NetworkRules } from "../../core/world/network.ts";
import type { Dialect } from "../../dialects/dialect.ts";
import { withReportedCosts } from "../../dialects/reported-costs.ts";
import { listSecrets } from "../../transport/auth/authorize.ts";
import { listHeaderWords } from "../../transport/redact.ts";

/** An enabled provider and the code that speaks to it. */
export interface Upstream {
  readonly setup: ProviderSetup;
  /** In order of preference. */
  readonly dialects: readonly Dialect[];
  /** Its host, its credentials, the values of its headers and other words that must not appear in messages to clients. */
  readonly redactedWords: readonly string[];
  readonly network: NetworkRules | undefined;
  /** The fields outside of OpenAI's API that the provider documents, by operation. */
  readonly documented: DocumentedFields;
}

/** Without those of an operation whose fields aren't known. */
export type DocumentedFields = Readonly<Partial<Record<string, readonly string[]>>>;

export function makeUpstream(
  setup: ProviderSetup,
  dialects: readonly Dialect[],
  documented: DocumentedFields = {},
): Upstream {
  const { host, hostname } = new URL(setup.baseUrl);
  const redactedWords = [
    host,
    hostname,
    ...(setup.redactedWords ?? []),
    ...setup.credentials.flatMap(listSecrets),
    ...Object.values(setup.headers).flatMap(listHeaderWords),
  ];
  const { reportsCost, network } = setup;
  const spoken = reportsCost ? dialects.map((one) => withReportedCosts(one, reportsCost)) : dialects;
  return { setup, dialects: spoken, redactedWords, network, documented };
}
