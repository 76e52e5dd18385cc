// Tables: sortable heads, rows that lead somewhere, cards instead of rows on narrow screens; and lists of the gateway's that grow.
import type { ComponentChildren } from "preact";
import type { Pages } from "../resource.ts";
import { Button } from "./button.tsx";
import { Icon } from "./icon.tsx";
import { Loaded } from "./states.tsx";

export interface Column<Row> {
  readonly label: string;
  readonly cell: (row: Row) => ComponentChildren;
  /**
   * `end`: numbers, which stand at the right. `head`: the first thing of a card on narrow screens.
   * `narrow`: takes no more room than it needs, and has no label there.
   */
  readonly as?: "end" | "head" | "narrow";
  /** The name by which rows are sorted; left out: they can't be by this column. */
  readonly sort?: string;
}

export interface Sorting {
  readonly by: string;
  readonly isDown: boolean;
  readonly onSort: (by: string) => void;
}

interface Look<Row> {
  readonly label: string;
  readonly columns: readonly Column<Row>[];
  readonly keyOf: (row: Row) => string;
  readonly sorting?: Sorting;
  readonly onOpen?: (row: Row) => void;
}

interface TableProps<Row> extends Look<Row> {
  readonly rows: readonly Row[];
}

export function Table<Row>({ label, columns, rows, keyOf, sorting, onOpen }: TableProps<Row>) {
  return (
    <div class="table-box">
      <table class="table stacks" aria-label={label}>
        <thead>
          <tr>
            {columns.map((column) => (
              <Head key={column.label} column={column} sorting={sorting} />
            ))}
          </tr>
        </thead>
        <tbody>
          {rows.map((row) => (
            <tr
              key={keyOf(row)}
              class={onOpen ? "link" : ""}
              onClick={onOpen && ((event) => isPlain(event) && onOpen(row))}
            >
              {columns.map(({ label, as, cell }) => (
                <td key={label} class={as} data-label={as === "narrow" ? undefined : label}>
                  {cell(row)}
                </td>
              ))}
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}

/** A click on the row itself, not on something in it that has its own meaning. */
function isPlain(event: MouseEvent): boolean {
  return !(event.target instanceof Element && event.target.closest("a, button, input, select, label"));
}

interface HeadProps<Row> {
  readonly column: Column<Row>;
  readonly sorting: Sorting | undefined;
}

function Head<Row>({ column: { label, as, sort }, sorting }: HeadProps<Row>) {
  const side = as === "end" ? as : undefined;
  if (!sorting || sort === undefined) {
    return (
      <th class={side} scope="col">
        {label === "" ? <span class="hidden-text">Actions</span> : label}
      </th>
    );
  }
  const isIt = sorting.by === sort;
  return (
    <th class={side} scope="col" aria-sort={isIt ? (sorting.isDown ? "descending" : "ascending") : undefined}>
      <button type="button" onClick={() => sorting.onSort(sort)}>
        {label}
        {isIt && <Icon name={sorting.isDown ? "down" : "up"} size={12} />}
      </button>
    </th>
  );
}

interface MoreProps {
  readonly shown: number;
  readonly more: (() => Promise<void> | void) | null;
  readonly isBusy?: boolean;
}

/** The foot of a list that has more than is shown. */
export function MoreRows({ shown, more, isBusy }: MoreProps) {
  if (more === null) return null;
  return (
    <div class="row faint table-foot">
      <span>{shown} shown</span>
      <Button isTiny isBusy={isBusy} onClick={() => void more()}>
        Show more
      </Button>
    </div>
  );
}

interface ListProps<Row> extends Look<Row> {
  readonly of: Pages<Row>;
  /** Shown while it loads. */
  readonly skeletons?: number;
  /** Takes the place of the table where there are no rows. */
  readonly empty: ComponentChildren;
}

/** A list that comes from the gateway page by page. */
export function List<Row>({ of, skeletons, empty, ...look }: ListProps<Row>) {
  return (
    <Loaded of={of} rows={skeletons}>
      {(rows) =>
        rows.length === 0 ? (
          empty
        ) : (
          <>
            <Table {...look} rows={rows} />
            <MoreRows shown={rows.length} more={of.more} isBusy={of.isAddingMore} />
          </>
        )
      }
    </Loaded>
  );
}
