// Batches: how far each is, its rate, what it costs, why it waits; and cancelling one.

import { useState } from "preact/hooks";
import type { BatchView } from "../../admin/models/batches.ts";
import { nowMs, place } from "../browser.ts";
import { change } from "../frame/api.ts";
import {
  formatCount,
  formatDuration,
  formatFullTime,
  formatPercent,
  formatRelativeTime,
  formatTime,
  formatUsd,
} from "../frame/format.ts";
import { useNames } from "../frame/names.ts";
import { usePages } from "../frame/resource.ts";
import { makeHref, route } from "../frame/route.ts";
import { may } from "../frame/session.ts";
import { Button } from "../parts/button.tsx";
import { Confirm } from "../parts/dialog.tsx";
import { PageHead, QueryFilter } from "../parts/page.tsx";
import { Badge, Empty, Meter, type Tone } from "../parts/states.tsx";
import { type Column, List, makeColumn, makeHeadColumn } from "../parts/table.tsx";

const EVERY_MS = 3000;
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
  const batches = usePages<BatchView>("/batches", filters, EVERY_MS);
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
      <List
        label="Batches"
        of={batches}
        columns={useColumns(() => void batches.reload())}
        keyOf={({ id }) => id}
        empty={<Nothing isFiltered={isFiltered} />}
      />
    </>
  );
}

function Manual() {
  return (
    <a href={place("/docs/batches")} target="_blank" rel="noreferrer">
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

function useColumns(onCancelled: () => void): readonly Column<BatchView>[] {
  const names = useNames();
  const cancel: Column<BatchView> = {
    label: "",
    as: "narrow",
    cell: (batch) => <Cancel batch={batch} onCancelled={onCancelled} />,
  };
  return [
    makeColumn("Made", ({ created_at }) => (
      <span class="nowrap" title={formatFullTime(created_at)}>
        {formatTime(created_at)}
      </span>
    )),
    makeHeadColumn("Batch", ({ id, endpoint, account_id, key_id }) => (
      <div>
        <a href={makeHref("/activity", { batch: id })}>{endpoint}</a>
        <div class="small faint">{id}</div>
        <div class="small faint">
          {names.account(account_id)} · {names.key(key_id)}
        </div>
      </div>
    )),
    makeColumn("Status", (batch) => <Status batch={batch} />),
    makeColumn("Lines", (batch) => <Progress batch={batch} />),
    makeColumn("Cost", (batch) => <Cost batch={batch} />),
    ...(may("batches.cancel") ? [cancel] : []),
  ];
}

const TONES: Partial<Record<BatchView["status"], Tone>> = {
  completed: "ok",
  in_progress: "accent",
  failed: "bad",
  expired: "bad",
};

function Status({ batch: { status, waiting, errors } }: { readonly batch: BatchView }) {
  const [mistake, ...others] = errors;
  return (
    <div class="lines">
      <Badge
        text={waiting === null ? status.replace("_", " ") : "waiting"}
        tone={waiting === null ? TONES[status] : "warn"}
        hasDot
      />
      {waiting !== null && <div class="small kept">{waiting.message}</div>}
      {waiting !== null && (
        <div class="small faint">
          {waiting.resets_at === null
            ? `Since ${formatTime(waiting.since)}. It goes on by itself.`
            : `It goes on ${formatRelativeTime(waiting.resets_at)}, or before.`}
        </div>
      )}
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

/** Most of the lines that failed in such a batch never ran. */
const ENDED_EARLY: readonly BatchView["status"][] = ["cancelling", "cancelled", "expired"];

function Progress({ batch }: { readonly batch: BatchView }) {
  const { total, completed, failed, left } = batch.counts;
  if (total === 0) return <span class="faint">–</span>;
  const share = (total - left) / total;
  const label = `${formatCount(total - left)} of ${formatCount(total)} lines (${formatPercent(share)})`;
  return (
    <div class="lines">
      <Meter share={share} label={label} warns={false} />
      <div class="small nowrap kept">
        {formatCount(completed)} of {formatCount(total)}
        {failed > 0 && (
          <span class="wrong">
            {" "}
            · {formatCount(failed)} {ENDED_EARLY.includes(batch.status) ? "unanswered" : "failed"}
          </span>
        )}
      </div>
      <div class="small faint">{describePace(batch)}</div>
    </div>
  );
}

const MINUTE_MS = 60_000;

/** The rate since the batch was made, and the time that the rest takes at that rate. One that waits has none. */
function describePace({ created_at, ended_at, waiting, counts: { total, left } }: BatchView): string {
  const untilMs = ended_at === null ? nowMs() : Date.parse(ended_at);
  const tookMs = Math.max(1, untilMs - Date.parse(created_at));
  const ended = total - left;
  if (ended_at !== null) return `in ${formatDuration(tookMs)}`;
  if (ended === 0 || waiting !== null) return "";
  const rate = `${formatCount(Math.max(1, Math.round((ended * MINUTE_MS) / tookMs)))} a minute`;
  return `${rate}, ${formatDuration((left * tookMs) / ended)} left`;
}

function Cost({ batch }: { readonly batch: BatchView }) {
  const { cost_usd, charged_usd, estimated_cost_usd, max_cost_usd } = batch;
  const remarks = [
    ...(estimated_cost_usd === null ? [] : [`about ${formatUsd(estimated_cost_usd)} expected`]),
    ...(max_cost_usd === null ? [] : [`at most ${formatUsd(max_cost_usd)}`]),
  ];
  return (
    <div class="nowrap">
      {formatUsd(cost_usd)}
      {charged_usd !== cost_usd && <span class="small faint"> · {formatUsd(charged_usd)} charged</span>}
      {remarks.map((note) => (
        <div class="small faint" key={note}>
          {note}
        </div>
      ))}
    </div>
  );
}

interface CancelProps {
  readonly batch: BatchView;
  readonly onCancelled: () => void;
}

function Cancel({ batch: { id, status, ended_at }, onCancelled }: CancelProps) {
  const [isAsking, setAsking] = useState(false);
  if (ended_at !== null || status === "cancelling" || status === "finalizing") return null;
  const run = async () => {
    await change("POST", `/batches/${id}/cancel`, {});
    onCancelled();
  };
  return (
    <>
      <Button label="Cancel" onClick={() => setAsking(true)} />
      {isAsking && (
        <Confirm title="Cancel the batch?" action="Cancel batch" run={run} onClose={() => setAsking(false)}>
          No line of it starts any more. What was answered stays, and is charged.
        </Confirm>
      )}
    </>
  );
}
