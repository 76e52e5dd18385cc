// Batches: how far each is, its rate, what it costs, why it waits; and cancelling one.

import type { BatchView } from "../../admin/models/batches.ts";
import { makeGatewayUrl } from "../browser.ts";
import { formatCount, formatFullTime, formatTime, formatUsd } from "../frame/format.ts";
import { useNames } from "../frame/names.ts";
import { usePages } from "../frame/resource.ts";
import { makeHref, route } from "../frame/route.ts";
import { may } from "../frame/session.ts";
import { CHOSEN_BATCHES } from "../lists/chosen-batches.ts";
import { useChosenOrder } from "../lists/chosen-order.ts";
import { ChoiceBox, ChosenBar, type ChosenRows, useChosen } from "../lists/chosen-rows.tsx";
import { PageHead, QueryFilter } from "../parts/page.tsx";
import { Empty } from "../parts/states.tsx";
import { type Column, giveWay, List, makeColumn, makeHeadColumn } from "../parts/table.tsx";
import {
  CancelBatch,
  describePace,
  describeUnanswered,
  describeWait,
  EVERY_MS,
  OutcomeBar,
  StatusBadge,
} from "./batch-words.tsx";

const PATH = "/batches";
const STATUSES = [
  { value: "", label: "Any status" },
  ...(["in_progress", "completed", "failed", "expired", "cancelled"] as const).map((value) => ({
    value,
    label: value.replace("_", " "),
  })),
];

export function BatchesPage() {
  const { query } = route.value;
  const filters = { status: query.get("status") ?? "", account: query.get("account") ?? "" };
  const { sorting, query: order } = useChosenOrder("batches");
  const batches = usePages<BatchView>("/batches", { ...filters, ...order }, EVERY_MS);
  const chosen = useChosen();
  const isFiltered = filters.status !== "" || filters.account !== "";
  return (
    <>
      <PageHead title="Batches">
        Files of requests that are answered as there is room, each as an ordinary request of its key.{" "}
        <Manual />
      </PageHead>
      <div class="row filters">
        <QueryFilter name="status" label="Status" options={STATUSES} />
      </div>
      <ChosenBar choice={CHOSEN_BATCHES} chosen={chosen} shown={batches.data ?? []} reload={batches.reload} />
      <List
        label="Batches"
        of={batches}
        columns={useColumns(chosen, () => void batches.reload())}
        keyOf={({ id }) => id}
        sorting={sorting}
        empty={<Nothing isFiltered={isFiltered} />}
      />
    </>
  );
}

function Manual() {
  return (
    <a href={makeGatewayUrl("/docs/batches")} target="_blank" rel="noreferrer">
      How batches work
    </a>
  );
}

function Nothing({ isFiltered }: { readonly isFiltered: boolean }) {
  if (!isFiltered)
    return (
      <Empty icon="check" title="No batches yet">
        Clients make them with the SDK of OpenAI or Anthropic, on any model.
      </Empty>
    );
  return (
    <Empty
      icon="search"
      title="No matching batches"
      action={
        <a class="button" href={makeHref(PATH)}>
          Show all
        </a>
      }
    >
      No batch has this status.
    </Empty>
  );
}

function useColumns(chosen: ChosenRows, onCancelled: () => void): readonly Column<BatchView>[] {
  const names = useNames();
  const cancel: Column<BatchView> = {
    label: "",
    as: "narrow",
    cell: (batch) => <CancelBatch batch={batch} isTiny onCancelled={onCancelled} />,
  };
  return [
    giveWay(
      3,
      makeColumn(
        "Created",
        ({ created_at }) => (
          <span class="nowrap" title={formatFullTime(created_at)}>
            {formatTime(created_at)}
          </span>
        ),
        "created",
      ),
    ),
    makeHeadColumn("Batch", (batch) => (
      <div class="row tight">
        <ChoiceBox of={batch} choice={CHOSEN_BATCHES} chosen={chosen} />
        <div class="beside yields">
          <a class="nowrap" title={batch.id} href={makeHref(`${PATH}/${batch.id}`)}>
            {batch.endpoint}
          </a>
          <div class="small faint" title={batch.id}>
            {names.account(batch.account_id)} · {names.key(batch.key_id)}
          </div>
        </div>
      </div>
    )),
    makeColumn("Status", (batch) => <Status batch={batch} />, "status"),
    makeColumn("Lines", (batch) => <Progress batch={batch} />, "lines"),
    makeColumn("Cost", (batch) => <Cost batch={batch} />, "cost"),
    ...(may("batches.cancel") ? [cancel] : []),
  ];
}

function Status({ batch }: { readonly batch: BatchView }) {
  const { waiting, errors } = batch;
  const [mistake, ...others] = errors;
  return (
    <div
      class="beside yields"
      title={[waiting?.message, describeWait(batch), mistake?.message].filter(Boolean).join("\n")}
    >
      <StatusBadge batch={batch} />
      {waiting !== null && <div class="small kept">{waiting.message}</div>}
      {waiting !== null && <div class="small faint">{describeWait(batch)}</div>}
      {mistake && (
        <div class="small kept">
          {mistake.line !== null && `Line ${mistake.line}: `}
          {mistake.message}
        </div>
      )}
      {others.length > 0 && (
        <div class="small faint">
          {formatCount(others.length)} more {others.length === 1 ? "mistake" : "mistakes"}
        </div>
      )}
    </div>
  );
}

function Progress({ batch }: { readonly batch: BatchView }) {
  const { total, completed } = batch.counts;
  if (total === 0) return <span class="faint">–</span>;
  const unanswered = describeUnanswered(batch);
  return (
    <div class="beside yields">
      <OutcomeBar batch={batch} />
      <div class="small nowrap kept whole">
        {formatCount(completed)} of {formatCount(total)}
      </div>
      {unanswered !== "" && (
        <div class="small wrong kept" title={unanswered}>
          {unanswered}
        </div>
      )}
      <div class="small faint">{describePace(batch)}</div>
    </div>
  );
}

function Cost({ batch }: { readonly batch: BatchView }) {
  const { cost_usd, charged_usd, estimated_cost_usd, max_cost_usd } = batch;
  const remarks = [
    ...(estimated_cost_usd === null ? [] : [`about ${formatUsd(estimated_cost_usd)} expected`]),
    ...(max_cost_usd === null ? [] : [`at most ${formatUsd(max_cost_usd)}`]),
  ];
  return (
    <div class="beside yields">
      <span class="nowrap">{formatUsd(cost_usd)}</span>
      {charged_usd !== cost_usd && <div class="small faint">{formatUsd(charged_usd)} charged</div>}
      {remarks.map((note) => (
        <div class="small faint" key={note} title={note}>
          {note}
        </div>
      ))}
    </div>
  );
}
