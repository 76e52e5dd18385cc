// The version of a package that a file pins: npm's `package.json`, or a list of pip's.
import { asObject, parseJson } from "../../src/core/json/json.ts";

/** Throws if the file doesn't name the package with a version. */
export function findPinned(text: string, name: string): string {
  const pinned = text.startsWith("{") ? findInPackage(text, name) : findInList(text, name);
  if (pinned === undefined) throw new Error(`No version of ${name} is pinned.`);
  return pinned;
}

function findInPackage(text: string, name: string): string | undefined {
  const { dependencies, devDependencies } = asObject(parseJson(text));
  const pinned = asObject(dependencies)[name] ?? asObject(devDependencies)[name];
  return typeof pinned === "string" ? pinned : undefined;
}

/** A line may ask for extras: `openai[realtime]==3.57.0`. */
function findInList(text: string, name: string): string | undefined {
  const lines = text.split("\n").map((line) => /^([\w.-]+)(?:\[[\w,]+\])?==(\S+)/.exec(line));
  return lines.find((line) => line?.[1] === name)?.[2];
}
