// The catalogue's file, and the list of prices that it is compared with.
import type { ModelCard } from "../../core/models/card.ts";
import type { CatalogueWatch, Settings } from "../../core/settings.ts";
import { parseDuration } from "../../core/text/duration.ts";
import { refuseFeedAddress } from "../../core/text/feed-address.ts";
import type { Issues } from "../errors.ts";
import type { Environment } from "../interpolate.ts";
import type { Config } from "../schema.ts";
import { readCatalogueFile } from "./catalogue-file.ts";

const DAILY = "24h";

type CatalogueSettings = Pick<
  Settings,
  | "catalogueFile"
  | "newerModels"
  | "catalogueAsOf"
  | "catalogueDigest"
  | "catalogueWatch"
  | "catalogueList"
  | "catalogueOvertaken"
  | "catalogueHiding"
>;

/** Reads the field `catalogue` and its file. `override` is a path in place of the field's own. */
export function readCatalogue(
  given: Config["catalogue"],
  override: string | undefined,
  readFile: Environment["readFile"],
  issues: Issues,
): { readonly cards: readonly ModelCard[]; readonly settings: CatalogueSettings } {
  const { file, watch } = readCatalogueRules(given, issues);
  const catalogueFile = override ?? file;
  const { cards, asOf, digest, list, overtaken, hiding } = readCatalogueFile(
    catalogueFile,
    readFile,
    issues,
    override === undefined,
  );
  const settings = {
    ...(catalogueFile === undefined ? {} : { catalogueFile, newerModels: cards }),
    ...(overtaken.length === 0 ? {} : { catalogueOvertaken: overtaken }),
    ...(hiding.length === 0 ? {} : { catalogueHiding: hiding }),
    ...(list === undefined ? {} : { catalogueList: list }),
    ...(asOf === undefined ? {} : { catalogueAsOf: asOf }),
    ...(digest === undefined ? {} : { catalogueDigest: digest }),
    ...(watch === undefined ? {} : { catalogueWatch: watch }),
  };
  return { cards, settings };
}

interface CatalogueRules {
  readonly file?: string;
  readonly watch?: CatalogueWatch;
}

function readCatalogueRules(given: Config["catalogue"], issues: Issues): CatalogueRules {
  if (given === undefined) return {};
  if (typeof given === "string") return { file: given };
  const { file, watch } = given;
  const named = file === undefined ? {} : { file };
  if (watch === undefined) return named;
  const refused = refuseFeedAddress(watch.from);
  if (refused !== null) issues.atValue(["catalogue", "watch", "from"], refused);
  const everyMs = parseDuration(watch.every ?? DAILY) ?? 0;
  return { ...named, watch: { from: watch.from, format: watch.format, everyMs } };
}
