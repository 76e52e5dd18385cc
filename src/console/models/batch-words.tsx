// Parts that the list of batches and the page of one share: the bar of its lines, its state, why it waits, cancelling it.

import { useState } from "preact/hooks";
import type { BatchView } from "../../admin/models/batches.ts";
import { findUnanswered, listOutcomes, nameStatus } from "../../core/things/line-outcomes.ts";
import { nowMs } from "../browser.ts";
import { sendChange } from "../frame/api.ts";
import { formatCount, formatDuration, formatRelativeTime, formatTime } from "../frame/format.ts";
import { Button } from "../parts/button.tsx";
import { Confirm } from "../parts/dialog.tsx";
import { Badge, type Tone } from "../parts/states.tsx";

/** Batches are asked for again this often. */
export const EVERY_MS = 3000;

interface BatchProps {
  readonly batch: BatchView;
}

/** Each outcome has its colour. Lines that haven't ended leave the rest of the bar empty. */
export function OutcomeBar({ batch }: BatchProps) {
  const found = listOutcomes(batch.outcomes);
  const words = found.map((one) => `${formatCount(one.count)} ${one.words}`).join(", ");
  const label = `Of ${formatCount(batch.counts.total)} lines: ${words}`;
  return (
    <span class="outcomes" role="img" aria-label={label} title={label}>
      {found.map(({ name, count }) => (
        <span key={name} class={`outcome-${name}`} style={{ flexGrow: count }} />
      ))}
    </span>
  );
}

/** The bar's colours with their words and counts. */
export function OutcomeLegend({ batch }: BatchProps) {
  return (
    <ul class="row outcome-legend" aria-label="Lines by outcome">
      {listOutcomes(batch.outcomes).map(({ name, words, count }) => (
        <li key={name}>
          <span class={`swatch outcome-${name}`} aria-hidden="true" />
          {formatCount(count)} {words}
        </li>
      ))}
    </ul>
  );
}

/** Says what became of lines that weren't answered: `12 failed · 600 cancelled`. Empty if all were. */
export function describeUnanswered(batch: BatchView): string {
  return listOutcomes(batch.outcomes)
    .filter(({ name }) => name !== "answered" && name !== "left")
    .map(({ words, count }) => `${formatCount(count)} ${words}`)
    .join(" · ");
}

const TONES: Partial<Record<BatchView["status"], Tone>> = {
  completed: "ok",
  in_progress: "accent",
  failed: "bad",
  expired: "bad",
};

/** A completed batch is only as good as its answers. */
const UNANSWERED_TONES: Partial<Record<"all" | "some" | "none", Tone>> = { all: "bad", some: "warn" };

/** False once it ends: what it waits for is then why it was cancelled. */
function isWaiting({ status, waiting, ended_at }: BatchView): boolean {
  return waiting !== null && ended_at === null && status !== "cancelling";
}

export function StatusBadge({ batch }: BatchProps) {
  const tone = UNANSWERED_TONES[findUnanswered(batch) ?? "none"] ?? TONES[batch.status];
  return isWaiting(batch) ? (
    <Badge text="waiting" tone="warn" hasDot />
  ) : (
    <Badge text={nameStatus(batch).replace("_", " ")} tone={tone} hasDot />
  );
}

/** Says when a batch that waits goes on, and when lines that wait for a model end. Empty if it doesn't wait. */
export function describeWait(batch: BatchView): string {
  const { waiting } = batch;
  if (waiting === null || !isWaiting(batch)) return "";
  const { resets_at, since, until } = waiting;
  const goesOn =
    resets_at === null
      ? `Since ${formatTime(since)}. It goes on by itself.`
      : `It goes on ${formatRelativeTime(resets_at)}, or before.`;
  if (until === undefined) return goesOn;
  return `${goesOn} Lines for a model without an answer end ${formatRelativeTime(until)}.`;
}

const MINUTE_MS = 60_000;

/** The rate since the batch was made, and the time that the rest takes at that rate. One that waits has none. */
export function describePace({ created_at, ended_at, waiting, counts: { total, left } }: BatchView): string {
  const untilMs = ended_at === null ? nowMs() : Date.parse(ended_at);
  const tookMs = Math.max(1, untilMs - Date.parse(created_at));
  const ended = total - left;
  if (ended_at !== null) return `in ${formatDuration(tookMs)}`;
  if (ended === 0 || waiting !== null) return "";
  const rate = `${formatCount(Math.max(1, Math.round((ended * MINUTE_MS) / tookMs)))} a minute`;
  return `${rate}, ${formatDuration((left * tookMs) / ended)} left`;
}

/** False once it ends by itself or by somebody. */
export function isCancellable({ status, ended_at }: BatchView): boolean {
  return ended_at === null && status !== "cancelling" && status !== "finalizing";
}

interface CancelProps extends BatchProps {
  readonly isTiny?: boolean;
  readonly onCancelled: () => void;
}

export function CancelBatch({ batch, isTiny = false, onCancelled }: CancelProps) {
  const [isAsking, setAsking] = useState(false);
  if (!isCancellable(batch)) return null;
  const run = async () => {
    await sendChange("POST", `/batches/${batch.id}/cancel`, {});
    onCancelled();
  };
  return (
    <>
      <Button label="Cancel" isTiny={isTiny} onClick={() => setAsking(true)} />
      {isAsking && (
        <Confirm title="Cancel the batch?" action="Cancel batch" run={run} onClose={() => setAsking(false)}>
          No line of it starts any more. What was answered stays, and is charged.
        </Confirm>
      )}
    </>
  );
}
