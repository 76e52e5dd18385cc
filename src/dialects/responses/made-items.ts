// Items of a streamed response whose text comes without the events that begin and end them (cc-switch-cli, issue 387): those are
// made, since Codex takes no text outside an item.
import { asArray, asNumber, asObject, asString, type JsonObject } from "../../core/json/json.ts";

/** A kind of text in an item. */
interface TextRow {
  readonly part: string;
  readonly item: "message" | "reasoning";
  readonly prefix: "msg" | "rs";
  readonly field: "text" | "refusal";
  readonly list: "content" | "summary";
  readonly at: "content_index" | "summary_index";
  /** The beginnings of the types of its events: those of the part, and those of the text. */
  readonly partEvents: string;
  readonly textEvents: string;
}

const CONTENT = { list: "content", at: "content_index", partEvents: "response.content_part" } as const;
const MESSAGE = { ...CONTENT, item: "message", prefix: "msg" } as const;
const REASONING = { item: "reasoning", prefix: "rs", field: "text" } as const;
const ROWS: readonly TextRow[] = [
  { ...MESSAGE, part: "output_text", field: "text", textEvents: "response.output_text" },
  { ...MESSAGE, part: "refusal", field: "refusal", textEvents: "response.refusal" },
  { ...CONTENT, ...REASONING, part: "reasoning_text", textEvents: "response.reasoning_text" },
  {
    ...REASONING,
    part: "summary_text",
    list: "summary",
    at: "summary_index",
    partEvents: "response.reasoning_summary_part",
    textEvents: "response.reasoning_summary_text",
  },
];

/** Returns the row of an event that only an item's text has. */
function findRow(type: string, event: JsonObject): TextRow | undefined {
  const part = asObject(event.part).type;
  return ROWS.find(
    (row) => type === `${row.textEvents}.delta` || (type === `${row.partEvents}.added` && part === row.part),
  );
}

const STATUSES: Readonly<Record<string, string>> = {
  "response.completed": "completed",
  "response.incomplete": "incomplete",
};

/** The item of the stream that began last. */
interface LastItem {
  readonly id: string | undefined;
  readonly type: unknown;
  isOpen: boolean;
}

/** The text of an item that is being made. */
interface OpenPart {
  readonly row: TextRow;
  readonly index: number;
  text: string;
  /** True once the server itself has ended the text. */
  isTold: boolean;
}

/** An item without its server's events. */
class MadeItem {
  readonly id: string;
  readonly row: TextRow;
  readonly #parts: JsonObject[] = [];
  #open: OpenPart | null = null;

  constructor(id: string, row: TextRow) {
    this.id = id;
    this.row = row;
  }

  /** Begins a part if the event's isn't open. `isTold` is true if the event itself begins it. */
  openPart(row: TextRow, event: JsonObject, isTold: boolean): readonly JsonObject[] {
    const index = asNumber(event[row.at]) ?? this.#open?.index ?? this.#parts.length;
    if (this.#open?.row === row && this.#open.index === index) return [];
    const ended = this.endPart();
    this.#open = { row, index, text: "", isTold: false };
    const part = { type: row.part, [row.field]: "" };
    const begun = { type: `${row.partEvents}.added`, item_id: this.id, [row.at]: index, part };
    return isTold ? ended : [...ended, begun];
  }

  read(type: string, event: JsonObject): void {
    const open = this.#open;
    if (open === null) return;
    const { row } = open;
    if (type === `${row.textEvents}.delta`) open.text += asString(event.delta) ?? "";
    else if (type === `${row.textEvents}.done`) open.isTold = true;
    else if (type === `${row.partEvents}.done`) this.#keepPart(open);
  }

  endPart(): readonly JsonObject[] {
    const open = this.#open;
    if (open === null) return [];
    const { row, index, text, isTold } = open;
    const place = { item_id: this.id, [row.at]: index };
    const part = this.#keepPart(open);
    const told = isTold ? [] : [{ type: `${row.textEvents}.done`, ...place, [row.field]: text }];
    return [...told, { type: `${row.partEvents}.done`, ...place, part }];
  }

  write(status: string): JsonObject {
    const { id, row } = this;
    return { type: row.item, id, status, [row.list]: this.#parts };
  }

  #keepPart({ row, text }: OpenPart): JsonObject {
    const part = { type: row.part, [row.field]: text };
    this.#parts.push(part);
    this.#open = null;
    return part;
  }
}

export class MadeItems {
  readonly #ids = new Set<unknown>();
  readonly #places = new Set<unknown>();
  readonly #whole: JsonObject[] = [];
  #responseId = "";
  #last: LastItem | null = null;
  #made: MadeItem | null = null;

  /** Returns the events that the form requires before this one. */
  listBefore(type: string, event: JsonObject): readonly JsonObject[] {
    this.#responseId ||= (asString(asObject(event.response).id) ?? "").replace(/^resp_/, "");
    const row = findRow(type, event);
    const made = row ? this.#beginText(row, type, event) : this.#endText(type);
    this.#made?.read(type, event);
    if (type === "response.output_item.added") this.#note(event, asObject(event.item));
    if (type === "response.output_item.done" && this.#last) this.#last.isOpen = false;
    return made;
  }

  /** Returns the event with the id of the item that is being made, which its own end may be the first to name. */
  name(type: string, event: JsonObject): JsonObject {
    const made = this.#made;
    if (made === null) return event;
    if (type === "response.output_item.done") {
      const item = { ...asObject(event.item), id: made.id };
      this.#made = null;
      this.#whole.push(item);
      return { ...event, item };
    }
    const isText = event.delta !== undefined || event.part !== undefined || event.text !== undefined;
    return isText && event.item_id === undefined ? { ...event, item_id: made.id } : event;
  }

  /** Returns the response with the items that were made, if its server lists none. */
  addTo(response: JsonObject): JsonObject {
    const isMissing = this.#whole.length > 0 && asArray(response.output).length === 0;
    return isMissing ? { ...response, output: this.#whole } : response;
  }

  #beginText(row: TextRow, type: string, event: JsonObject): readonly JsonObject[] {
    const isPart = type === `${row.partEvents}.added`;
    if (this.#isKnown(row, event)) return this.#made?.openPart(row, event, isPart) ?? [];
    const ended = this.#endItem("completed");
    const id =
      asString(event.item_id) ??
      `${row.prefix}_pk1_${this.#responseId}_${this.#places.size + this.#whole.length}`;
    this.#made = new MadeItem(id, row);
    const { output_index: place } = event;
    const item = { type: row.item, id };
    const begun: JsonObject = { type: "response.output_item.added", item };
    if (place !== undefined) begun.output_index = place;
    this.#note(begun, item);
    return [...ended, begun, ...this.#made.openPart(row, event, isPart)];
  }

  #isKnown(row: TextRow, { output_index: place, item_id: id }: JsonObject): boolean {
    const last = this.#last;
    if (place !== undefined && this.#places.has(place)) return true;
    if (id !== undefined && this.#ids.has(id)) return true;
    if (last === null || !last.isOpen || last.type !== row.item) return false;
    return (place === undefined || this.#places.size === 0) && (id === undefined || last.id === undefined);
  }

  #note({ output_index: place }: JsonObject, { id, type }: JsonObject): void {
    if (place !== undefined) this.#places.add(place);
    if (id !== undefined) this.#ids.add(id);
    this.#last = { id: asString(id), type, isOpen: true };
  }

  /** Another item, the item's own end, and the answer's end it. */
  #endText(type: string): readonly JsonObject[] {
    if (type === "response.output_item.done") return this.#made?.endPart() ?? [];
    if (type === "response.output_item.added") return this.#endItem("completed");
    const status = STATUSES[type];
    return status === undefined ? [] : this.#endItem(status);
  }

  #endItem(status: string): readonly JsonObject[] {
    const made = this.#made;
    if (made === null) return [];
    const ended = made.endPart();
    const item = made.write(status);
    this.#made = null;
    this.#whole.push(item);
    if (this.#last) this.#last.isOpen = false;
    return [...ended, { type: "response.output_item.done", item }];
  }
}
