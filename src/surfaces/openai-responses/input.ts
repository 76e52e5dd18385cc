// The input of a Responses request as chat messages.

import { followMade, isGrowing, ListProgress } from "../../core/json/growing.ts";
import { asArray, asObject, type JsonObject } from "../../core/json/json.ts";
import type { Sealer } from "../../core/world/world.ts";
import type { ChatMessage } from "../../operations/chat/form.ts";
import type { FamilyNeed } from "../../operations/operation.ts";
import { findEmptied } from "../emptied.ts";
import { isSummary } from "./compaction/summary.ts";
import { ItemReader, type ReadItems, readMessage } from "./item-reader.ts";
import { ReadPlaces, type Unread } from "./read-places.ts";
import type { ToolNames } from "./tools.ts";

interface ReadInput extends Readonly<Unread> {
  readonly messages: readonly ChatMessage[];
  /** Set if something that matters can't be translated. */
  readonly nativeOnly: FamilyNeed | undefined;
}

export function readInput(body: JsonObject, names: ToolNames, seal: Sealer): ReadInput {
  const unread: Unread = { lost: [], unreadBytes: 0 };
  const items =
    typeof body.input === "string" ? [{ role: "user", content: body.input }] : asArray(body.input);
  const messages = isGrowing(items)
    ? readGrowing(items, body.instructions, names, seal, unread)
    : readItems(
        items,
        readInstructions(body.instructions, unread),
        new ItemReader(names, seal, unread, null),
      );
  const { lost, unreadBytes } = unread;
  const isUnasked = messages.every(({ role }) => role === "system" || role === "developer");
  const last = isUnasked ? lost.at(-1) : undefined;
  const asked = last === undefined ? findEmptied(messages) : ({ path: last, what: "asked" } as const);
  const nativeOnly = findSealed(items) ?? asked;
  if (items.some(hasAnnotations)) lost.push("annotations");
  return { messages, lost, unreadBytes, nativeOnly };
}

/** Finds the first provider's summary. Only its maker reads it, and without it the conversation before it would be lost. */
function findSealed(items: readonly unknown[]): FamilyNeed | undefined {
  const at = items.findIndex(isSummary);
  return at === -1 ? undefined : { path: `input[${at}]`, what: "history" };
}

function readItems(
  items: readonly unknown[],
  head: readonly ChatMessage[],
  reader: ItemReader,
  from = 0,
): readonly ChatMessage[] {
  for (let index = from; index < items.length; index++) reader.read(asObject(items[index]), index);
  return [...head, ...reader.end()];
}

/** A conversation as it was read last. */
interface InputProgress extends ReadItems {
  /** Null if they aren't a text. */
  readonly instructions: string | null;
  readonly head: readonly ChatMessage[];
}

const PROGRESS = new ListProgress<InputProgress>();

/** Reads only the items that weren't read before. */
function readGrowing(
  items: readonly unknown[],
  value: unknown,
  names: ToolNames,
  seal: Sealer,
  unread: Unread,
): readonly ChatMessage[] {
  const before = PROGRESS.find(items);
  const instructions = typeof value === "string" ? value : null;
  // The same instructions are the same message each time, so that those behind it have been seen in their places.
  const isSame = instructions !== null && before?.state.instructions === instructions;
  const head = isSame ? before.state.head : readInstructions(value, unread);
  const own: Unread = { lost: [], unreadBytes: 0 };
  const places = new ReadPlaces();
  const reader = new ItemReader(names, seal, own, places);
  const known = before === null ? 0 : reader.resume(before.state, before.shared);
  const messages = readItems(items, head, reader, known);
  const read = messages.slice(head.length);
  PROGRESS.keep(items, items.length, { messages: read, lost: own.lost, places, instructions, head });
  followMade(items, messages, PROGRESS);
  for (const path of own.lost) unread.lost.push(path);
  unread.unreadBytes += own.unreadBytes;
  return messages;
}

function hasAnnotations(item: unknown): boolean {
  return asArray(asObject(item).content).some((part) => asArray(asObject(part).annotations).length > 0);
}

function readInstructions(instructions: unknown, unread: Unread): readonly ChatMessage[] {
  if (typeof instructions === "string" && instructions !== "")
    return [{ role: "system", content: instructions }];
  return asArray(instructions).map((item, index) =>
    readMessage(asObject(item), `instructions[${index}]`, unread),
  );
}
