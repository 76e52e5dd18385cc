// The details of a turn's thinking. A stream sends a long one in fragments, which share a type and an index.
import type { ReasoningDetail } from "../form.ts";

export class DetailList {
  readonly all: ReasoningDetail[] = [];
  /** Details that may still continue, by type and index. */
  readonly #open = new Map<string, ReasoningDetail>();

  /** Adds a detail, or continues an open one. Encrypted data is never a fragment. */
  add(given: ReasoningDetail): void {
    const { type, index, data } = given;
    const before = data === undefined ? this.#open.get(`${type} ${index}`) : undefined;
    if (before) {
      extend(before, given);
      return;
    }
    const own = { ...given };
    this.all.push(own);
    if (index !== undefined) this.#open.set(`${type} ${index}`, own);
  }
}

/** Joins texts, and sets what else the fragment has. Servers write null for what it lacks. */
function extend(detail: ReasoningDetail, fragment: ReasoningDetail): void {
  for (const field in fragment) {
    const before = detail[field];
    const now = fragment[field];
    if (now === null || now === undefined) continue;
    const isText = (field === "text" || field === "summary") && typeof before === "string";
    detail[field] = isText && typeof now === "string" ? before + now : now;
  }
}

/** Returns the details with the fragments of each joined. */
export function joinFragments(details: readonly ReasoningDetail[]): readonly ReasoningDetail[] {
  if (details.length < 2) return details;
  const list = new DetailList();
  for (const detail of details) list.add(detail);
  return list.all;
}
