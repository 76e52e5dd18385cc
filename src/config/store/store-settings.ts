// The settings of commands that work on the store or a running gateway alone, read from a configuration even if it has mistakes elsewhere.
import { isObject } from "../../core/json/json.ts";
import type { ServerRules, Settings } from "../../core/settings.ts";
import { type LoadInput, loadSettings } from "../load.ts";
import { PLACE_VARIABLES } from "../places.ts";
import { ConfigSchema } from "../schema.ts";
import { YamlText } from "../yaml.ts";

/** The providers are missing beside a file with mistakes, since nothing depends on them but what is said of their names. */
export type StoreSettings = Pick<Settings, "store" | "quota" | "billing" | "log"> &
  Partial<Pick<Settings, "providers">>;

export interface StoreReading {
  readonly settings: StoreSettings;
  /** The sections that can't be read. Their defaults stand in for them. */
  readonly unread: readonly string[];
}

const RULES = ["quota", "billing", "log"] as const;
const SECTIONS = ["store", ...RULES, "server"] as const;
type StoreSection = (typeof SECTIONS)[number];

/** The values as they are written, before variables and files are put in. */
interface StoredSections {
  readonly values: Readonly<Partial<Record<StoreSection, unknown>>>;
  /** The sections that are there but can't be read. */
  readonly unread: readonly StoreSection[];
  /** True if another place of the text may be meant to name a store. */
  readonly isDoubtful: boolean;
}

/** Returns null if the store's address isn't certain: the file may name another store than the environment or the default. */
export function loadStoreSettings(input: LoadInput): StoreReading | null {
  const found = findSections(input.text ?? "");
  const { store, server: _, ...rules } = found.values;
  const isGiven = input.overrides.store !== undefined;
  if (!isGiven && (found.unread.includes("store") || (store === undefined && found.isDoubtful))) return null;
  const place = isGiven || store === undefined ? {} : { store };
  const names = RULES.filter((name) => name in rules);
  const kept = names.filter((name) => loadSections({ ...place, [name]: rules[name] }, input).ok);
  const sections = Object.fromEntries(kept.map((name) => [name, rules[name]]));
  const loaded = loadSections({ ...place, ...sections }, input);
  if (!loaded.ok) return null;
  const { store: address, quota, billing, log } = loaded.settings;
  const unread = RULES.filter(
    (name) => found.unread.includes(name) || (name in rules && !kept.includes(name)),
  );
  return { settings: { store: address, quota, billing, log }, unread };
}

/** Returns where a gateway with this configuration listens, or null if that can't be read from it. */
export function loadServerAddress(input: LoadInput): Pick<ServerRules, "host" | "port"> | null {
  const { values, unread } = findSections(input.text ?? "");
  const { server } = values;
  if (unread.includes("server")) return null;
  // The rest of the section, such as its admin token, may be what is wrong.
  const place = isObject(server) ? { host: server.host, port: server.port } : (server ?? {});
  const loaded = loadSections({ server: place }, input);
  return loaded.ok ? loaded.settings.server : null;
}

const OF_THE_STORE = ["POUNDKEY_STORE", ...PLACE_VARIABLES];

/** Reads no variable that belongs to another section, as it may be the one that is wrong. */
function loadSections(sections: StoredSections["values"], input: LoadInput) {
  const text = JSON.stringify({ providers: {}, ...sections });
  const env = (name: string) =>
    OF_THE_STORE.includes(name) || text.includes(`\${${name}}`) ? input.env(name) : undefined;
  return loadSettings({ ...input, text, env, overrides: { store: input.overrides.store } });
}

function findSections(text: string): StoredSections {
  const yaml = new YamlText(text);
  if (yaml.problems().length > 0) return findPieces(text);
  const root = readValue(yaml) ?? {};
  if (!isObject(root)) return { values: {}, unread: SECTIONS, isDoubtful: true };
  const names = SECTIONS.filter((name) => Object.hasOwn(root, name));
  return {
    values: Object.fromEntries(names.map((name) => [name, root[name]])),
    unread: [],
    isDoubtful: !Object.keys(root).every(isKnown) || mayNameStore(text),
  };
}

/** Finds the sections of a text that isn't YAML as a whole, each as a piece that begins at the start of a line. */
function findPieces(text: string): StoredSections {
  const values: Partial<Record<StoreSection, unknown>> = {};
  const unread: StoreSection[] = [];
  for (const name of SECTIONS) {
    const pieces = text.match(new RegExp(`^${name}:.*\\n?(?:[ \\t#].*\\n?|\\r?\\n)*`, "gm")) ?? [];
    if (pieces.length === 0) continue;
    const yaml = new YamlText(pieces.join(""));
    const root = yaml.problems().length === 0 ? readValue(yaml) : null;
    if (isObject(root)) values[name] = root[name];
    else unread.push(name);
  }
  const starts = (text.match(/^[^\s#].*/gm) ?? []).filter((line) => !/^(---\s*|[\]},\s]+)$/.test(line));
  const isPlain = starts.every((line) => isKnown(/^([a-z_]+):/.exec(line)?.[1] ?? ""));
  return { values, unread, isDoubtful: !isPlain || mayNameStore(text) };
}

const isKnown = (name: string) => Object.hasOwn(ConfigSchema.properties, name);

/** True if a line that isn't a comment has the field's name or looks like an address. */
function mayNameStore(text: string): boolean {
  return /(?<![\w-])stores?\b|sqlite:|postgres(ql)?:/i.test(text.replace(/^\s*#.*$/gm, ""));
}

/** Returns an empty text if aliases repeat without end. */
function readValue(yaml: YamlText): unknown {
  try {
    return yaml.value();
  } catch {
    return "";
  }
}
