// The one answer to a request whose model may call tools that the gateway runs: its items, its events, its end.
import type { Fault } from "../../../core/faults/fault.ts";
import { asArray, asObject, asString, type JsonObject } from "../../../core/json/json.ts";
import type {
  GatewayToolCall,
  GatewayToolResult,
  ToolLoopEnd,
  ToolLoopTurn,
} from "../../../core/tools/gateway-tool-calls.ts";
import type { Usage } from "../../../operations/chat/form.ts";
import type { ShownServer } from "../../gateway-tools.ts";
import type { Stamp } from "../../surface.ts";
import { writeFailure } from "../errors.ts";
import { echoTool, writeUsage } from "../response.ts";
import { type EventPlaces, GatewayToolEvents } from "./events.ts";
import type { GatewayToolFunctions } from "./functions.ts";
import { makeCallId, makeListId } from "./history.ts";
import { type CallPlace, endCallItem, writeCallItem, writeListItem, writeOutput } from "./items.ts";

/** Items that the client answers. */
const CLIENTS: ReadonlySet<unknown> = new Set([
  ...(["function_call", "custom_tool_call", "local_shell_call", "shell_call"] as const),
  ...(["apply_patch_call", "computer_call", "mcp_approval_request"] as const),
]);

interface TakenTurn {
  /** As the model gets them back. */
  readonly items: readonly JsonObject[];
  readonly turn: ToolLoopTurn;
}

interface TakenResult {
  /** The call's place in the model's turn. */
  readonly place: number;
  readonly output: JsonObject;
  /** The events. */
  readonly text: string;
}

export class GatewayToolAnswer implements EventPlaces {
  readonly events = new GatewayToolEvents(this);
  /** True if it is kept here. */
  keeps = false;
  readonly #given: JsonObject;
  readonly #shown: readonly ShownServer[];
  readonly #functions: GatewayToolFunctions;
  readonly #output: JsonObject[] = [];
  /** The items before the model's last answer. */
  base = 0;
  #stamp: Stamp | null = null;
  #makeStart: () => JsonObject = () => ({});
  #turn = 0;
  /** The response as it was last shown, or as the model's provider wrote it. */
  #last: JsonObject = {};
  /** The model's last answer, and its calls by the place of their items in all. */
  #items: readonly JsonObject[] = [];
  #calls = new Map<number, CallPlace>();
  #response: JsonObject | null = null;

  /** Lists of tools that the conversation has are not shown again. */
  constructor(
    given: JsonObject,
    shown: readonly ShownServer[],
    input: unknown,
    functions: GatewayToolFunctions,
  ) {
    const listed = new Set(
      asArray(input).map((one) => {
        const { type, server_label: label } = asObject(one);
        return type === "mcp_list_tools" ? label : undefined;
      }),
    );
    this.#given = given;
    this.#functions = functions;
    this.#shown = shown.filter(({ label }) => !listed.has(label));
  }

  /** Begins the model's next answer. */
  begin(turn: number): void {
    this.#turn = turn;
    this.base = this.#output.length;
    this.#calls = new Map();
  }

  /** A stream of the model's answer begins: `makeStart` stamps it, and returns the response as it starts. */
  stream(makeStart: () => JsonObject): void {
    this.#makeStart = makeStart;
  }

  /** Returns the stamp of the model's answer: that of the first, with ids of its own. */
  stamp(own: Stamp): Stamp {
    this.#stamp ??= own;
    const first = this.#stamp;
    if (first === own) this.#addLists();
    return {
      id: first === own ? first.id : `${first.id}_${this.#turn}`,
      created: first.created,
      model: own.model,
      nameStored: () => first.id,
      sealHistory: (content) => own.sealHistory(content),
      countPrompt: () => own.countPrompt(),
    };
  }

  get #id(): string {
    return this.#stamp?.id ?? "";
  }

  /** They are the first items. */
  #addLists(): void {
    if (this.#output.length > 0) return;
    for (const server of this.#shown)
      this.#output.push(writeListItem(makeListId(this.#id, this.#output.length), server));
    this.base = this.#output.length;
  }

  showStart(response: JsonObject | null): JsonObject {
    const started = response ?? this.#makeStart();
    this.#last = { ...started, ...this.#repeat(), output: [] };
    return this.#last;
  }

  showLists(): string {
    return this.#output.map((item, output_index) => this.#showList(item, output_index)).join("");
  }

  #showList(item: JsonObject, output_index: number): string {
    const at = { output_index, item_id: item.id };
    const hasFailed = item.error !== null && asArray(item.tools).length === 0;
    return (
      this.events.show("output_item.added", { output_index, item: { ...item, tools: [], error: null } }) +
      this.events.show("mcp_list_tools.in_progress", at) +
      this.events.show(`mcp_list_tools.${hasFailed ? "failed" : "completed"}`, at) +
      this.events.show("output_item.done", { output_index, item })
    );
  }

  findCall(item: JsonObject, index: number): CallPlace | null {
    const own = this.#functions.find(item);
    if (own === undefined) return null;
    const id = makeCallId(this.#id, this.#turn, index);
    return { id, ...own, arguments: asString(item.arguments) ?? "" };
  }

  /** Takes the model's answer. */
  take(given: JsonObject): TakenTurn {
    const streamed = this.events.takeItems();
    const items = streamed.length > 0 ? streamed : asArray(given.output).map(asObject);
    this.#last = given;
    this.#items = items;
    const isCut = given.status !== "completed";
    const calls: GatewayToolCall[] = [];
    for (const [place, item] of items.entries()) {
      const call = this.findCall(item, place);
      const index = this.#output.length;
      if (call === null) this.#output.push(item);
      else {
        this.#output.push(writeCallItem(call, isCut ? "incomplete" : "in_progress"));
        this.#calls.set(index, call);
        if (!isCut) calls.push({ index, label: call.label, name: call.name, arguments: call.arguments });
      }
    }
    const isClients = items.some(
      (item) => CLIENTS.has(item.type) && this.#functions.find(item) === undefined,
    );
    return { items, turn: { calls, isLast: isCut || isClients } };
  }

  answer({ index }: GatewayToolCall, result: GatewayToolResult): TakenResult {
    const call = this.#calls.get(index);
    if (call === undefined) throw new Error("The model has made no such call.");
    const item = endCallItem(call, result);
    this.#output[index] = item;
    const at = { output_index: index, item_id: call.id };
    const place = index - this.base;
    const text =
      this.events.show(`mcp_call.${asString(item.status) ?? "completed"}`, at) +
      this.events.show("output_item.done", { output_index: index, item });
    const { call_id } = asObject(this.#items[place]);
    return { place, output: { type: "function_call_output", call_id, output: writeOutput(result) }, text };
  }

  end({ usage, reason }: ToolLoopEnd<Usage>): string {
    const response = {
      ...this.#last,
      ...this.#repeat(),
      ...(reason === null ? {} : { status: "incomplete", incomplete_details: { reason } }),
      output: this.#output,
      usage: usage === null ? null : writeUsage(usage),
    };
    this.#response = response;
    const open = this.#endOpen();
    return open + this.events.show(String(response.status), { response });
  }

  fail(fault: Fault): string {
    const response = {
      ...this.#last,
      ...this.#repeat(),
      status: "failed",
      error: writeFailure(fault),
      output: this.#output,
    };
    return this.events.show("failed", { response });
  }

  /** The whole answer, once it has ended. */
  get response(): JsonObject {
    return this.#response ?? this.#last;
  }

  /** Calls that nobody runs, because the model's answer was cut off. */
  #endOpen(): string {
    return [...this.#calls.keys()]
      .map((output_index) => ({ output_index, item: asObject(this.#output[output_index]) }))
      .filter(({ item }) => item.status === "incomplete")
      .map(({ output_index, item }) => this.events.show("output_item.done", { output_index, item }))
      .join("");
  }

  /** Returns the fields that are the client's own, and not those of the questions to the model. */
  #repeat(): JsonObject {
    const { given, stamp } = { given: this.#given, stamp: this.#stamp };
    return {
      id: this.#id,
      ...(stamp === null ? {} : { created_at: stamp.created }),
      max_output_tokens: given.max_output_tokens ?? null,
      max_tool_calls: given.max_tool_calls ?? null,
      previous_response_id: given.previous_response_id ?? null,
      store: this.keeps,
      tool_choice: given.tool_choice ?? "auto",
      tools: asArray(given.tools).map(echoTool),
    };
  }
}
