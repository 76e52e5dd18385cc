// A tool choice in terms that all models know: a mode, one function, or some of the tools.
import { asObject, asString } from "../../../core/json/json.ts";
import type { ToolChoice } from "../form.ts";

/** A tool choice without lists and custom tools. `allowed` names the tools to keep, null for all. */
export interface PlainChoice {
  readonly choice: Exclude<ToolChoice, { type: "custom" } | { type: "allowed_tools" }> | undefined;
  readonly allowed: ReadonlySet<string> | null;
}

/** Simplifies a choice to functions: a list of allowed tools becomes those tools and its mode. */
export function simplifyChoice(choice: ToolChoice | undefined): PlainChoice {
  if (typeof choice !== "object") return { choice, allowed: null };
  switch (choice.type) {
    case "function":
      return { choice, allowed: null };
    case "custom":
      return { choice: { type: "function", function: { name: choice.custom.name } }, allowed: null };
    case "allowed_tools": {
      const { mode, tools } = choice.allowed_tools;
      const names = tools.map(
        (tool) => asString(asObject(tool.function ?? tool.custom).name) ?? asString(tool.name),
      );
      return { choice: mode, allowed: new Set(names.filter((name) => name !== undefined)) };
    }
  }
}
