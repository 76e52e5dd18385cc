// The review of what a list of prices would change: each model has a box, and what is ticked is taken.
import { useState } from "preact/hooks";
import type { PriceReview } from "../../admin/models/price-review-schema.ts";
import { describeError, sendChange } from "../frame/api.ts";
import { formatCount, formatUsd } from "../frame/format.ts";
import { useResource } from "../frame/resource.ts";
import { may } from "../frame/session.ts";
import { Button } from "../parts/button.tsx";
import { Dialog } from "../parts/dialog.tsx";
import { Notice } from "../parts/states.tsx";
import { type Column, GrowingTable, makeColumn, makeHeadColumn, makeMinorColumn } from "../parts/table.tsx";
import { toast } from "../parts/toast.tsx";
import {
  type Change,
  type Choice,
  canChoose,
  chooseSafe,
  isChosen,
  listAcceptances,
  nameGroup,
  sortByGroup,
  toggleChange,
} from "./change-choice.ts";
import { ListHead } from "./list-head.tsx";
import { pairRates } from "./price-steps.ts";

const ROWS_SHOWN = 50;

interface ReviewProps {
  readonly review: PriceReview;
  readonly onClose: () => void;
  readonly onDone: () => Promise<void>;
}

export function Review({ review: enabled, onClose, onDone }: ReviewProps) {
  const [isWhole, setWhole] = useState(false);
  const whole = useResource<PriceReview>(isWhole ? "/catalogue?all=true" : null);
  const review = whole.data ?? enabled;
  const [chosen, setChosen] = useState<Choice>(() => chooseSafe(enabled.changes));
  const [error, setError] = useState<string | null>(null);
  const canAccept = review.can_accept && may("models.write");
  const accept = async () => {
    try {
      for (const body of listAcceptances(chosen, review)) await sendChange("POST", "/catalogue", body);
    } catch (thrown) {
      return setError(describeError(thrown));
    }
    toast("The catalogue file is written. The gateway reads it within seconds.");
    await onDone();
    onClose();
  };
  const hasSafe = new Set(review.changes.flatMap(({ id, verdict }) => (verdict === "taken" ? [id] : [])));
  const box = {
    isOn: (row: Change) => isChosen(chosen, row),
    onToggle: (row: Change) => setChosen(toggleChange(chosen, row, hasSafe.has(row.id))),
  };
  const hasBoxes = canAccept && review.changes.some(canChoose);
  const isUsed = review.changes.some(({ requests }) => requests > 0);
  const columns = [...(hasBoxes ? [makeBox(box)] : []), ...COLUMNS, ...(isUsed ? USE_COLUMNS : [])];
  const foot = hasBoxes && <Taking count={chosen.size} take={accept} />;
  return (
    <Dialog title="Changes of prices and models" isWide onClose={onClose} foot={foot}>
      <ListHead review={review} />
      {error !== null && <Notice tone="bad">{error}</Notice>}
      {review.changes.length > 0 && (
        <GrowingTable
          label="Changes"
          columns={columns}
          rows={sortByGroup(review.changes)}
          keyOf={({ id, field }) => `${id} ${field}`}
          headingOf={nameGroup}
          first={ROWS_SHOWN}
          step={ROWS_SHOWN}
        />
      )}
      {!isWhole && enabled.elsewhere > 0 && (
        <p class="small faint">
          {formatCount(enabled.elsewhere)} more are of providers that aren't enabled.{" "}
          <Button label="Show them" isTiny onClick={() => setWhole(true)} />
        </p>
      )}
    </Dialog>
  );
}

interface TakingProps {
  /** Models of which something is taken. */
  readonly count: number;
  readonly take: () => Promise<unknown>;
}

function Taking({ count, take }: TakingProps) {
  const [isBusy, setBusy] = useState(false);
  const start = async () => {
    setBusy(true);
    await take();
    setBusy(false);
  };
  if (count === 0) return <span class="faint">Nothing is ticked</span>;
  const label = `Take the changes of ${count === 1 ? "1 model" : `${formatCount(count)} models`}`;
  return <Button label={label} kind="main" isBusy={isBusy} onClick={start} />;
}

interface ReviewBox {
  readonly isOn: (row: Change) => boolean;
  readonly onToggle: (row: Change) => void;
}

function makeBox({ isOn, onToggle }: ReviewBox): Column<Change> {
  return {
    label: "Take",
    as: "narrow",
    cell: (row) =>
      canChoose(row) && (
        <input
          type="checkbox"
          aria-label={`Take ${row.id} ${nameField(row)}`}
          checked={isOn(row)}
          onChange={() => onToggle(row)}
        />
      ),
  };
}

function nameField({ field }: Change): string {
  return field.replaceAll("_", " ");
}

const COLUMNS: readonly Column<Change>[] = [
  makeHeadColumn("Model", ({ id }) => id),
  makeMinorColumn("What", nameField),
  makeColumn("Change", (row) => <Step row={row} />),
];

/** Left out where nobody has used any of the models. */
const USE_COLUMNS: readonly Column<Change>[] = [
  makeMinorColumn("Requests in 30 days", ({ requests }) => formatCount(requests), "end"),
  makeMinorColumn(
    "Cost",
    ({ cost_usd, would_cost_usd }) =>
      would_cost_usd === null ? "" : `${formatUsd(cost_usd)} → ${formatUsd(would_cost_usd)}`,
    "end",
  ),
];

/** Whole also on a phone: what is taken must be seen. */
function Step({ row }: { readonly row: Change }) {
  const { before, after, reason } = row;
  const parts = before === null ? null : pairRates(before, after);
  return (
    <>
      {parts === null ? (
        <span class="kept">{before === null ? after : `${before} → ${after}`}</span>
      ) : (
        <ul class="kept rates">
          {parts.map(({ name, rates }) => (
            <li key={name}>
              {name !== "" && <span class="faint">{name}: </span>}
              {rates.map((rate) => rate.replaceAll(" ", "\u00a0")).join(", ")}
            </li>
          ))}
        </ul>
      )}
      {reason !== null && <span class="small faint kept"> ({reason})</span>}
    </>
  );
}
