// The functions that stand for tools that the gateway runs while a model is asked.
import { asArray, asObject, asString, type JsonObject, omitUndefined } from "../../../core/json/json.ts";
import { invalidValue } from "../../../core/json/schema-fault.ts";
import type { ShownServer, ShownTool } from "../../gateway-tools.ts";

/** The longest name that every provider accepts. */
const NAME_CHARACTERS_MAX = 64;
const UNFIT = /[^A-Za-z0-9_-]/g;

/** A tool as the client knows it. */
interface GatewayToolFunction {
  readonly label: string;
  readonly name: string;
}

export class GatewayToolFunctions {
  /** As the model is sent them. */
  readonly tools: readonly JsonObject[];
  readonly #byFunction = new Map<string, GatewayToolFunction>();
  readonly #byTool = new Map<string, string>();
  readonly #labels: ReadonlySet<string>;

  /** No function takes the name of one of the client's own. */
  constructor(servers: readonly ShownServer[], others: readonly JsonObject[]) {
    const taken = new Set(others.flatMap(({ name }) => asString(name) ?? []));
    const names = new Map<string, string>();
    this.#labels = new Set(servers.map(({ label }) => label));
    this.tools = servers.flatMap(({ label, tools }) =>
      tools.flatMap((tool) => {
        const known = names.get(tool.fullName);
        const name = known ?? findFree(tool.fullName, taken);
        this.#byTool.set(nameTool(label, tool.name), name);
        // A tool that two labels show is one function, of the first.
        if (known !== undefined) return [];
        names.set(tool.fullName, name);
        taken.add(name);
        this.#byFunction.set(name, { label, name: tool.name });
        return [writeFunction(name, tool)];
      }),
    );
  }

  /** Undefined for a call that is the client's. */
  find({ type, name, namespace }: JsonObject): GatewayToolFunction | undefined {
    return type === "function_call" && namespace === undefined
      ? this.#byFunction.get(String(name))
      : undefined;
  }

  /** Returns the function's name. Any other tool, such as one of an earlier request, gets a name of the same form. */
  nameFunction(label: string, name: string): string {
    return this.#byTool.get(nameTool(label, name)) ?? makeFunctionName(label, name);
  }

  isOwn(label: unknown): boolean {
    return typeof label === "string" && this.#labels.has(label);
  }

  /** Returns a choice that names functions where it named tools of ours. */
  mapChoice(choice: unknown): unknown {
    const given = asObject(choice);
    if (given.type === "allowed_tools")
      return { ...given, tools: asArray(given.tools).flatMap((one) => this.#listChosen(asObject(one))) };
    if (given.type !== "mcp" || !this.isOwn(given.server_label)) return choice;
    const chosen = this.#listChosen(given);
    if (chosen.length === 0) throw invalidValue("tool_choice", "there is no such tool");
    const [only] = chosen;
    if (typeof given.name === "string") return only;
    return { type: "allowed_tools", mode: "required", tools: chosen };
  }

  #listChosen(given: JsonObject): readonly JsonObject[] {
    const { type, server_label: label, name } = given;
    if (type !== "mcp" || !this.isOwn(label)) return [given];
    const isAll = typeof name !== "string";
    return [...this.#byFunction].flatMap(([own, tool]) =>
      tool.label === label && (isAll || tool.name === name) ? [{ type: "function", name: own }] : [],
    );
  }
}

function nameTool(label: string, name: string): string {
  return JSON.stringify([label, name]);
}

function findFree(name: string, taken: ReadonlySet<string>): string {
  let free = name;
  for (let at = 2; taken.has(free); at++) free = `${name}_${at}`;
  return free;
}

export function makeFunctionName(label: string, name: string): string {
  return `${label}_${name}`.replace(UNFIT, "_").slice(0, NAME_CHARACTERS_MAX);
}

/** Without `strict`, OpenAI would take the schema for one of its own strict kind, and refuse most of them. */
function writeFunction(name: string, { description, inputSchema }: ShownTool): JsonObject {
  return omitUndefined({
    type: "function",
    name,
    description: description ?? undefined,
    parameters: inputSchema,
    strict: false,
  });
}
