// The review of what a list of prices would change: each model has a box, and what is ticked is taken.
import { useState } from "preact/hooks";
import type { PriceReview } from "../../admin/models/price-review-schema.ts";
import { change, describeError } from "../frame/api.ts";
import { formatCount, formatDay, formatTime, formatUsd } from "../frame/format.ts";
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
  toggle,
} from "./change-choice.ts";

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
      for (const body of listAcceptances(chosen, review)) await change("POST", "/catalogue", body);
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
    onToggle: (row: Change) => setChosen(toggle(chosen, row, hasSafe.has(row.id))),
  };
  const hasBoxes = canAccept && review.changes.some(canChoose);
  const columns = hasBoxes ? [makeBox(box), ...COLUMNS] : COLUMNS;
  const foot = hasBoxes && <Taking count={chosen.size} take={accept} />;
  return (
    <Dialog title="Changes of prices and models" isWide onClose={onClose} foot={foot}>
      <About review={review} />
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

function About({ review }: { readonly review: PriceReview }) {
  const { changes, compared_at, list, cost_usd, would_cost_usd, can_accept, hiding } = review;
  return (
    <>
      <p class="small faint">{describeList(review)}</p>
      {list.refused !== null && (
        <Notice tone="bad">The list can't be used ({list.refused}). Nothing of it was taken.</Notice>
      )}
      {changes.length === 0 && compared_at !== null && (
        <p>No price, limit or end of a model differs from the list.</p>
      )}
      {cost_usd + would_cost_usd > 0 && (
        <p>
          With these prices, the requests of the last 30 days to models whose price changes would have cost{" "}
          <span class="strong">{formatUsd(would_cost_usd)}</span> instead of {formatUsd(cost_usd)}.
        </p>
      )}
      {!can_accept && (
        <Notice>
          To take them, name a file in the configuration: <code>catalogue: {"{ file: catalogue.json }"}</code>
        </Notice>
      )}
      {hiding.length > 0 && <Hiding rows={hiding} />}
    </>
  );
}

function describeList({ list, compared_at }: PriceReview): string {
  const { serial, as_of, source, key, fetched_at } = list;
  const parts = [
    serial === null ? null : `list ${serial}`,
    as_of === null ? null : `of ${formatDay(as_of)}`,
    source,
    key === null ? null : `signed by ${key}`,
  ].filter((part) => part !== null);
  const at = fetched_at ?? compared_at;
  const look = at === null ? "No list was looked at yet" : `Looked at ${formatTime(at)}`;
  return [look, ...parts].join(", ");
}

/** More of them are in the answer of the admin route. */
const HIDING_SHOWN = 20;

function Hiding({ rows }: { readonly rows: PriceReview["hiding"] }) {
  const more = rows.length - HIDING_SHOWN;
  const count = rows.length === 1 ? "1 row" : `${formatCount(rows.length)} rows`;
  return (
    <Notice tone="warn">
      <details>
        <summary>{count} of the catalogue file hide newer built-in prices</summary>
        <ul class="small">
          {rows.slice(0, HIDING_SHOWN).map(({ id, as_of }) => (
            <li key={id}>
              {id}, of {formatDay(as_of)}
            </li>
          ))}
          {more > 0 && <li>and {formatCount(more)} more</li>}
        </ul>
      </details>
    </Notice>
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

interface Box {
  readonly isOn: (row: Change) => boolean;
  readonly onToggle: (row: Change) => void;
}

function makeBox({ isOn, onToggle }: Box): Column<Change> {
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
  return (
    <>
      <span class="kept">{before === null ? after : `${before} → ${after}`}</span>
      {reason !== null && <span class="small faint kept"> ({reason})</span>}
    </>
  );
}
