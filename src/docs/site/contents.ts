// The manual's contents: its chapters by part, in their order.
import { CLIENT_SETUPS } from "./client-setups.ts";

interface Part {
  readonly title: string;
  /** The names of the chapters' files beside this one, without `.md`. */
  readonly chapters: readonly string[];
}

/** The first page, with an overview of the others. */
export const INDEX = "index";

export const PARTS: readonly Part[] = [
  { title: "First steps", chapters: ["getting-started", "glossary", "compare"] },
  {
    title: "Calling models",
    chapters: [
      "clients",
      "sockets",
      "interactions",
      "models",
      "prices",
      "web-search",
      "operations",
      "batches",
      "tool-servers",
      "selectors",
      "caching",
      "long-conversations",
      "errors",
    ],
  },
  {
    title: "Running a gateway",
    chapters: [
      "fifty-people",
      "sizing",
      "configuration",
      "money",
      "money-by-example",
      "cards",
      "company",
      "state",
      "people",
      "sign-in",
      "directory",
      "agents",
      "guard",
      "hooks",
      "webhooks",
      "operate",
      "network",
      "backups",
      "upgrading",
      "releases",
      "troubleshooting",
      "security",
      "metrics",
      "console",
      "admin-api",
    ],
  },
  {
    title: "Setting up",
    chapters: CLIENT_SETUPS.map(({ name }) => `client-${name}`),
  },
  {
    title: "Migrating from",
    chapters: [
      "migrate-litellm",
      "leave-litellm",
      "migrate-new-api",
      "migrate-openrouter",
      "migrate-portkey",
    ],
  },
];

/** The page of the API, which isn't a chapter. */
export const API_PAGE = "api";

export const CHAPTER_NAMES: readonly string[] = [INDEX, ...PARTS.flatMap(({ chapters }) => chapters)];
