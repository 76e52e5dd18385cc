// `poundkey catalogue update`: shows what a list of prices would change, and with --apply takes it.
import { changeCatalogueFile } from "../../app/models/catalogue-file.ts";
import { type ComparedFeed, compareList, readBasis, takeChanges } from "../../app/models/catalogue-update.ts";
import { obtainList } from "../../app/models/feed-fetch.ts";
import { checkFollows, checkNumbered } from "../../app/models/list-look.ts";
import { readModelUse } from "../../app/models/model-use.ts";
import { type ConfigSource, formatErrors, loadConfig, readBytes } from "../../app/start/configuration.ts";
import { EXIT, type Io } from "../../app/terminal.ts";
import { countChanges } from "../../catalogue/feeds/count-changes.ts";
import { FeedError } from "../../catalogue/feeds/feed.ts";
import { findIdlePattern, selectChanges } from "../../catalogue/feeds/select-changes.ts";
import { type ModelUse, reportUse } from "../../catalogue/feeds/use-report.ts";
import { isAccepted, isWaiting, type Proposal } from "../../catalogue/feeds/verdict.ts";
import { readProvider } from "../../core/models/card.ts";
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
  readonly changeFile: (path: string, change: (before: string | null) => string) => Promise<unknown>;
  /** The time that a list may take. Shorter in tests. */
  readonly limitMs?: number;
  /** Returns how the models were used in the last 30 days. Null if there is no store. Throws if it can't be read. */
  readonly readUse: (store: string, nowMs: number) => Promise<readonly ModelUse[] | null>;
}

export const REAL_PORTS: UpdatePorts = {
  fetch,
  nowMs: Date.now,
  readBytes,
  changeFile: changeCatalogueFile,
  readUse: readModelUse,
};

/** Returns 3 if some changes wait for --yes. */
export async function updateCatalogue(
  args: Arguments,
  io: Io,
  source: ConfigSource,
  ports: UpdatePorts,
): Promise<number> {
  const flags = readConfigurationFlags(args);
  const { loaded } = loadConfig(flags, source);
  if (!loaded.ok) {
    io.err(formatErrors(loaded.errors));
    return EXIT.failed;
  }
  const { settings } = loaded;
  const isApplied = args.switches.has("apply");
  if (isApplied && settings.catalogueFile === undefined) {
    io.err(
      "There is no file to write to: set catalogue to a path in the configuration, such as catalogue.json.",
    );
    return EXIT.failed;
  }
  const { from, format } = readList(args, settings);
  try {
    const look = await lookAt({ from, format }, readKeys(args, settings, io), args, settings, ports);
    const { compared, accepting, nowMs } = look;
    const chosen = choose(compared.proposals, args, settings);
    const { selected } = chosen;
    const used = await report({ proposals: selected, known: compared.known }, settings, ports, nowMs);
    if (isApplied) {
      const accepted = selected.filter((proposal) => isAccepted(proposal, accepting));
      await ports.changeFile(settings.catalogueFile ?? "", (before) => {
        const after = takeChanges(before, accepted, look.list, nowMs);
        checkFile(after, settings, flags, source);
        return after;
      });
    }
    show(compared, chosen, used, args, io);
    const waits = selected.some((proposal) => isWaiting(proposal, accepting));
    return waits && !accepting.yes ? EXIT.partial : EXIT.done;
  } catch (error) {
    if (!(error instanceof FeedError)) throw error;
    io.err(`Nothing was changed. The list at ${from} can't be used (${error.why}): ${error.message}.`);
    return EXIT.failed;
  }
}

/** Compares the list. Throws a FeedError if it can't be used, or may not follow the last one. */
async function lookAt(
  { from, format }: ReturnType<typeof readList>,
  keys: readonly string[],
  { switches }: Arguments,
  settings: Settings,
  ports: UpdatePorts,
) {
  const nowMs = ports.nowMs();
  const { readBytes: readFile, ...asking } = ports;
  const { text, sha256 } = await obtainList(from, keys, { readFile, ...asking });
  const compared = compareList(text, format, readBasis(settings), nowMs);
  const accepting = { yes: switches.has("yes"), older: switches.has("older") };
  checkFollows({ ...compared, sha256 }, settings, { mayBeOlder: accepting.older });
  if (from === settings.catalogueWatch?.from) checkNumbered(compared, settings.catalogueWatch);
  const serial = compared.list?.serial ?? null;
  const list = { format, serial, asOf: compared.asOf, sha256, mayBeOlder: accepting.older };
  return { compared, accepting, list, nowMs };
}

/** A file that the gateway would refuse is never written. */
function checkFile(
  text: string,
  { catalogueFile }: Settings,
  flags: ReturnType<typeof readConfigurationFlags>,
  source: ConfigSource,
): void {
  const readFile: ConfigSource["readFile"] = (path, most) =>
    path === catalogueFile ? text : source.readFile(path, most);
  const then = loadConfig(flags, { ...source, readFile }).loaded;
  const wrong = then.ok ? undefined : then.errors.find(({ field }) => field.startsWith("catalogue"));
  if (wrong) throw new FeedError(wrong.message);
}

interface ChosenChanges {
  /** Those of the providers that are shown. */
  readonly shown: readonly Proposal[];
  /** Those of the models that are named. */
  readonly selected: readonly Proposal[];
  /** Those of providers that aren't enabled, which --all shows. */
  readonly elsewhere: number;
  readonly isShown: (id: string) => boolean;
}

/** Throws a UsageError for a pattern that matches no change, and for --yes if the patterns leave none. */
function choose(
  proposals: readonly Proposal[],
  { lists, switches }: Arguments,
  { providers }: Settings,
): ChosenChanges {
  const enabled = new Set(providers.map(({ name }) => name));
  const isShown = (id: string) => switches.has("all") || enabled.has(readProvider(id));
  const shown = proposals.filter(({ id }) => isShown(id));
  const only = lists.get("only");
  const choice = { ...(only && { only }), except: lists.get("except") ?? [] };
  const idle = findIdlePattern(shown, choice);
  if (idle !== null) {
    const isElsewhere = findIdlePattern(proposals, { only: [idle.pattern] }) === null;
    const hint = isElsewhere ? ", but of a provider that isn't enabled: add --all" : "";
    throw new UsageError(`--${idle.field} ${idle.pattern} matches no change${hint}`);
  }
  const selected = selectChanges(shown, choice);
  if (only !== undefined && selected.length === 0 && switches.has("yes"))
    throw new UsageError("--yes has nothing to take: --except leaves nothing of --only");
  return { shown, selected, elsewhere: proposals.length - shown.length, isShown };
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
  { listed, known, list }: ComparedFeed,
  { shown, selected, elsewhere, isShown }: ChosenChanges,
  use: UseReport,
  args: Arguments,
  io: Io,
): void {
  const models = { listed: listed.filter(isShown), known: [...known.keys()].filter(isShown) };
  const counts = countChanges({ ...models, proposals: shown }, selected);
  const applied = args.switches.has("apply");
  const { serial = null, leftOut: left_out = 0 } = list ?? {};
  if (args.switches.has("json")) {
    const changes = selected.map(({ card: _card, adds: _adds, otherwise: _otherwise, isNew, ...change }) => ({
      ...change,
      new: isNew,
    }));
    const about = { serial, left_out, ...counts, elsewhere, applied };
    io.out(JSON.stringify({ ...about, last_30_days: viewReport(use), changes }, null, 2));
    return;
  }
  printChanges(selected, io);
  const { compared, equal, unlisted, added, rise, fall, begin, end } = counts;
  io.out(
    `${compared} models compared: ${equal} equal, ${unlisted} of the catalogue not in the list, ${added} new`,
  );
  io.out(`${rise} prices rise, ${fall} fall, ${begin} begin later, ${end} ends differ`);
  if (left_out > 0) io.out(`${left_out} rows of the list need a newer program`);
  if (elsewhere > 0) io.out(`${elsewhere} changes are of providers that aren't enabled: --all shows them`);
  const said = formatReport(use);
  if (said !== null) io.out(said);
  if (!applied) io.out(SHOWN_ONLY);
}
