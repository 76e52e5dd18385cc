// Requests that were refused before any provider was called, each with its way out.
import type { RefusalView } from "../../admin/log/refusals.ts";
import type { Query } from "../frame/api.ts";
import { formatClock, formatCount, formatFullTime, nameDay } from "../frame/format.ts";
import type { Names } from "../frame/names.ts";
import { usePages } from "../frame/resource.ts";
import { Button } from "../parts/button.tsx";
import { Card } from "../parts/page.tsx";
import { Badge, Empty, Loaded } from "../parts/states.tsx";
import {
  type Column,
  giveWay,
  makeColumn,
  makeHeadColumn,
  makeNumberColumn,
  Table,
} from "../parts/table.tsx";
import { RefusalGroups } from "./refusal-groups.tsx";
import { describeLimit, readTimes, Sender } from "./refusal-words.tsx";

const EVERY_MS = 5000;
const AT_ONCE = 200;

interface RefusalsProps {
  /** The filters of `/admin/v1/refusals`. */
  readonly query: Query;
  readonly names: Names;
  readonly title?: string;
}

/** The same cause and key once, with the way out as a button; each minute's rows below. */
export function Refusals({ query, names, title }: RefusalsProps) {
  const refusals = usePages<RefusalView>("/refusals", { ...query, limit: AT_ONCE }, EVERY_MS);
  return (
    <Card {...(title ? { title } : {})} isFlush>
      <Loaded of={refusals} rows={3}>
        {(rows) =>
          rows.length === 0 ? (
            title ? (
              <p class="faint quiet-state">Nothing was refused.</p>
            ) : (
              <Empty icon="check" title="Nothing was refused">
                Requests without a valid key, without a model, or beyond a limit appear here within five
                seconds.
              </Empty>
            )
          ) : (
            <>
              <RefusalGroups rows={rows} names={names} />
              <details class="card-body">
                <summary>{refusals.more ? `The latest ${rows.length} by minute` : "By minute"}</summary>
                <Table
                  label="Refusals"
                  rows={rows}
                  columns={makeColumns(names)}
                  keyOf={({ id }) => id}
                  headingOf={({ at }) => nameDay(at)}
                />
              </details>
              {refusals.more && (
                <div class="row table-foot">
                  <Button
                    label="Show more"
                    isTiny
                    isBusy={refusals.isAddingMore}
                    onClick={() => void refusals.more?.()}
                  />
                </div>
              )}
            </>
          )
        }
      </Loaded>
    </Card>
  );
}

function makeColumns(names: Names): readonly Column<RefusalView>[] {
  return [
    makeColumn("Time", ({ at }) => (
      <span class="nowrap" title={formatFullTime(at)}>
        {formatClock(at)}
      </span>
    )),
    makeColumn("Status", ({ status }) => <Badge text={status} tone="warn" hasDot />),
    makeHeadColumn("Why", ({ code, limit, way_out }) => (
      <div>
        <div class="strong">{code}</div>
        {limit && <div class="small">{describeLimit(limit)}</div>}
        <div class="small faint">{readTimes(way_out)}</div>
      </div>
    )),
    makeColumn("Key", (row) => <Sender row={row} names={names} />),
    makeColumn("Asked for", ({ model_asked, route }) => <span title={route}>{model_asked ?? route}</span>),
    giveWay(
      3,
      makeColumn("Address", ({ address }) => address ?? ""),
    ),
    makeNumberColumn("Requests", ({ count }) => formatCount(count)),
  ];
}
