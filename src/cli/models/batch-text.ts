// The text of `poundkey batches show`: the same as a batch's page in the console.
import type { BatchDetailView, BatchView } from "../../admin/models/batches.ts";
import { showInvisible } from "../../core/text/names.ts";
import { listOutcomes, MISTAKES_KEPT, nameStatus } from "../../core/things/line-outcomes.ts";
import { formatUsd } from "../administration.ts";
import { formatTable, type TableRow } from "../table.ts";

/** Names the outcomes that lines have: `200 answered, 600 cancelled`. */
function describeOutcomes({ outcomes }: BatchView): string {
  return listOutcomes(outcomes)
    .map(({ words, count }) => `${count} ${words}`)
    .join(", ");
}

/** A line that says how far it is. */
export function formatBatchLine(batch: BatchView): string {
  const { id, counts, cost_usd, waiting, errors, ended_at } = batch;
  const lines = counts.total === 0 ? "no lines" : `${counts.total} lines: ${describeOutcomes(batch)}`;
  const verb = ended_at === null ? "waits" : "ended";
  const why = waiting === null ? "" : ` It ${verb} (${waiting.code}): ${waiting.message}`;
  const [mistake] = errors;
  const wrong = mistake ? ` ${mistake.code}: ${mistake.message}` : "";
  return showInvisible(`${id}: ${nameStatus(batch)}, ${lines}, ${formatUsd(cost_usd)} USD.${why}${wrong}`);
}

/** All that is known of it. */
export function formatBatch(batch: BatchDetailView): string {
  const facts = [...listFacts(batch), ...listCosts(batch), ...listWait(batch), ...listKept(batch)];
  return [`${batch.id}: ${nameStatus(batch)}`, formatTable(facts), ...listMistakes(batch)].join("\n");
}

function listFacts(batch: BatchDetailView): readonly TableRow[] {
  const { endpoint, account_id, key_id, counts, window, created_at, expires_at, ended_at, tokens } = batch;
  return [
    ["endpoint", endpoint],
    ["account", account_id],
    ["key", key_id],
    ["lines", counts.total === 0 ? "0" : `${counts.total}: ${describeOutcomes(batch)}`],
    ["made", created_at],
    ["window", `${window}, until ${expires_at}`],
    ...(ended_at === null ? [] : [["ended", ended_at]]),
    ["tokens", `${tokens.prompt} in, ${tokens.completion} out`],
  ];
}

function listCosts(batch: BatchDetailView): readonly TableRow[] {
  const usd = (value: number | null, otherwise: string) =>
    value === null ? otherwise : `${formatUsd(value)} USD`;
  return [
    ["cost", usd(batch.cost_usd, "")],
    ["charged", usd(batch.charged_usd, "")],
    ["expected", usd(batch.estimated_cost_usd, "not known")],
    ["at worst", usd(batch.worst_cost_usd, "not known")],
    ["ceiling", usd(batch.max_cost_usd, "none")],
  ];
}

function listWait({ waiting, ended_at }: BatchDetailView): readonly TableRow[] {
  if (waiting === null) return [];
  const { code, message, models = [], until, resets_at, since } = waiting;
  if (ended_at !== null) return [["ended by", `${code}: ${message}`]];
  return [
    ["waits for", `${code}: ${message}`],
    ["waits since", since],
    ...(resets_at === null ? [] : [["goes on by", resets_at]]),
    ...(models.length === 0 ? [] : [["models", models.join(", ")]]),
    ...(until === undefined ? [] : [["waits until", until]]),
  ];
}

function listKept({ files, metadata }: BatchDetailView): readonly TableRow[] {
  return [
    ...files.map(({ of, id, bytes }) => [of, `${id}, ${bytes} bytes`]),
    ...Object.entries(metadata ?? {}).map(([name, value]) => ["metadata", `${name}: ${value}`]),
  ];
}

function listMistakes({ errors }: BatchDetailView): readonly string[] {
  if (errors.length === 0) return [];
  const rows = errors.map(({ line, code, message }) => [line === null ? "-" : String(line), code, message]);
  const more = errors.length < MISTAKES_KEPT ? [] : [`Only the first ${MISTAKES_KEPT} mistakes are kept.`];
  return ["", formatTable([["LINE", "CODE", "MISTAKE"], ...rows]), ...more];
}
