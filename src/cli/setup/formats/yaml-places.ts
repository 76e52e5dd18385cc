// Finds the places of YAML nodes, and of their parts, in the text.
import { type CST, isMap, isNode, isScalar, isSeq, type Pair, type YAMLMap, type YAMLSeq } from "yaml";
import type { BracketElement, Brackets } from "./brackets.ts";
import { SettingsError } from "./format.ts";

export function readKey({ key }: Pair): string {
  return isScalar(key) ? String(key.value) : "";
}

function findToken(tokens: readonly CST.SourceToken[] | undefined, type: string): number | undefined {
  return tokens?.find((token) => token.type === type)?.offset;
}

/** Returns the place of the colon behind a name. */
export function findColon(pair: Pair): number {
  const colon = findToken(pair.srcToken?.sep, "map-value-ind");
  if (colon === undefined || findToken(pair.srcToken?.start, "explicit-key-ind") !== undefined)
    throw new SettingsError(`${readKey(pair)} isn't written as a name with a colon`);
  return colon;
}

/** Returns the place of the dash before an entry. */
export function findDash(list: YAMLSeq, at: number): number {
  const token = list.srcToken;
  const dash = token?.type === "block-seq" ? findToken(token.items[at]?.start, "seq-item-ind") : undefined;
  if (dash === undefined) throw new SettingsError("an entry of this list has no dash");
  return dash;
}

/** Returns the end of a field's value, or of its colon if it has none. */
export function findPairEnd(text: string, pair: Pair): number {
  return Math.max(findColon(pair) + 1, findContentEnd(text, pair.value));
}

/** Returns where a node ends, before the end of its last line. Returns 0 for one without text. */
export function findContentEnd(text: string, node: unknown): number {
  if (!isNode(node) || !node.range) return 0;
  const [start, end] = node.range;
  if (isMap(node) && !node.flow) return findPairEnd(text, node.items.at(-1) ?? missing());
  if (isSeq(node) && !node.flow)
    return Math.max(findDash(node, node.items.length - 1) + 1, findContentEnd(text, node.items.at(-1)));
  if (start === end) return 0;
  if (text[end - 1] !== "\n") return end;
  return text[end - 2] === "\r" ? end - 2 : end - 1;
}

function missing(): never {
  throw new SettingsError("a mapping has no fields");
}

/** Returns a list or mapping in brackets with the places of its elements. */
export function readFlow(node: YAMLSeq | YAMLMap): Brackets {
  const token = node.srcToken;
  if (token?.type !== "flow-collection" || !node.range) throw new SettingsError("a bracket is missing");
  const { items } = token;
  const elements = node.items.map((item, at): BracketElement => {
    const [start, end] = findItem(item);
    return { start, end, comma: findToken(items[at + 1]?.start, "comma") ?? -1 };
  });
  return { open: node.range[0], close: node.range[1] - 1, elements };
}

function findItem(item: unknown): readonly [start: number, end: number] {
  if (isNode(item) && item.range) return [item.range[0], item.range[1]];
  if (typeof item !== "object" || item === null || !("key" in item) || !isNode(item.key) || !item.key.range)
    throw new SettingsError("an element in brackets has no name");
  const [start, keyEnd] = item.key.range;
  const value = "value" in item && isNode(item.value) ? item.value.range : undefined;
  return [start, Math.max(keyEnd, value?.[1] ?? 0)];
}
