// The number of members of an interface or class, read off its text. A private member of a class counts too.
import type { Code } from "./code.ts";

/** The ports that most rooms depend on. */
export const PORTS = [
  // Two for people: their own port, and the end of their sessions.
  { path: "core/store.ts", name: "Store", most: 67 },
  { path: "gateway/context.ts", name: "RequestContext", most: 57 },
  // One for speech in the cache, whose answers aren't JSON, and one for prompts that are known by their bytes.
  { path: "operations/operation.ts", name: "Operation", most: 49 },
] as const;

/** Members begin a line of the declaration, indented by one step. Those of several lines are counted once. */
export function countMembers(
  code: readonly Code[],
  { path, name }: Readonly<Record<"path" | "name", string>>,
): number {
  const text = code.find((file) => file.path === path)?.text ?? "";
  const body = new RegExp(`^export (?:interface|class) ${name}\\b.*?^}`, "ms").exec(text)?.[0] ?? "";
  return [...body.matchAll(/^ {2}(?:readonly |get )?#?\w+\??[<(:; =]/gm)].length;
}
