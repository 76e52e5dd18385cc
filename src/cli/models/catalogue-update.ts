// `poundkey catalogue update`: shows what a list of prices would change, and with --apply takes it.
import { replaceCatalogueFile } from "../../app/models/catalogue-file.ts";
import { type ComparedFeed, compareList, writeAccepted } from "../../app/models/catalogue-update.ts";
import { obtainList } from "../../app/models/feed-fetch.ts";
import { readModelUse } from "../../app/models/model-use.ts";
import {
  type ConfigSource,
  type ConfigurationFlags,
  formatErrors,
  loadConfig,
  readBytes,
} from "../../app/start/configuration.ts";
import { EXIT, type Io } from "../../app/terminal.ts";
import type { FeedComparison, Proposal } from "../../catalogue/feeds/compare-feed.ts";
import { FeedError } from "../../catalogue/feeds/feed.ts";
import { type ModelUse, reportUse } from "../../catalogue/feeds/use-report.ts";
import { loadShippedCards } from "../../catalogue/rows.ts";
import { writeCatalogueFile } from "../../catalogue/write-rows.ts";
import type { ConfigError } from "../../config/errors.ts";
import type { LoadResult } from "../../config/load.ts";
import { FEED_FORMATS } from "../../core/models/feed-format.ts";
import type { Settings } from "../../core/settings.ts";
import type { Fetch } from "../../core/world/world.ts";
import { type Arguments, readConfigurationFlags, UsageError } from "../arguments.ts";
import { readPublicKeyFile } from "./list-keys.ts";
import { formatReport, printChanges, SHOWN_ONLY, type UseReport, viewReport } from "./update-report.ts";

/** The world around the command. */
export interface UpdatePorts {
  readonly fetch: Fetch;
  readonly nowMs: () => number;
  /** Returns the bytes of a list or a signature. Throws as the source's own way of reading does. */
  readonly readBytes: (path: string, bytesMax: number) => Uint8Array;
  readonly writeFile: (path: string, text: string) => void;
  /** Returns how the models were used in the last 30 days. Null if there is no store. Throws if it can't be read. */
  readonly readUse: (store: string, nowMs: number) => Promise<readonly ModelUse[] | null>;
}

export const REAL_PORTS: UpdatePorts = {
  fetch,
  nowMs: Date.now,
  readBytes,
  writeFile: replaceCatalogueFile,
  readUse: readModelUse,
};

/** Returns 3 if some changes wait for --yes. */
export async function update(
  given: Arguments,
  io: Io,
  source: ConfigSource,
  ports: UpdatePorts,
): Promise<number> {
  const flags = readConfigurationFlags(given);
  const loaded = loadWithoutFile(flags, source);
  if (!loaded.ok) {
    io.err(formatErrors(loaded.errors));
    return EXIT.failed;
  }
  const { settings } = loaded;
  const { from, format } = readList(given, settings);
  const isApplied = given.switches.has("apply");
  if (isApplied && settings.catalogueFile === undefined) {
    io.err(
      "There is no file to write to: set catalogue to a path in the configuration, such as catalogue.json.",
    );
    return EXIT.failed;
  }
  try {
    const nowMs = ports.nowMs();
    const { text: list } = await obtainList(from, readKeys(given, settings, io), {
      fetch: ports.fetch,
      readFile: ports.readBytes,
    });
    const compared = compareList(list, format, settings, nowMs);
    const isAccepted = ({ verdict }: Proposal) => verdict === "taken" || given.switches.has("yes");
    const text = isApplied ? writeAccepted(compared, settings, isAccepted, nowMs) : null;
    if (text !== null) write(text, settings, ports);
    show(compared, await report(compared, settings, ports, nowMs), given, io);
    return compared.proposals.some(isWaiting) && !given.switches.has("yes") ? EXIT.partial : EXIT.done;
  } catch (error) {
    if (!(error instanceof FeedError)) throw error;
    io.err(`Nothing was changed. The list at ${from} can't be used (${error.why}): ${error.message}.`);
    return EXIT.failed;
  }

  /** A file that the gateway would refuse is never written. */
  function write(text: string, { catalogueFile = "" }: Settings, { writeFile }: UpdatePorts): void {
    const readFile: ConfigSource["readFile"] = (path, most) =>
      path === catalogueFile ? text : source.readFile(path, most);
    const then = loadConfig(flags, { ...source, readFile }).loaded;
    const wrong = then.ok ? undefined : then.errors.find(({ field }) => field.startsWith("catalogue"));
    if (wrong) throw new FeedError(wrong.message);
    writeFile(catalogueFile, text);
  }
}

/** A store that can't be read is no reason not to update. */
async function report(
  { proposals, known }: Pick<ComparedFeed, "proposals" | "known">,
  { store }: Settings,
  { readUse }: UpdatePorts,
  nowMs: number,
): Promise<UseReport> {
  try {
    const uses = await readUse(store, nowMs);
    return { uses: uses && reportUse(proposals, known, uses), problem: null };
  } catch (error) {
    return { uses: null, problem: error instanceof Error ? error.message : String(error) };
  }
}

/** The first update makes the file that the configuration already names. */
function loadWithoutFile(flags: ConfigurationFlags, source: ConfigSource): LoadResult {
  const { loaded } = loadConfig(flags, source);
  if (loaded.ok || loaded.errors.length > 1 || !loaded.errors.some(isMissingCatalogue)) return loaded;
  const [card] = loadShippedCards();
  const standIn = writeCatalogueFile(card === undefined ? [] : [card], "2000-01-01");
  const readFile: ConfigSource["readFile"] = (path, most) => {
    try {
      return source.readFile(path, most);
    } catch {
      return standIn;
    }
  };
  const again = loadConfig(flags, { ...source, readFile }).loaded;
  return again.ok ? { ...again, settings: { ...again.settings, newerModels: [] } } : again;
}

function isMissingCatalogue({ field, message }: ConfigError): boolean {
  return field.startsWith("catalogue") && message.endsWith("the file doesn't exist");
}

function isWaiting({ verdict }: Proposal): boolean {
  return verdict === "waits";
}

/** The address and the form of the list: of the flags, else of the configuration. */
function readList({ values }: Arguments, { catalogueWatch }: Settings) {
  const from = values.get("from") ?? catalogueWatch?.from;
  const named = values.get("format") ?? catalogueWatch?.format;
  const format = FEED_FORMATS.find((one) => one === named);
  if (from === undefined) throw new UsageError("update needs --from URL or --from FILE");
  if (format === undefined) throw new UsageError(`--format must be one of ${FEED_FORMATS.join(", ")}`);
  return { from, format };
}

/** The keys one of which must have signed the list. Empty if signatures aren't looked at. */
function readKeys({ lists, switches }: Arguments, { catalogueWatch }: Settings, io: Io): readonly string[] {
  const named = lists.get("key");
  if (!switches.has("unsigned")) return named?.map(readPublicKeyFile) ?? catalogueWatch?.keys ?? [];
  if (named !== undefined) throw new UsageError("--key and --unsigned exclude each other");
  io.err("Nothing was verified: --unsigned takes the list from whoever wrote it.");
  return [];
}

function show(
  { proposals, compared, equal, unlisted }: FeedComparison,
  use: UseReport,
  given: Arguments,
  io: Io,
): void {
  const count = (is: (proposal: Proposal) => boolean) => proposals.filter(is).length;
  const counts = {
    compared,
    equal,
    unlisted,
    added: count(({ adds }) => adds !== undefined),
    rise: count(({ moves }) => moves === "rises"),
    fall: count(({ moves }) => moves === "falls"),
    begin: count(({ field }) => field === "later_prices"),
    end: count(({ field }) => field === "shutdown"),
    taken: count(({ verdict }) => verdict === "taken"),
    waiting: count(isWaiting),
    refused: count(({ verdict }) => verdict === "refused"),
    applied: given.switches.has("apply"),
  };
  if (given.switches.has("json")) {
    const changes = proposals.map(({ card: _card, adds: _adds, ...change }) => change);
    io.out(JSON.stringify({ ...counts, last_30_days: viewReport(use), changes }, null, 2));
    return;
  }
  printChanges(proposals, io);
  io.out(
    `${compared} models compared: ${equal} equal, ${unlisted} of the catalogue not in the list, ${counts.added} new`,
  );
  io.out(
    `${counts.rise} prices rise, ${counts.fall} fall, ${counts.begin} begin later, ${counts.end} ends differ`,
  );
  const said = formatReport(use);
  if (said !== null) io.out(said);
  if (!counts.applied) io.out(SHOWN_ONLY);
}
