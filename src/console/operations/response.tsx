// The playground's response: one request in OpenAI's newer form, whose model may call tools of the company's servers.

import type { ListPage } from "../../admin/list.ts";
import type { ToolServerView } from "../../admin/tools/tool-servers.ts";
import { showInvisible } from "../../core/text/names.ts";
import { useResource } from "../frame/resource.ts";
import { Code } from "../parts/button.tsx";
import { Check } from "../parts/field.tsx";
import type { Values } from "../parts/request-fields.ts";
import { Notice } from "../parts/states.tsx";
import type { WithUsage } from "./ask.ts";
import { type ExtraFields, makePanel } from "./panel.tsx";

interface ResponseText {
  readonly text?: string;
}

interface ResponseItem extends Partial<Record<"server_label" | "name" | "arguments", string>> {
  readonly type: string;
  readonly content?: readonly ResponseText[];
  readonly summary?: readonly ResponseText[];
  readonly tools?: readonly unknown[];
  readonly output?: string | null;
  readonly error?: unknown;
}

type Details = Partial<Record<"incomplete_details", { readonly reason?: string } | null>>;

interface ResponseAnswer extends WithUsage, Details {
  readonly status: string;
  readonly output: readonly ResponseItem[];
}

export const ResponsePanel = makePanel<ResponseAnswer>({
  action: "Send",
  tasks: { Send: "/v1/responses" },
  first: { input: "", store: false },
  long: ["input", "instructions"],
  hidden: ["store"],
  Extra: ServerChoice,
  Show: ({ answer: { status, incomplete_details: details, output } }) => (
    <>
      {status === "completed" || (
        <Notice tone="warn">{`The status is ${status}${details?.reason ? `: ${details.reason}` : ""}.`}</Notice>
      )}
      {output.map((item, at) => (
        <ItemView item={item} key={at} />
      ))}
    </>
  ),
});

/** The tool servers whose tools the model may call, as entries of `tools`. */
function ServerChoice({ values, onValues }: ExtraFields) {
  const servers = useResource<ListPage<ToolServerView>>("/mcp/servers").data?.data ?? [];
  if (servers.length === 0) return null;
  const tools = listTools(values);
  const toggle = (name: string) => {
    const others = tools.filter((tool) => !isOf(tool, name));
    const isOn = others.length < tools.length;
    onValues({ ...values, tools: isOn ? others : [...tools, nameServer(name)] });
  };
  return (
    <fieldset class="rows-field">
      <legend>Tool servers</legend>
      <div class="row checks">
        {servers.map(({ name }) => (
          <Check
            key={name}
            label={name}
            isOn={tools.some((tool) => isOf(tool, name))}
            onChange={() => toggle(name)}
          />
        ))}
      </div>
    </fieldset>
  );
}

type Tool = Readonly<Record<string, unknown>>;

function listTools({ tools }: Values): readonly Tool[] {
  return Array.isArray(tools) ? tools : [];
}

function isOf(tool: Tool, name: string): boolean {
  return tool.type === "mcp" && tool.server_label === name;
}

function nameServer(name: string): Tool {
  return {
    type: "mcp",
    server_label: name,
    server_url: `poundkey:${name}`,
    require_approval: "never",
  };
}

/** Shows the model's words, the calls with their results, and any other item as it came. */
function ItemView({ item }: { readonly item: ResponseItem }) {
  switch (item.type) {
    case "message":
      return <pre class="text">{joinTexts(item.content)}</pre>;
    case "reasoning": {
      const text = joinTexts(item.summary);
      return text === "" ? null : <p class="small faint">{text}</p>;
    }
    case "mcp_list_tools":
      return <ListView item={item} />;
    case "mcp_call":
      return <CallView item={item} />;
    default:
      return <Code text={JSON.stringify(item, null, 2)} />;
  }
}

function joinTexts(texts: readonly ResponseText[] = []): string {
  return texts.map((one) => one.text ?? "").join("");
}

function ListView({ item: { server_label: label, tools = [], error } }: { readonly item: ResponseItem }) {
  return (
    <p class="small faint own-words">
      {tools.length} {tools.length === 1 ? "tool" : "tools"} of {label}
      {typeof error === "string" && `: ${error}`}
    </p>
  );
}

function CallView({ item }: { readonly item: ResponseItem }) {
  const { server_label: label, name, arguments: given, output, error } = item;
  const isFailed = error !== null && error !== undefined;
  return (
    <details class="stack">
      <summary class="small">
        {isFailed ? "failed: " : "called "}
        <span class="strong own-words">
          {label} {showInvisible(name ?? "")}
        </span>
      </summary>
      <Code text={given ?? ""} />
      <Code text={isFailed ? JSON.stringify(error, null, 2) : (output ?? "")} />
    </details>
  );
}
