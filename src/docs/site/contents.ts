// The manual's contents: its chapters by part, in their order.
import { CLIENT_SETUPS, type ClientSetup } from "./client-setups.ts";

interface ManualPart {
  readonly title: string;
  /** The names of the chapters' files beside this one, without `.md`. */
  readonly chapters: readonly string[];
}

/** The first page, with an overview of the others. */
export const INDEX = "index";

export const PARTS: readonly ManualPart[] = [
  { title: "First steps", chapters: ["getting-started", "glossary", "compare"] },
  {
    title: "Calling models",
    chapters: [
      "clients",
      "routes",
      "one-request",
      "answers",
      "headers",
      "bodies",
      "passed-on",
      "errors",
      "errors-keys",
      "errors-models",
      "errors-agents",
    ],
  },
  {
    title: "Conversations",
    chapters: [
      "long-conversations",
      "stored-responses",
      "thinking",
      "claude-cache",
      "caching",
      "interactions",
      "sockets",
    ],
  },
  {
    title: "Batches and tools",
    chapters: [
      "operations",
      "embeddings",
      "media",
      "batches",
      "batch-lines",
      "files",
      "tool-servers",
      "tools-in-responses",
      "running-tool-servers",
      "web-search",
    ],
  },
  {
    title: "Models",
    chapters: ["models", "groups", "fallbacks", "new-models", "prices", "price-lists", "special-prices"],
  },
  {
    title: "Selectors",
    chapters: ["selectors", "choosing", "selector-rules", "feedback", "labels"],
  },
  {
    title: "Providers",
    chapters: ["providers", "azure", "bedrock", "vertex", "own-servers", "refuses", "extra-fields"],
  },
  {
    title: "Running a gateway",
    chapters: ["fifty-people", "sizing", "deploying", "proxy", "network", "nodes", "releases"],
  },
  {
    title: "Operating",
    chapters: ["operate", "restarting", "upgrading", "failover", "secrets", "store", "backups", "audit"],
  },
  {
    title: "Monitoring",
    chapters: [
      "troubleshooting",
      "troubleshooting-gateway",
      "troubleshooting-agents",
      "alerts",
      "metrics",
      "logs",
      "traces",
      "webhooks",
    ],
  },
  {
    title: "Configuration",
    chapters: [
      "configuration",
      "configuration-server",
      "configuration-providers",
      "configuration-own-models",
      "configuration-models",
      "configuration-limits",
      "configuration-log",
      "configuration-kept",
      "configuration-hooks",
      "configuration-people",
    ],
  },
  {
    title: "Money",
    chapters: ["money", "budgets", "books", "money-by-example", "cards", "company"],
  },
  {
    title: "People and security",
    chapters: [
      "people",
      "person-limits",
      "named-tokens",
      "sign-in",
      "offboarding",
      "directory",
      "agents",
      "security",
      "guard",
      "hooks",
    ],
  },
  {
    title: "Administration",
    chapters: [
      "console",
      "command-line",
      "state",
      "admin-api",
      "admin-accounts",
      "admin-keys",
      "admin-people",
      "admin-requests",
      "admin-models",
    ],
  },
  { title: "Setting up agents", chapters: listClients("agent") },
  { title: "Setting up libraries", chapters: listClients("library") },
  {
    title: "Migrating from",
    chapters: [
      "migrate-litellm",
      "migrate-litellm-names",
      "migrate-litellm-limits",
      "leave-litellm",
      "migrate-new-api",
      "migrate-openrouter",
      "migrate-portkey",
    ],
  },
];

function listClients(kind: ClientSetup["kind"]): readonly string[] {
  return CLIENT_SETUPS.flatMap((setup) => (setup.kind === kind ? [`client-${setup.name}`] : []));
}

/** The page of the API, which isn't a chapter. */
export const API_PAGE = "api";

export const CHAPTER_NAMES: readonly string[] = [INDEX, ...PARTS.flatMap(({ chapters }) => chapters)];
