// `poundkey batches`: lists, shows and cancels batches, also while a gateway runs on the same store.

import { note } from "../../admin/audit/audit-trail.ts";
import { readQuery } from "../../admin/input.ts";
import {
  type BatchesParts,
  type BatchView,
  batchesQuery,
  cancelBatch,
  getBatch,
  listBatches,
} from "../../admin/models/batches.ts";
import type { AdminWorld } from "../../admin/world.ts";
import { cancelInStore } from "../../app/batches.ts";
import {
  formatJson,
  formatUsd,
  makeCommand,
  printList,
  requireOne,
  type StoreCall,
} from "../administration.ts";

const HELP = `usage: poundkey batches list [--account ID] [--status STATUS] [--json]
       poundkey batches show ID [--watch] [--json]
       poundkey batches cancel ID [--watch] [--json]

Batches of requests, with how far they are, what they cost, and why they wait.

  list                      all batches, newest first
  show                      one batch
  cancel                    start no line of it any more: it ends within seconds, with what was answered
  --account ID              only this account's
  --status STATUS           only those in this status, such as in_progress
  --watch                   show it each second until it has ended
  --json                    print JSON
  --config FILE, --store S  as for \`poundkey serve\``;

export const runBatches = makeCommand(HELP, {
  list: { run: list, flags: { account: "value", status: "value" }, needs: "store" },
  show: { run: show, flags: { watch: "switch" }, words: ["ID"], needs: "store" },
  cancel: { run: cancel, flags: { watch: "switch" }, words: ["ID"], needs: "store" },
});

const EVERYTHING = { accountIds: null, own: null };
const WATCH_MS = 1000;

/** Only the gateways know the lines that are in flight. */
function makeParts({ store }: AdminWorld): BatchesParts {
  return { store, countRunning: () => 0, cancel: (batch) => cancelInStore(store, batch) };
}

function list(call: StoreCall): Promise<void> {
  const { values } = call;
  const query = readQuery(batchesQuery, { account: values.get("account"), status: values.get("status") });
  return printList(call, {
    list: (world, page) => listBatches(makeParts(world), { ...query, ...page }, EVERYTHING),
    columns: COLUMNS,
    formatCells,
  });
}

const COLUMNS = ["id", "status", "lines", "done", "failed", "cost", "created", "waits for"];

function formatCells(batch: BatchView): readonly string[] {
  const { id, status, counts, cost_usd, created_at, waiting } = batch;
  const { total, completed, failed } = counts;
  return [
    id,
    status,
    String(total),
    String(completed),
    String(failed),
    formatUsd(cost_usd),
    created_at,
    waiting?.code ?? "",
  ];
}

async function show(call: StoreCall): Promise<void> {
  const id = requireOne(call.words, "ID");
  const parts = makeParts(await call.open());
  await print(call, parts, await getBatch(parts, id));
}

async function cancel(call: StoreCall): Promise<void> {
  const id = requireOne(call.words, "ID");
  const world = await call.open();
  const parts = makeParts(world);
  const batch = await cancelBatch(parts, id);
  const target = { type: "batch", id, name: "" } as const;
  await note(world, world.act, { action: "batch.cancelled", target, accountId: batch.account_id });
  await print(call, parts, batch);
}

async function print(
  { switches, isJson, io }: StoreCall,
  parts: BatchesParts,
  first: BatchView,
): Promise<void> {
  for (let batch = first; ; batch = await getBatch(parts, first.id)) {
    io.out(isJson ? formatJson(batch) : formatLine(batch));
    if (batch.ended_at !== null || !switches.has("watch")) return;
    await Bun.sleep(WATCH_MS);
  }
}

function formatLine({ id, status, counts, cost_usd, waiting, errors }: BatchView): string {
  const { total, completed, failed } = counts;
  const why = waiting === null ? "" : ` It waits (${waiting.code}): ${waiting.message}`;
  const [mistake] = errors;
  const wrong = mistake ? ` ${mistake.code}: ${mistake.message}` : "";
  return `${id}: ${status}, ${completed} of ${total} answered, ${failed} failed, ${formatUsd(cost_usd)}.${why}${wrong}`;
}
