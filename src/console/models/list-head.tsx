// The words above the changes of a list of prices: the list itself, what its prices would have cost, and the state of the
// catalogue file.
import type { PriceReview } from "../../admin/models/price-review-schema.ts";
import { formatCount, formatDay, formatTime, formatUsd } from "../frame/format.ts";
import { Notice } from "../parts/states.tsx";

export function ListHead({ review }: { readonly review: PriceReview }) {
  const { changes, compared_at, list, cost_usd, would_cost_usd, can_accept, hiding, overtaken } = review;
  return (
    <>
      <p class="small faint">{describeList(review)}</p>
      {list.refused !== null && (
        <Notice tone="bad">
          The list can't be used: {explainRefusal(list.refused)}. Nothing of it was taken.
        </Notice>
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
      <FileRows
        says="of the catalogue file hide newer built-in prices"
        one="of the catalogue file hides a newer built-in price"
        rows={hiding.map(({ id, as_of }) => `${id}, of ${formatDay(as_of)}`)}
      />
      <FileRows
        says="of the catalogue file have fields for which newer built-in ones count"
        one="of the catalogue file has fields for which newer built-in ones count"
        rows={overtaken.map(({ id, fields }) => `${id}: ${fields.join(", ")}`)}
      />
    </>
  );
}

const REFUSALS: Readonly<Record<string, string>> = {
  signature: "no key that the configuration names has signed it",
  form: "it isn't a list in the named format",
  older: "it is older than the last one",
  reused: "another list had its serial",
  pinned: "its serial isn't the pinned one",
  size: "it is too long",
  redirect: "it is at another address by now",
  unreachable: "it can't be read",
  value: "it has a value that can't be right",
};

/** The log says more of it. */
function explainRefusal(cause: string): string {
  return REFUSALS[cause] ?? cause;
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
const ROWS_SHOWN = 20;

interface FileRowsProps {
  /** The words behind the number of rows, and behind a single one. */
  readonly says: string;
  readonly one: string;
  readonly rows: readonly string[];
}

function FileRows({ says, one, rows }: FileRowsProps) {
  if (rows.length === 0) return null;
  const more = rows.length - ROWS_SHOWN;
  return (
    <Notice tone="warn">
      <details>
        <summary>{rows.length === 1 ? `1 row ${one}` : `${formatCount(rows.length)} rows ${says}`}</summary>
        <ul class="small">
          {rows.slice(0, ROWS_SHOWN).map((row) => (
            <li key={row}>{row}</li>
          ))}
          {more > 0 && <li>and {formatCount(more)} more</li>}
        </ul>
      </details>
    </Notice>
  );
}
