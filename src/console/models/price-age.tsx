// The line of the models page about the day of the prices, with a review of what a list of prices would change.
import { useState } from "preact/hooks";
import type { PriceReview } from "../../admin/models/price-review-schema.ts";
import { change, describeError } from "../frame/api.ts";
import { formatCount, formatDay, formatUsd } from "../frame/format.ts";
import { useResource } from "../frame/resource.ts";
import { may } from "../frame/session.ts";
import { Button } from "../parts/button.tsx";
import { Dialog } from "../parts/dialog.tsx";
import { Loaded, Notice } from "../parts/states.tsx";
import { type Column, GrowingTable, makeColumn, makeHeadColumn, makeNumberColumn } from "../parts/table.tsx";
import { toast } from "../parts/toast.tsx";

type Change = PriceReview["changes"][number];

const ROWS_SHOWN = 50;

export function PriceAge() {
  const review = useResource<PriceReview>("/catalogue");
  const [isOpen, setOpen] = useState(false);
  // Its place is kept, so that the list below doesn't move when it is known.
  if (review.isLoading) return <p class="small faint summary">Prices of …</p>;
  return (
    <Loaded of={review}>
      {(shown) => (
        <>
          <p class="small faint summary">
            Prices of {formatDay(shown.as_of)}
            {shown.changes.length > 0 && (
              <>
                ; {describeUsed(shown.models_used)} changed since:{" "}
                <Button label="review" isTiny onClick={() => setOpen(true)} />
              </>
            )}
          </p>
          {isOpen && <Review review={shown} onClose={() => setOpen(false)} onDone={review.reload} />}
        </>
      )}
    </Loaded>
  );
}

function describeUsed(count: number): string {
  if (count === 0) return "models that nobody uses";
  return count === 1 ? "1 model you use" : `${formatCount(count)} models you use`;
}

interface ReviewProps {
  readonly review: PriceReview;
  readonly onClose: () => void;
  readonly onDone: () => Promise<void>;
}

function Review({ review, onClose, onDone }: ReviewProps) {
  const { changes, cost_usd, would_cost_usd, can_accept } = review;
  const [error, setError] = useState<string | null>(null);
  const accept = async (yes: boolean) => {
    try {
      await change("POST", "/catalogue", { yes });
    } catch (thrown) {
      return setError(describeError(thrown));
    }
    toast("The catalogue file is written. The gateway reads it within seconds.");
    await onDone();
    onClose();
  };
  const foot = can_accept && may("models.write") && <Accepting changes={changes} accept={accept} />;
  return (
    <Dialog title="Changes of prices and models" isWide onClose={onClose} foot={foot}>
      <p>
        With these prices, the requests of the last 30 days to models whose price changes would have cost{" "}
        <span class="strong">{formatUsd(would_cost_usd)}</span> instead of {formatUsd(cost_usd)}.
      </p>
      {!can_accept && (
        <Notice>
          To take them, name a file in the configuration: <code>catalogue: {"{ file: catalogue.json }"}</code>
        </Notice>
      )}
      {error !== null && <Notice tone="bad">{error}</Notice>}
      <GrowingTable
        label="Changes"
        columns={COLUMNS}
        rows={changes}
        keyOf={({ model, field }) => `${model} ${field}`}
        first={ROWS_SHOWN}
        step={ROWS_SHOWN}
      />
    </Dialog>
  );
}

interface AcceptingProps {
  readonly changes: readonly Change[];
  readonly accept: (yes: boolean) => Promise<unknown>;
}

function Accepting({ changes, accept }: AcceptingProps) {
  const [isBusy, setBusy] = useState(false);
  const start = async (yes: boolean) => {
    setBusy(true);
    await accept(yes);
    setBusy(false);
  };
  const count = (verdict: Change["verdict"]) => changes.filter((one) => one.verdict === verdict).length;
  const taken = count("taken");
  const waiting = count("waits");
  return (
    <>
      {waiting > 0 && (
        <Button
          label={`Take also what waits (${formatCount(waiting)})`}
          isBusy={isBusy}
          onClick={() => start(true)}
        />
      )}
      {taken > 0 && (
        <Button
          label={`Take what may be taken (${formatCount(taken)})`}
          kind="main"
          isBusy={isBusy}
          onClick={() => start(false)}
        />
      )}
    </>
  );
}

const VERDICTS: Readonly<Record<Change["verdict"], string>> = {
  taken: "may be taken",
  waits: "waits for you",
  refused: "refused",
};

const COLUMNS: readonly Column<Change>[] = [
  makeHeadColumn("Model", ({ model }) => model),
  makeColumn("What", ({ field }) => field.replaceAll("_", " ")),
  makeColumn("Before", ({ before }) => before ?? "unknown"),
  makeColumn("After", ({ after }) => after),
  makeNumberColumn("Requests in 30 days", ({ requests }) => formatCount(requests)),
  makeNumberColumn("Cost", ({ cost_usd, would_cost_usd }) =>
    would_cost_usd === null ? "" : `${formatUsd(cost_usd)} → ${formatUsd(would_cost_usd)}`,
  ),
  makeColumn("Verdict", ({ verdict, reason }) =>
    reason === null ? VERDICTS[verdict] : `${VERDICTS[verdict]}: ${reason}`,
  ),
];
