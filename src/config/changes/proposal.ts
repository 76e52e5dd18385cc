// Checks a change of the configuration that nobody applies: its sections, as if the file had them. Nothing is called or read.
import { isObject, type JsonObject, parseJson } from "../../core/json/json.ts";
import type { KnownProvider } from "../../core/settings.ts";
import type { SettingsOrigin } from "../../core/settings-origin.ts";
import { type ConfigError, createError, formatField, type Issue, type Path } from "../errors.ts";
import { leaveOutWithin, RefusedFile } from "../interpolate.ts";
import { buildSettings, placeIssues, readValues } from "../load.ts";
import { validateConfig } from "../validate.ts";
import { collectWarnings } from "../warnings.ts";
import { YamlText } from "../yaml.ts";

interface ProposalVerdict {
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

export function checkProposal(text: string, { sections, known }: ProposalInput): ProposalVerdict {
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
  const { issues, warnings, replaced } = check(merge(readContext(sections, change), change), sources, known);
  const own = issues.filter((issue) => isOfChange(change, issue));
  const unchecked = unread.map(({ path }): Issue => ({ path, at: "value", message: UNCHECKED }));
  const left = leaveOutWithin(own, unchecked);
  const isUnread = ({ message }: Issue) => message.includes(UNREAD_FILE);
  const doubtful = [...own, ...replaced];
  const later = unchecked.filter(({ path }) => doubtful.some((issue) => isSame(issue.path, path)));
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
  const { checked, replaced } = validateUnread(values, sources);
  if (!checked.ok) return { issues: checked.issues, warnings: [], replaced };
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
  return { issues, warnings: collectWarnings(checked.config, settings, sources), replaced };
}

/** Values of the kinds of fields that a text can't stand for. The first that a field takes does for the one that isn't read. */
const STAND_INS = ["https://unread.example.com", 1, "1h", true] as const;

/** Lets the other fields be checked beside one whose value isn't read. */
function validateUnread(values: JsonObject, sources: ReadonlyMap<string, string>) {
  const replaced: Issue[] = [];
  let checked = validateConfig(values, sources);
  for (const standIn of STAND_INS) {
    if (checked.ok) break;
    const unread = checked.issues.filter(({ path }) => sources.has(JSON.stringify(path)));
    for (const { path } of unread) replaceValue(values, path, standIn);
    replaced.push(...unread);
    if (unread.length > 0) checked = validateConfig(values, sources);
  }
  return { checked, replaced };
}

function replaceValue(values: JsonObject, path: Path, value: unknown): void {
  const last = path.at(-1) ?? "";
  let node: unknown = values;
  for (const step of path.slice(0, -1)) node = findWithin(node, step);
  if (Array.isArray(node)) node[Number(last)] = value;
  else if (isObject(node)) node[last] = value;
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

function isIn(change: JsonObject, path: Path): boolean {
  let node: unknown = change;
  for (const step of path) node = findWithin(node, step);
  return node !== undefined;
}

function findWithin(node: unknown, step: string | number): unknown {
  if (Array.isArray(node)) return node[Number(step)];
  return isObject(node) && Object.hasOwn(node, step) ? node[step] : undefined;
}

function isSame(one: Path, other: Path): boolean {
  return JSON.stringify(one) === JSON.stringify(other);
}
