// The questions to the model: the client's request with functions in the place of tools that the gateway runs.
import { asArray, asObject, isObject, type JsonObject, omitUndefined } from "../../../core/json/json.ts";
import type { ShownServer } from "../../gateway-tools.ts";
import { SEARCH_TOOLS } from "../known.ts";
import { isForced } from "../lane.ts";
import { GatewayToolFunctions } from "./functions.ts";
import { openGatewayToolCalls } from "./history.ts";

const SEARCHES: ReadonlySet<unknown> = new Set(SEARCH_TOOLS);
/** Without it, OpenAI's models don't get their thinking back. */
const ENCRYPTED = "reasoning.encrypted_content";

interface ModelRequestTerms {
  readonly mayCall: boolean;
  readonly isFirst: boolean;
  /** Undefined for any. */
  readonly outputTokensMax: number | undefined;
}

export class ModelRequest {
  readonly functions: GatewayToolFunctions;
  /** The conversation up to the request. */
  readonly input: readonly unknown[];
  readonly #joined: JsonObject;
  readonly #tools: readonly unknown[];
  readonly #searches: boolean;

  constructor(joined: JsonObject, shown: readonly ShownServer[]) {
    const labels = new Set<unknown>(shown.map(({ label }) => label));
    const others = asArray(joined.tools)
      .map(asObject)
      .filter(({ type, server_label: label }) => type !== "mcp" || !labels.has(label));
    this.functions = new GatewayToolFunctions(shown, others);
    this.input = listInput(openGatewayToolCalls(joined.input, this.functions));
    this.#joined = joined;
    this.#tools = [...others, ...this.functions.tools];
    this.#searches = others.some(({ type }) => SEARCHES.has(type));
  }

  /** Returns the client's request with functions in the place of tools that the gateway runs, to count its tokens. */
  fill(): JsonObject {
    const { input, tools: _tools, tool_choice: _choice, ...rest } = this.#joined;
    const isList = Array.isArray(input);
    const hasTools = this.#tools.length > 0;
    return omitUndefined({
      ...rest,
      input: isList ? this.input : input,
      tools: hasTools ? this.#tools : undefined,
      tool_choice: hasTools ? this.#choose(true, true) : undefined,
    });
  }

  write(input: readonly unknown[], { mayCall, isFirst, outputTokensMax }: ModelRequestTerms): JsonObject {
    const { tools: _tools, tool_choice: _choice, max_tool_calls: uses, ...rest } = this.#joined;
    const hasTools = this.#tools.length > 0;
    return omitUndefined({
      ...rest,
      input,
      include: [...new Set([...asArray(rest.include), ENCRYPTED])],
      max_output_tokens: outputTokensMax,
      // It also limits what the provider itself searches.
      max_tool_calls: this.#searches ? uses : undefined,
      tools: hasTools ? this.#tools : undefined,
      tool_choice: hasTools ? this.#choose(mayCall, isFirst) : undefined,
    });
  }

  /** The model has to call a tool once at most: else it could never answer. */
  #choose(mayCall: boolean, isFirst: boolean): unknown {
    if (!mayCall) return "none";
    const choice = this.functions.mapChoice(this.#joined.tool_choice);
    if (isFirst || !isForced(choice)) return choice;
    return isObject(choice) && choice.type === "allowed_tools" ? { ...choice, mode: "auto" } : "auto";
  }
}

function listInput(input: unknown): readonly unknown[] {
  return typeof input === "string" ? [{ type: "message", role: "user", content: input }] : asArray(input);
}
