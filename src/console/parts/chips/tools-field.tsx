// A field for a list of allowed tools, with the tools that it matches as it is typed.
import { useEffect } from "preact/hooks";
import type { ToolView } from "../../../admin/tools/tools.ts";
import { matchesPatterns } from "../../../core/fields/tool-list.ts";
import { formatCount } from "../../frame/format.ts";
import { usePages } from "../../frame/resource.ts";
import { may } from "../../frame/session.ts";
import { type LabelProps, SelectField } from "../field.tsx";
import { Badge } from "../states.tsx";
import { ChipsField } from "./chips-field.tsx";

/** If there are more, the first by name are looked at. */
const TOOLS_MAX = 2000;
const SHOWN_MAX = 12;
const AT_ONCE = { limit: 200 };

const SOME = "some:";
const NONE = "none";
const EXCEPT = "!";

/** Returns the form's text for a list of tools: empty for the default, `none`, or the patterns behind `some:`. */
export function writeTools(tools: readonly string[] | null | undefined): string {
  if (!tools) return "";
  return tools.length === 0 ? NONE : SOME + tools.join(" ");
}

/** Null for the default. Where some may be called and none is named, none may. */
export function readTools(text: string): readonly string[] | null {
  if (text === "") return null;
  return text === NONE
    ? []
    : text
        .slice(SOME.length)
        .split(" ")
        .filter((word) => word !== "");
}

interface ToolsFieldProps extends LabelProps {
  readonly value: string;
  readonly onInput: (value: string) => void;
  readonly defaultLabel: string;
}

export function ToolsField({ value, onInput, defaultLabel, ...labels }: ToolsFieldProps) {
  const { tools, isWhole } = useTools();
  const options = [
    { value: "", label: defaultLabel },
    { value: SOME, label: "Only some…" },
    { value: NONE, label: "No tool" },
  ];
  const patterns = readTools(value);
  const isSome = value.startsWith(SOME);
  return (
    <>
      <SelectField {...labels} options={options} value={isSome ? SOME : value} onInput={onInput} />
      {isSome && <Some patterns={patterns ?? []} tools={tools} onInput={onInput} />}
      {patterns !== null && tools.length > 0 && (
        <Matches patterns={patterns} tools={tools} isWhole={isWhole} />
      )}
    </>
  );
}

interface SomeProps extends Pick<ToolsFieldProps, "onInput"> {
  readonly patterns: readonly string[];
  readonly tools: readonly ToolView[];
}

/** Two lists, since what is taken away counts in whatever order it stands. */
function Some({ patterns, tools, onInput }: SomeProps) {
  const known = tools.map(({ server, tool }) => `${server}_${tool}`);
  const allowed = patterns.filter((pattern) => !pattern.startsWith(EXCEPT));
  const taken = patterns.filter((pattern) => pattern.startsWith(EXCEPT)).map(open);
  const set = (names: readonly string[], except: readonly string[]) =>
    onInput(SOME + [...names, ...except.map((name) => EXCEPT + name)].join(" "));
  return (
    <>
      <ChipsField
        label="Tools that may be called"
        things="tools"
        placeholder="github_*"
        known={known}
        takesAny
        chosen={allowed}
        onChange={(names) => set(names, taken)}
      />
      <ChipsField
        label="Except"
        things="exceptions"
        placeholder="github_delete_*"
        known={known}
        takesAny
        chosen={taken}
        onChange={(names) => set(allowed, names)}
      />
    </>
  );
}

function useTools(): { readonly tools: readonly ToolView[]; readonly isWhole: boolean } {
  const { data: tools = [], more } = usePages<ToolView>(may("tools.read") ? "/mcp/tools" : null, AT_ONCE);
  const isWhole = more === null;
  useEffect(() => {
    if (tools.length < TOOLS_MAX) void more?.();
  }, [tools.length, isWhole]);
  return { tools, isWhole };
}

interface MatchesProps {
  readonly patterns: readonly string[];
  readonly tools: readonly ToolView[];
  readonly isWhole: boolean;
}

function Matches({ patterns, tools, isWhole }: MatchesProps) {
  const names = tools.map(({ server, tool }) => `${server}_${tool}`);
  const matching = names.filter((name) => matchesPatterns(patterns, name));
  const shown = matching.slice(0, SHOWN_MAX);
  const rest = matching.slice(SHOWN_MAX);
  const idle = patterns.filter((pattern) => !names.some((name) => matchesPatterns([open(pattern)], name)));
  return (
    <div class="stack">
      <span class="small" role="status">
        {patterns.length === 0
          ? "No tool"
          : `${formatCount(matching.length)} of ${formatCount(names.length)}${isWhole ? "" : " and more"} tools`}
      </span>
      <Names names={shown} />
      {rest.length > 0 && (
        <details>
          <summary class="small">{formatCount(rest.length)} more</summary>
          <Names names={rest} />
        </details>
      )}
      {idle.length > 0 && isWhole && (
        <span class="small faint">No tool that you see is matched by {idle.join(", ")}</span>
      )}
    </div>
  );
}

/** Returns the pattern without the mark of those that take away. */
function open(pattern: string): string {
  return pattern.replace(/^!/, "");
}

function Names({ names }: { readonly names: readonly string[] }) {
  if (names.length === 0) return null;
  return (
    <ul class="row" aria-label="Tools that are matched">
      {names.map((name) => (
        <li key={name}>
          <Badge text={name} />
        </li>
      ))}
    </ul>
  );
}
