// The query of a list of files.

import type { FileForm } from "../../core/batches/file.ts";
import { invalidValue } from "../../core/json/schema-fault.ts";

/** The sizes of a page: OpenAI's default is its most, Anthropic's is 20 (its documentation, November 2026). */
const LIMITS: Readonly<Record<FileForm, { readonly usual: number; readonly most: number }>> = {
  openai: { usual: 10_000, most: 10_000 },
  anthropic: { usual: 20, most: 1000 },
};

/** Anthropic's (the SDK's types of November 2026). */
const IDS_MAX = 100;

type ListQueryFields = Readonly<Record<string, string | undefined>>;

interface FileListQuery {
  readonly limit: number;
  readonly order: "newest" | "oldest";
  readonly purpose: string | undefined;
  /** The id of the file behind which the page begins. */
  readonly after: string | null;
  /** The field that named it. */
  readonly afterField: string;
}

/** Throws the Fault `invalid_value` of the first wrong field. */
export function readFileListQuery(form: FileForm, query: ListQueryFields): FileListQuery {
  const { usual, most } = LIMITS[form];
  const limit = query.limit === undefined ? usual : Number(query.limit);
  if (!Number.isInteger(limit) || limit < 1 || limit > most)
    throw invalidValue("limit", `expected an integer from 1 to ${most}`);
  if (form === "anthropic") {
    const afterField = query.page === undefined ? "after_id" : "page";
    const after = query.page ?? query.after_id ?? null;
    return { limit, order: "newest", purpose: undefined, after, afterField };
  }
  const { order = "desc", purpose, after = null } = query;
  if (order !== "asc" && order !== "desc") throw invalidValue("order", "expected asc or desc");
  return { limit, order: order === "asc" ? "oldest" : "newest", purpose, after, afterField: "after" };
}

/**
 * Returns the ids of the files that alone are asked for, each once, in each way in which SDKs write a list. Null if it is the list
 * of all. Throws the Fault `invalid_value` for too many, or for a page of them.
 */
export function readFileIds(query: URLSearchParams): readonly string[] | null {
  const given = [...query.getAll("ids"), ...query.getAll("ids[]")];
  if (given.length === 0) return null;
  const ids = [...new Set(given.flatMap((one) => one.split(",")))].filter((id) => id !== "");
  if (ids.length > IDS_MAX) throw invalidValue("ids", `expected at most ${IDS_MAX} ids`);
  if (query.has("page") || query.has("limit"))
    throw invalidValue("ids", "expected no 'page' or 'limit' beside it");
  return ids;
}
