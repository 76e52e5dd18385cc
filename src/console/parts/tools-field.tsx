// A field for a list of allowed tools, with the tools that it matches as it is typed.
import { useEffect } from "preact/hooks";
import type { ToolView } from "../../admin/tools/tools.ts";
import { matchesPatterns } from "../../core/fields/tool-list.ts";
import { formatCount } from "../frame/format.ts";
import { usePages } from "../frame/resource.ts";
import { may } from "../frame/session.ts";
import { type LabelProps, TextField } from "./field.tsx";
import { Badge } from "./states.tsx";

/** If there are more, the first by name are looked at. */
const TOOLS_MAX = 2000;
const SHOWN_MAX = 12;
const AT_ONCE = { limit: 200 };

interface ToolsFieldProps extends LabelProps {
  readonly value: string;
  readonly onInput: (value: string) => void;
  readonly placeholder?: string | undefined;
  /** Null where nothing is said. */
  readonly patterns: readonly string[] | null;
}

export function ToolsField({ patterns, ...field }: ToolsFieldProps) {
  const { tools, isWhole } = useTools();
  return (
    <>
      <TextField {...field} />
      {patterns !== null && tools.length > 0 && (
        <Matches patterns={patterns} tools={tools} isWhole={isWhole} />
      )}
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
