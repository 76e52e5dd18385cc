// The manual's contents: which chapters there are, in which parts and in which order.

export interface Part {
  readonly title: string;
  /** Names of files beside this one, without `.md`. */
  readonly chapters: readonly string[];
}

/** The first page: what the manual is about and where to find it. */
export const INDEX = "index";

export const PARTS: readonly Part[] = [
  { title: "Calling models", chapters: ["clients", "models", "selectors", "errors"] },
  {
    title: "Running a gateway",
    chapters: ["configuration", "money", "operate", "security", "metrics", "console", "admin-api"],
  },
  {
    title: "Migrating from",
    chapters: ["migrate-litellm", "migrate-new-api", "migrate-openrouter", "migrate-portkey"],
  },
];

/** Pages and files of the manual that are no chapters. */
export const API_PAGE = "api";

export const CHAPTER_NAMES: readonly string[] = [INDEX, ...PARTS.flatMap(({ chapters }) => chapters)];
