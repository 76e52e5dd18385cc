// `poundkey models`: prints the catalogue as a table.
import { sortAll } from "../../admin/list.ts";
import { type CardView, cardSchema } from "../../admin/models/settings-schema.ts";
import { type ConfigSource, formatErrors, loadConfig } from "../../app/start/configuration.ts";
import { EXIT, type Io } from "../../app/terminal.ts";
import { clock } from "../../app/world.ts";
import { buildCatalogue } from "../../catalogue/catalogue.ts";
import { type ModelView, modelView } from "../../catalogue/model-view.ts";
import { listPiecePrices } from "../../core/fields/piece-prices.ts";
import { OPERATIONS, type OperationName } from "../../core/models/card.ts";
import type { Settings } from "../../core/settings.ts";
import { suggest } from "../../core/text/nearest.ts";
import { MODEL_VALUES } from "../../core/things/sorts.ts";
import { formatJson } from "../administration.ts";
import {
  type Arguments,
  COMMON_FLAGS,
  makeFlagCommand,
  readConfigurationFlags,
  UsageError,
} from "../arguments.ts";
import { makePageReader, makeReader } from "../gateway/ask.ts";
import { createGateway } from "../gateway/gateway.ts";
import { describeSorts, readSort, SORT } from "../sorting.ts";
import { chooseScreen, formatTable, WIDE } from "../table.ts";

const HELP = `usage: poundkey models [WORD...] [--provider NAME] [--operation NAME] [--sort COLUMN] [--config FILE]
                       [--wide] [--json]
       poundkey models [WORD...] --gateway URL [--provider NAME] [--operation NAME] [--sort COLUMN] [--wide]
                       [--json]

Lists the models in the catalogue, including those in the configuration. Prices are in USD per million tokens, or for
models that are charged otherwise per piece, such as 0.006/minute.

  WORD              only models whose ids have this word in any case, or each of several
  --provider NAME   only models of this provider
  --operation NAME  only models that serve this operation: ${OPERATIONS.join(", ")}
${describeSorts("models", "the catalogue's order")}
  --config FILE, --store S  as for \`poundkey serve\`
  --gateway URL     list those that this gateway serves, at its prices, with the admin
                    token in POUNDKEY_TOKEN or after \`poundkey login --admin\`
  --wide            show all columns, however narrow the terminal is
  --json            print JSON
  --help            print this help

examples:
  poundkey models sonnet
  poundkey models --provider Anthropic
  poundkey models --operation embeddings --json`;

const FLAGS = {
  ...COMMON_FLAGS,
  ...SORT,
  ...WIDE,
  gateway: "value",
  provider: "value",
  operation: "value",
} as const;

const WORDS_MAX = 8;

/** Returns the exit code: 0 if the models were printed, 1 for an invalid configuration, 2 for wrong usage. */
export const runModels = makeFlagCommand(
  { name: "models", help: HELP, flags: FLAGS, wordsMax: WORDS_MAX },
  show,
);

async function show(args: Arguments, io: Io, source: ConfigSource): Promise<number> {
  const gateway = args.values.get("gateway");
  if (gateway !== undefined) return showServed(gateway, args, io);
  const { loaded } = loadConfig(readConfigurationFlags(args), source);
  if (!loaded.ok) {
    io.err(formatErrors(loaded.errors));
    return EXIT.failed;
  }
  print(args, io, listModels(loaded.settings, chooseProviders(args, loaded.settings, source)));
  return EXIT.done;
}

/** The part of a model that the table shows, from the catalogue and from a gateway alike. */
type ShownModel = Pick<ModelView, "id" | "context_window" | "max_output_tokens" | "pricing"> & {
  readonly capabilities: readonly string[];
  readonly operations?: readonly string[] | null | undefined;
  readonly released?: string | null;
  readonly release_date?: string | null;
};

/** Returns the model with what a gateway's list sorts it by. */
function asListed(view: ShownModel) {
  const released = view.released ?? view.release_date ?? null;
  return { ...view, pricing: view.pricing ?? null, released, view };
}

function print(args: Arguments, io: Io, views: readonly ShownModel[]): void {
  const operation = chooseOperation(args);
  const words = args.words.map((word) => word.toLowerCase());
  const hasWords = ({ id }: ShownModel) => words.every((word) => id.toLowerCase().includes(word));
  const serves = ({ operations }: ShownModel) => !operation || !operations || operations.includes(operation);
  const found = views.filter((view) => serves(view) && hasWords(view)).map(asListed);
  const shown = sortAll("models", readSort("models", args), found, MODEL_VALUES).map(({ view }) => view);
  const isJson = args.switches.has("json");
  const rows = [HEADINGS, ...shown.map(formatCells)];
  if (isJson) io.out(formatJson(shown));
  else if (shown.length === 0) io.err(explainNone(args, views));
  else io.out(formatTable(rows, chooseScreen(io, args), NARROWING));
}

/** Names the model that a word may have meant. */
function explainNone({ words }: Arguments, views: readonly ShownModel[]): string {
  const names = views.map(({ id }) => id.slice(id.indexOf("#") + 1));
  return `No model matches${words.map((word) => suggest(word, names)).find(Boolean) ?? ""}`.replace(
    /([^?])$/,
    "$1.",
  );
}

const readCards = makePageReader(makeReader(cardSchema));

async function showServed(gateway: string, args: Arguments, io: Io): Promise<number> {
  try {
    print(args, io, await listServed(gateway, args));
    return EXIT.done;
  } catch (error) {
    if (error instanceof UsageError || !(error instanceof Error)) throw error;
    io.err(`poundkey: ${error.message}`);
    return EXIT.failed;
  }
}

/** Returns the models that are on there. */
async function listServed(address: string, { values }: Arguments): Promise<readonly CardView[]> {
  if (values.has("config") || values.has("store"))
    throw new UsageError("--gateway takes the place of --store and --config");
  const gateway = createGateway(address, process.env);
  const { data } = await gateway.ask({
    route: { method: "GET", path: "/models" },
    read: readCards,
    here: () => Promise.reject(new Error("There is no store here.")),
  });
  const asked = values.get("provider")?.toLowerCase();
  return data.filter(({ on, provider }) => on && (asked === undefined || provider.toLowerCase() === asked));
}

/** All known providers unless one is named, on or off, because a catalogue is read before keys are bought. */
function chooseProviders(
  { values }: Arguments,
  { providers }: Settings,
  { known }: ConfigSource,
): readonly string[] {
  const names = [...new Set([...known, ...providers].map(({ name }) => name))];
  const asked = values.get("provider");
  const chosen = names.filter((name) => asked === undefined || name.toLowerCase() === asked.toLowerCase());
  if (chosen.length > 0) return chosen;
  throw new UsageError(`unknown provider ${asked}${suggest(asked ?? "", names)}`);
}

function chooseOperation({ values }: Arguments): OperationName | undefined {
  const asked = values.get("operation");
  const found = OPERATIONS.find((name) => name === asked);
  if (asked === undefined || found) return found;
  const near = suggest(asked, OPERATIONS) || `; expected ${OPERATIONS.join(", ")}`;
  throw new UsageError(`unknown operation ${asked}${near}`);
}

function listModels(settings: Settings, names: readonly string[]): readonly ModelView[] {
  const providers = names.map((name) => ({ name, unlistedModels: false }));
  return buildCatalogue({ ...settings, providers, nowMs: clock.nowMs() })
    .list()
    .map(modelView);
}

const NARROWING = { sentences: ["CAPABILITIES"], giveWay: ["OUTPUT", "CONTEXT"] };
const HEADINGS = ["MODEL", "CONTEXT", "OUTPUT", "IN $/M", "OUT $/M", "CAPABILITIES"] as const;

function formatCells(view: ShownModel): readonly string[] {
  const unknown = (value: number | null | undefined) =>
    value === null || value === undefined ? "-" : String(value);
  const pieces = listPiecePrices(view.pricing);
  return [
    view.id,
    unknown(view.context_window),
    unknown(view.max_output_tokens),
    pieces.length > 0
      ? pieces.map(({ usd, unit }) => `${usd}/${unit}`).join(", ")
      : unknown(view.pricing?.input),
    pieces.length > 0 ? "-" : unknown(view.pricing?.output),
    view.capabilities.join(", "),
  ];
}
