// The catalogue's file, and the list of prices that it is compared with.
import { dirname, isAbsolute, join } from "node:path";
import type { ModelCard } from "../../core/models/card.ts";
import type { CatalogueWatch, Settings } from "../../core/settings.ts";
import { parseDuration } from "../../core/text/duration.ts";
import { isListAddress, refuseFeedAddress } from "../../core/text/feed-address.ts";
import { readPublicKey } from "../../core/text/public-key.ts";
import type { Issues } from "../errors.ts";
import type { Environment } from "../interpolate.ts";
import type { Config } from "../schema.ts";
import { readCatalogueFile } from "./catalogue-file.ts";

const DAILY = "24h";
/** The file of what was taken, beside the store of a gateway that has no other. */
const TAKEN_FILE = "catalogue.taken.json";
const SQLITE = /^sqlite:(.+)$/;

type CatalogueSettings = Pick<
  Settings,
  | "catalogueFile"
  | "isCatalogueFileDefault"
  | "newerModels"
  | "catalogueAsOf"
  | "catalogueDigest"
  | "catalogueWatch"
  | "catalogueList"
  | "catalogueOvertaken"
  | "catalogueHiding"
>;
type CatalogueFields = NonNullable<Exclude<Config["catalogue"], string>>;
type WatchFields = NonNullable<CatalogueFields["watch"]>;

interface CatalogueFileInput extends Pick<Environment, "readFile"> {
  /** The configuration's own path. */
  readonly file: string;
  /** The command line's path stands in place of the field's own. */
  readonly overrides: { readonly catalogue?: string | undefined };
}

/** Reads the field `catalogue` and its file. */
export function readCatalogue(
  config: Config["catalogue"],
  { overrides, readFile, file: configuration }: CatalogueFileInput,
  store: string,
  issues: Issues,
): { readonly cards: readonly ModelCard[]; readonly settings: CatalogueSettings } {
  const given: CatalogueFields = typeof config === "string" ? { file: config } : (config ?? {});
  const watch = given.watch && readWatch(given.watch, dirname(configuration), issues);
  const named = overrides.catalogue ?? given.file;
  const own = named === undefined && watch?.take !== undefined ? findDefaultFile(store, issues) : undefined;
  const catalogueFile = named ?? own;
  const mayBeMissing = overrides.catalogue === undefined;
  const found = readCatalogueFile(catalogueFile, readFile, issues, mayBeMissing);
  const { cards, asOf, digest, list, overtaken, hiding } = found;
  const settings = {
    ...(catalogueFile === undefined ? {} : { catalogueFile, newerModels: cards }),
    ...(own === undefined ? {} : { isCatalogueFileDefault: true }),
    ...(overtaken.length === 0 ? {} : { catalogueOvertaken: overtaken }),
    ...(hiding.length === 0 ? {} : { catalogueHiding: hiding }),
    ...(list === undefined ? {} : { catalogueList: list }),
    ...(asOf === undefined ? {} : { catalogueAsOf: asOf }),
    ...(digest === undefined ? {} : { catalogueDigest: digest }),
    ...(watch === undefined ? {} : { catalogueWatch: watch }),
  };
  return { cards, settings };
}

function findDefaultFile(store: string, issues: Issues): string | undefined {
  const [, path] = SQLITE.exec(store) ?? [];
  if (path !== undefined && path !== ":memory:") return join(dirname(path), TAKEN_FILE);
  const message = "without a catalogue file, what is taken stands beside an SQLite store: set catalogue.file";
  issues.atValue(["catalogue", "watch", "take"], message);
  return undefined;
}

/** A path is looked for beside the configuration. */
function readWatch(given: WatchFields, folder: string, issues: Issues): CatalogueWatch {
  const { from, format = "poundkey", take = "none", ignore = [], every = DAILY } = given;
  const pin = given.pin ?? undefined;
  const wrong = (field: keyof WatchFields, message: string) =>
    issues.atValue(["catalogue", "watch", field], message);
  const refused = isListAddress(from) ? refuseFeedAddress(from) : null;
  if (refused !== null) wrong("from", refused);
  if (take !== "none" && given.keys === undefined)
    wrong("take", "only signed lists are taken: name whose by keys");
  if (pin !== undefined && format !== "poundkey")
    wrong("pin", `only lists of the format poundkey have serials, not ${format}`);
  return {
    from: isListAddress(from) || isAbsolute(from) ? from : join(folder, from),
    format,
    everyMs: parseDuration(every) ?? 0,
    ...(given.keys === undefined ? {} : { keys: readKeys(given.keys, issues) }),
    ...(take === "none" ? {} : { take }),
    ...(pin === undefined ? {} : { pin }),
    ...(ignore.length === 0 ? {} : { ignore }),
  };
}

function readKeys(given: readonly string[], issues: Issues): readonly string[] {
  return given.flatMap((text, at) => {
    const read = readPublicKey(text);
    if ("key" in read) return [read.key];
    issues.atValue(["catalogue", "watch", "keys", at], read.wrong);
    return [];
  });
}
