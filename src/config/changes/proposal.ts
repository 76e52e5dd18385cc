// Checks a change of the configuration that nobody applies: its sections, as if the file had them. Nothing is called or read.
import { isObject, type JsonObject, parseJson } from "../../core/json/json.ts";
import type { KnownProvider } from "../../core/settings.ts";
import type { SettingsOrigin } from "../../core/settings-origin.ts";
import { type ConfigError, createError, formatField, type Issue, type Path } from "../errors.ts";
import { leaveOutWithin, RefusedFile } from "../interpolate.ts";
import { buildSettings, placeIssues, readValues } from "../load.ts";
import { validate } from "../validate.ts";
import { collectWarnings } from "../warnings.ts";
import { YamlText } from "../yaml.ts";

interface Verdict {
  /** Places are those in the change. */
  readonly errors: readonly ConfigError[];
  readonly warnings: readonly ConfigError[];
}

interface ProposalInput {
  readonly sections: SettingsOrigin["sections"];
  readonly known: readonly KnownProvider[];
}

/** Only these name models, for which it matters who is enabled. */
const OF_MODELS: readonly string[] = ["models", "aliases", "router", "responses"];
/** Stands for every key in the environment, none of which is read. */
const UNREAD = "not-read-by-this-check";
const UNREAD_FILE = "isn't read by this check";
const UNCHECKED = "isn't checked until its variable or file is read";
const NOT_A_MAPPING = "expected sections of the configuration, such as quota: { requests_per_day: 100 }";

export function checkProposal(text: string, { sections, known }: ProposalInput): Verdict {
  const yaml = new YamlText(text);
  const problems = yaml.problems();
  if (problems.length > 0) {
    const errors = problems.map(({ path, ...rest }) =>
      createError({ file: "", field: formatField(path), ...rest }),
    );
    return { errors, warnings: [] };
  }
  const change = readValues(yaml);
  const placed = (issues: readonly Issue[]) => placeIssues(issues, yaml, "");
  if (!isObject(change))
    return { errors: placed([{ path: [], at: "value", message: NOT_A_MAPPING }]), warnings: [] };
  const unread = yaml.texts().filter(({ scalar }) => scalar.value.includes("${"));
  const sources = new Map(unread.map(({ path, scalar }) => [JSON.stringify(path), scalar.value]));
  const { issues, warnings } = check(merge(readContext(sections, change), change), sources, known);
  const own = issues.filter((issue) => isOfChange(change, issue));
  const unchecked = unread.map(({ path }): Issue => ({ path, at: "value", message: UNCHECKED }));
  const left = leaveOutWithin(own, unchecked);
  const isUnread = ({ message }: Issue) => message.includes(UNREAD_FILE);
  const later = unchecked.filter(({ path }) => own.some((issue) => isSame(issue.path, path)));
  return {
    errors: placed(left.filter((issue) => !isUnread(issue))),
    warnings: placed([
      ...left.filter(isUnread),
      ...later,
      ...warnings.filter((issue) => isOfChange(change, issue)),
    ]),
  };
}

function check(values: JsonObject, sources: ReadonlyMap<string, string>, known: readonly KnownProvider[]) {
  const checked = validate(values, sources);
  if (!checked.ok) return { issues: checked.issues, warnings: [] };
  const variables = new Set(known.flatMap(({ keyVariables }) => keyVariables));
  const { settings, issues } = buildSettings(checked.config, {
    text: "",
    file: "",
    known,
    overrides: {},
    env: (name) => (variables.has(name) ? UNREAD : undefined),
    readFile: () => {
      throw new RefusedFile(UNREAD_FILE);
    },
    resolved: [],
    sources,
  });
  return { issues, warnings: collectWarnings(checked.config, settings, sources) };
}

/** Returns the sections of the configuration in use that the change adds to, or is checked against. */
function readContext(sections: ProposalInput["sections"], change: JsonObject): JsonObject {
  const needsProviders = OF_MODELS.some((name) => name in change);
  const names = ["server", ...Object.keys(change), ...(needsProviders ? ["providers"] : [])];
  const known = names.flatMap((name): readonly (readonly [string, unknown])[] => {
    const section = sections[name];
    return section === undefined ? [] : [[name, parseJson(section)]];
  });
  // Without the section, the known providers would be built that have a key in the environment.
  return { ...(needsProviders ? {} : { providers: {} }), ...Object.fromEntries(known) };
}

/** Mappings are merged, and anything else is replaced. */
function merge(before: JsonObject, change: JsonObject): JsonObject {
  const merged = { ...before };
  for (const [name, value] of Object.entries(change)) {
    const known = merged[name];
    merged[name] = isObject(known) && isObject(value) ? merge(known, value) : value;
  }
  return merged;
}

/** The configuration in use was checked when it was loaded, and its values are never shown. */
function isOfChange(change: JsonObject, { path, at, variable }: Issue): boolean {
  if (variable !== undefined || path.length === 0) return false;
  return isIn(change, path) || (at === "key" && path.length > 1 && isIn(change, path.slice(0, -1)));
}

function isIn(node: unknown, path: Path): boolean {
  const [step, ...rest] = path;
  if (step === undefined) return true;
  if (Array.isArray(node)) return Number(step) < node.length && isIn(node[Number(step)], rest);
  return isObject(node) && Object.hasOwn(node, step) && isIn(node[String(step)], rest);
}

function isSame(one: Path, other: Path): boolean {
  return JSON.stringify(one) === JSON.stringify(other);
}
