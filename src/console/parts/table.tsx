// Tables: sortable heads, rows that lead somewhere, cards instead of rows on narrow screens.
import type { ComponentChildren } from "preact";
import { Button } from "./button.tsx";
import { Icon } from "./icon.tsx";

export interface Column<Row> {
  readonly name: string;
  readonly label: string;
  readonly cell: (row: Row) => ComponentChildren;
  readonly isNumber?: boolean;
  /** The first thing of a card on narrow screens. */
  readonly isHead?: boolean;
  /** Takes no more room than it needs, and has no label there. */
  readonly isNarrow?: boolean;
  readonly canSort?: boolean;
}

export interface Sorting {
  readonly by: string;
  readonly isDown: boolean;
  readonly onSort: (by: string) => void;
}

interface TableProps<Row> {
  readonly label: string;
  readonly columns: readonly Column<Row>[];
  readonly rows: readonly Row[];
  readonly keyOf: (row: Row) => string;
  readonly sorting?: Sorting;
  readonly onOpen?: (row: Row) => void;
}

export function Table<Row>({ label, columns, rows, keyOf, sorting, onOpen }: TableProps<Row>) {
  return (
    <div class="table-box">
      <table class="table stacks" aria-label={label}>
        <thead>
          <tr>
            {columns.map((column) => (
              <Head key={column.name} column={column} sorting={sorting} />
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
              {columns.map((column) => (
                <td
                  key={column.name}
                  class={`${column.isNumber ? "end" : ""} ${column.isHead ? "head" : ""} ${column.isNarrow ? "narrow" : ""}`}
                  data-label={column.isNarrow ? undefined : column.label}
                >
                  {column.cell(row)}
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

function Head<Row>({
  column,
  sorting,
}: {
  readonly column: Column<Row>;
  readonly sorting: Sorting | undefined;
}) {
  const side = column.isNumber ? "end" : "";
  if (!sorting || !column.canSort) {
    return (
      <th class={side} scope="col">
        {column.label === "" ? <span class="hidden-text">Actions</span> : column.label}
      </th>
    );
  }
  const isIt = sorting.by === column.name;
  return (
    <th class={side} scope="col" aria-sort={isIt ? (sorting.isDown ? "descending" : "ascending") : undefined}>
      <button type="button" onClick={() => sorting.onSort(column.name)}>
        {column.label}
        {isIt && <Icon name={sorting.isDown ? "down" : "up"} size={12} />}
      </button>
    </th>
  );
}

/** The foot of a list that has more than is shown. */
export function MoreRows({
  shown,
  more,
  isBusy,
}: {
  readonly shown: number;
  readonly more: (() => Promise<void> | void) | null;
  readonly isBusy?: boolean;
}) {
  if (more === null) return null;
  return (
    <div class="table-foot">
      <span>{shown} shown</span>
      <Button isTiny isBusy={isBusy} onClick={() => void more()}>
        Show more
      </Button>
    </div>
  );
}
