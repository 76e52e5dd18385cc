// The events of one answer that consists of several of a model's: one numbering of events and of items, in which calls of
// tools that the gateway runs are shown as such.
import { asObject, asString, type JsonObject } from "../../../core/json/json.ts";
import { EventNumbers } from "../event-numbers.ts";
import { type CallPlace, writeCallItem } from "./items.ts";

/** The ends of a model's answers, none of which ends the client's. */
const ENDS = /^response\.(completed|incomplete|failed)$/;
const STARTS = /^response\.(created|in_progress|queued)$/;

/** The answer, as its events need it. */
export interface EventPlaces {
  /** The items before those of the model's answer that is being written. */
  readonly base: number;
  /** Returns the response as clients see it at its start. Null if the model's provider shows none. */
  showStart(response: JsonObject | null): JsonObject;
  /** Returns the events behind the start. */
  showLists(): string;
  /** Returns the call as it is shown, if it is one of the tools that the gateway runs. */
  findCall(item: JsonObject, index: number): CallPlace | null;
}

export class GatewayToolEvents extends EventNumbers {
  readonly #places: EventPlaces;
  #hasStarted = false;
  /** The items of the model's answer so far. */
  #items: JsonObject[] = [];
  /** The calls among them, by their place. */
  readonly #calls = new Map<number, { readonly call: CallPlace; written: string; isDone: boolean }>();

  constructor(places: EventPlaces) {
    super();
    this.#places = places;
  }

  /** Events of a provider's get other numbers, so none is passed on as it came. */
  override readonly passesOn: boolean = false;

  override write(type: string, fields: JsonObject): string {
    const { output_index: given } = fields;
    if (STARTS.test(type)) return this.#start(asObject(fields.response));
    if (ENDS.test(type)) return this.#start(null);
    if (typeof given !== "number") return super.write(type, fields);
    const head = this.#start(null);
    const index = this.#places.base + given;
    return head + this.#writeOfItem(type, { ...fields, output_index: index }, given);
  }

  override pass({ type, sequence_number: _number, ...fields }: JsonObject): string {
    return this.write(String(type), fields);
  }

  override follow(): void {
    // The numbers of a provider's own events are no part of the answer.
  }

  /** Returns the items that were shown of the model's answer, and forgets them. */
  takeItems(): readonly JsonObject[] {
    const items = this.#items;
    this.#items = [];
    this.#calls.clear();
    return items;
  }

  /** Writes an event of the answer's own. */
  show(type: string, fields: JsonObject): string {
    return super.write(`response.${type}`, fields);
  }

  /** Writes the start of the whole answer before the first of the model's events, whichever of its own start there are. */
  #start(response: JsonObject | null): string {
    if (this.#hasStarted) return "";
    this.#hasStarted = true;
    const shown = { response: this.#places.showStart(response) };
    return this.show("created", shown) + this.show("in_progress", shown) + this.#places.showLists();
  }

  #writeOfItem(type: string, fields: JsonObject, given: number): string {
    const isAdded = type === "response.output_item.added";
    if (isAdded) {
      const call = this.#places.findCall(asObject(fields.item), given);
      if (call !== null) {
        this.#calls.set(given, { call, written: "", isDone: false });
        return this.#add({ ...call, arguments: "" }, fields);
      }
    }
    const own = this.#calls.get(given);
    if (type === "response.output_item.done") this.#items[given] = asObject(fields.item);
    if (own === undefined) return super.write(type, fields);
    const at = { output_index: fields.output_index, item_id: own.call.id };
    if (type === "response.function_call_arguments.delta") {
      own.written += asString(fields.delta) ?? "";
      return this.show("mcp_call_arguments.delta", { ...at, delta: fields.delta });
    }
    if (own.isDone) return "";
    const whole = type === "response.output_item.done" ? asObject(fields.item) : fields;
    const written = asString(whole.arguments) ?? own.written;
    if (type !== "response.function_call_arguments.done" && type !== "response.output_item.done") return "";
    own.isDone = true;
    return this.show("mcp_call_arguments.done", { ...at, arguments: written });
  }

  #add(call: CallPlace, { output_index }: JsonObject): string {
    const item = writeCallItem(call, "in_progress");
    return (
      this.show("output_item.added", { output_index, item }) +
      this.show("mcp_call.in_progress", { output_index, item_id: call.id })
    );
  }
}
