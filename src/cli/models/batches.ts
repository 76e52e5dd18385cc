// `poundkey batches`: lists, shows and cancels batches, also while a gateway runs on the same store.
import { recordAct } from "../../admin/audit/audit-trail.ts";
import { readQuery } from "../../admin/input.ts";
import {
  type BatchDetailView,
  type BatchesParts,
  type BatchView,
  batchDetailSchema,
  batchesQuery,
  batchSchema,
  cancelBatch,
  getBatch,
  listBatches,
} from "../../admin/models/batches.ts";
import type { ActingWorld, AdminWorld } from "../../admin/world.ts";
import { cancelInStore } from "../../app/batches.ts";
import { nameStatus } from "../../core/things/line-outcomes.ts";
import {
  formatJson,
  formatUsd,
  makeCommand,
  printList,
  requireOne,
  type StoreCall,
} from "../administration.ts";
import { STORE_OR_GATEWAY } from "../arguments.ts";
import { makePageReader, makeReader } from "../gateway/ask.ts";
import { ACCOUNT_NAMING, findId } from "../gateway/names.ts";
import { describeSorts, readSort, SORT } from "../sorting.ts";
import { WIDE, WIDE_HELP } from "../table.ts";
import { formatBatch, formatBatchLine } from "./batch-text.ts";

const HELP = `usage: poundkey batches list [--account ACCOUNT] [--status STATUS] [--sort COLUMN] [--wide] [--json]
       poundkey batches show ID [--watch] [--json]
       poundkey batches cancel ID [--watch] [--json]

Batches of requests, with how far they are, what they cost, and why they wait.

  list                      all batches
  show                      one batch: lines by outcome, costs, files, mistakes
  cancel                    start no line of it any more: it ends within seconds, with what was answered
  --account ACCOUNT         only this account's, by its id or name
  --status STATUS           only those in this status, such as in_progress
${describeSorts("batches")}
  --watch                   show it each second until it has ended
${WIDE_HELP}
  --json                    print JSON
${STORE_OR_GATEWAY}

examples:
  poundkey batches list --status in_progress
  poundkey batches show batch_019a7c --watch`;

export const runBatches = makeCommand(HELP, {
  list: { run: list, flags: { account: "value", status: "value", ...SORT, ...WIDE }, needs: "store" },
  show: { run: show, flags: { watch: "switch" }, words: ["ID"], needs: "store" },
  cancel: { run: cancel, flags: { watch: "switch" }, words: ["ID"], needs: "store" },
});

const EVERYTHING = { accountIds: null, personal: null };
const WATCH_MS = 1000;

/** Only the gateways know the lines that are in flight. */
function makeParts({ store, clock }: AdminWorld): BatchesParts {
  return { store, clock, countRunning: () => 0, cancel: (batch) => cancelInStore(store, batch) };
}

const readBatch = makeReader(batchSchema);
const readDetail = makeReader(batchDetailSchema);
const readPage = makePageReader(readBatch);

async function list(call: StoreCall): Promise<void> {
  const { values, ask } = call;
  const named = values.get("account");
  const account = named && (await findId(ask, ACCOUNT_NAMING, named));
  const given = { account, status: values.get("status"), ...readSort("batches", call) };
  const filters = readQuery(batchesQuery, given);
  const askPage = (after: string | undefined) => ({
    route: { method: "GET", path: "/batches" },
    query: { ...given, after },
    read: readPage,
    here: (world: ActingWorld) => listBatches(makeParts(world), { ...filters, after }, EVERYTHING),
  });
  const giveWay = ["CREATED", "LINES", "COST USD", "WAITS FOR"];
  return printList(call, {
    askPage,
    columns: COLUMNS,
    giveWay,
    nothing: "There are no batches.",
    formatCells,
  });
}

const COLUMNS = ["ID", "STATUS", "LINES", "DONE", "FAILED", "COST USD", "CREATED", "WAITS FOR"];

function formatCells(batch: BatchView): readonly string[] {
  const { id, counts, cost_usd, created_at, waiting } = batch;
  const { total, completed, failed } = counts;
  return [
    id,
    nameStatus(batch),
    String(total),
    String(completed),
    String(failed),
    formatUsd(cost_usd),
    created_at,
    waiting?.code ?? "-",
  ];
}

async function show(call: StoreCall): Promise<void> {
  const id = requireOne(call.words, "ID");
  const askAgain = () => askOne(call, id);
  // While it is watched, a line a second says how far it is.
  const isWatched = call.switches.has("watch");
  const format = (batch: BatchDetailView) =>
    isWatched && batch.ended_at === null ? formatBatchLine(batch) : formatBatch(batch);
  await watch(call, await askAgain(), askAgain, format);
}

function askOne({ ask }: StoreCall, id: string): Promise<BatchDetailView> {
  return ask({
    route: { method: "GET", path: "/batches/:id" },
    parts: { id },
    read: readDetail,
    here: (world) => getBatch(makeParts(world), id),
  });
}

async function cancel(call: StoreCall): Promise<void> {
  const id = requireOne(call.words, "ID");
  const batch = await call.ask({
    route: { method: "POST", path: "/batches/:id/cancel" },
    parts: { id },
    read: readBatch,
    here: (world) => cancelHere(world, id),
  });
  await watch<BatchView>(call, batch, () => askOne(call, id), formatBatchLine);
}

async function cancelHere(world: ActingWorld, id: string): Promise<BatchView> {
  const batch = await cancelBatch(makeParts(world), id);
  const target = { type: "batch", id, name: "" } as const;
  await recordAct(world, world.act, { action: "batch.cancelled", target, accountId: batch.account_id });
  return batch;
}

/** Prints it again until it has ended, if that is asked for. */
async function watch<View extends BatchView>(
  call: StoreCall,
  first: View,
  askAgain: () => Promise<View>,
  format: (batch: View) => string,
): Promise<void> {
  const { switches, isJson, io } = call;
  for (let batch = first; ; batch = await askAgain()) {
    io.out(isJson ? formatJson(batch) : format(batch));
    if (batch.ended_at !== null || !switches.has("watch")) return;
    await Bun.sleep(WATCH_MS);
  }
}
