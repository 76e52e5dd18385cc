// The names by which clients know tools, prompts and resources of several servers at one address.
import { createHash } from "node:crypto";
import { makeFullName } from "../core/tools/rules.ts";

/** With mcp__poundkey__ before it, as agents write tools' names, a name has 63 characters: models' APIs take 64. */
const LENGTH_MAX = 48;
const DIGEST_DIGITS = 6;
const KEPT = LENGTH_MAX - DIGEST_DIGITS - "_".length;
const UNFIT = /[^A-Za-z0-9_-]/gu;

/** Returns NAME_tool, fitted. It is the same on every node and in every release. */
export function makeToolName(server: string, tool: string): string {
  return fitName(makeFullName(server, tool));
}

/** Returns a name that every model's API takes: the same one if it fits already. */
export function fitName(name: string): string {
  const fit = name.replace(UNFIT, "_");
  if (fit === name && name.length <= LENGTH_MAX) return name;
  const digest = createHash("sha256").update(name).digest("hex").slice(0, DIGEST_DIGITS);
  return `${fit.slice(0, KEPT)}_${digest}`;
}

/** Returns a resource's address among those of all servers: `NAME+uri`. */
export function makeResourceUri(server: string, uri: string): string {
  return `${server}+${uri}`;
}

/** Undoes `makeResourceUri`. Returns null for an address of no server. */
export function splitResourceUri(uri: string): { readonly server: string; readonly uri: string } | null {
  const at = uri.indexOf("+");
  return at <= 0 ? null : { server: uri.slice(0, at), uri: uri.slice(at + 1) };
}
