// Tables with sortable columns and clickable rows, shown as cards where there is little room, and paged lists from the gateway.
import type { ComponentChildren } from "preact";
import { useLayoutEffect, useRef, useState } from "preact/hooks";
import { saveFile } from "../browser.ts";
import { describeError } from "../frame/api.ts";
import type { Pages } from "../frame/resource.ts";
import { Button } from "./button.tsx";
import { formatCsv } from "./csv.ts";
import { Icon } from "./icon.tsx";
import { Card, type CardProps } from "./page.tsx";
import { Loaded } from "./states.tsx";
import { toast } from "./toast.tsx";

/** The style sheet has the width of the box for each. */
type Rank = 1 | 2 | 3;

export interface Column<Row> {
  readonly label: string;
  readonly cell: (row: Row) => ComponentChildren;
  /**
   * `end`: right-aligned, for numbers. `head`: the card's heading on narrow screens. `narrow`: no wider than its
   * content, and without a label on narrow screens.
   */
  readonly as?: "end" | "head" | "narrow";
  /** True if narrow screens, on which a row has two lines, have no room for it. */
  readonly isMinor?: true;
  /** True if its values say by themselves what they are: narrow screens show them without a label, and whole. */
  readonly isBare?: true;
  /** Its place in the order in which columns give way where the table's box is narrow, the first first. Missing: it stays. */
  readonly rank?: Rank;
  /** The name to sort by. Missing if the column can't be sorted. */
  readonly sort?: string | undefined;
}

type TableCell<Row> = Column<Row>["cell"];

/** Without `sort`, the column can't be sorted. */
export function makeColumn<Row>(label: string, cell: TableCell<Row>, sort?: string): Column<Row> {
  return { label, cell, sort };
}

/** One that narrow screens leave out. */
export function makeMinorColumn<Row>(label: string, cell: TableCell<Row>, as?: "end"): Column<Row> {
  return { label, cell, isMinor: true, ...(as ? { as } : {}) };
}

/** The same of a column that is made already. */
export function leaveOutNarrow<Row>(column: Column<Row>): Column<Row> {
  return { ...column, isMinor: true };
}

/** A column that gives way where the table's box is narrow. */
export function giveWay<Row>(rank: Rank, column: Column<Row>): Column<Row> {
  return { ...column, rank };
}

/** The card's heading on narrow screens. */
export function makeHeadColumn<Row>(label: string, cell: TableCell<Row>, sort?: string): Column<Row> {
  return { label, as: "head", cell, sort };
}

export function makeNumberColumn<Row>(label: string, cell: TableCell<Row>, sort?: string): Column<Row> {
  return { label, as: "end", cell, sort };
}

/** Numbers with their unit. */
export function makeBareColumn<Row>(label: string, cell: TableCell<Row>): Column<Row> {
  return { label, as: "end", isBare: true, cell };
}

export interface Sorting {
  readonly by: string;
  readonly isDown: boolean;
  readonly onSort: (by: string) => void;
}

interface TableLook<Row> {
  readonly label: string;
  readonly columns: readonly Column<Row>[];
  readonly keyOf: (row: Row) => string;
  readonly sorting?: Sorting;
  readonly onOpen?: (row: Row) => void;
  /** True for a row that something beside the table shows. */
  readonly isMarked?: (row: Row) => boolean;
  /** The heading that a row stands under. It is shown above the first of each. */
  readonly headingOf?: (row: Row) => string;
}

interface TableProps<Row> extends TableLook<Row> {
  readonly rows: readonly Row[];
}

/** Marks a table's box while the table fits in: nothing scrolls there, so that the heads can stay in sight of the page. */
function useFit() {
  const box = useRef<HTMLDivElement>(null);
  useLayoutEffect(() => {
    const element = box.current;
    if (!element) return;
    const watch = new ResizeObserver(() =>
      element.classList.toggle("fits", element.scrollWidth <= element.clientWidth),
    );
    for (const one of [element, ...element.children]) watch.observe(one);
    return () => watch.disconnect();
  }, []);
  return box;
}

export function Table<Row>(props: TableProps<Row>) {
  const box = useFit();
  const { label, columns, rows, keyOf, sorting, onOpen, isMarked, headingOf } = props;
  return (
    <div class="table-box" ref={box}>
      <table class="table stacks" aria-label={label}>
        <thead>
          <tr>
            {columns.map((column) => (
              <Head key={column.label} column={column} sorting={sorting} />
            ))}
          </tr>
        </thead>
        <tbody>
          {rows.flatMap((row, at) => {
            const before = rows[at - 1];
            const heading = headingOf?.(row);
            const isNew = heading !== undefined && (!before || headingOf?.(before) !== heading);
            return [
              isNew && (
                <tr key={heading} class="table-heading">
                  <th scope="rowgroup" colSpan={columns.length}>
                    {heading}
                  </th>
                </tr>
              ),
              <tr
                key={keyOf(row)}
                class={`${onOpen ? "link" : ""}${isMarked?.(row) ? " peeked" : ""}`}
                onClick={onOpen && ((event) => isPlain(event) && onOpen(row))}
              >
                {columns.map(({ label, as, isMinor, isBare, rank, cell }) => (
                  <td
                    key={label}
                    class={join(as, isMinor && "minor", isBare && "bare", rank && `gives-${rank}`)}
                    data-label={as === "narrow" ? undefined : label}
                  >
                    {cell(row)}
                  </td>
                ))}
              </tr>,
            ];
          })}
        </tbody>
      </table>
    </div>
  );
}

/** True if a click hit the row itself, not a control inside it. */
function isPlain(event: MouseEvent): boolean {
  return !(event.target instanceof Element && event.target.closest("a, button, input, select, label"));
}

interface HeadProps<Row> {
  readonly column: Column<Row>;
  readonly sorting: Sorting | undefined;
}

/** Undefined if there is no class. */
function join(...classes: readonly (string | number | false | undefined)[]): string | undefined {
  return classes.filter(Boolean).join(" ") || undefined;
}

function Head<Row>({ column: { label, as, rank, sort }, sorting }: HeadProps<Row>) {
  const side = join(as === "end" && as, rank && `gives-${rank}`);
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
  /** The table's name. */
  readonly label: string;
  /** Returns all rows, for a file. */
  readonly readAll: () => Promise<readonly object[]>;
  readonly more: (() => Promise<void> | void) | null;
  readonly isBusy?: boolean;
}

/** The footer of a list: more rows, and all of them as a file. */
function Foot({ shown, label, readAll, more, isBusy }: MoreProps) {
  const [isSaving, setSaving] = useState(false);
  const save = async () => {
    setSaving(true);
    try {
      saveFile(`${label.toLowerCase().replaceAll(/\W+/g, "-")}.csv`, formatCsv(await readAll()), "text/csv");
    } catch (error) {
      toast(describeError(error));
    } finally {
      setSaving(false);
    }
  };
  return (
    <div class="row faint table-foot">
      {more !== null && (
        <>
          <span>{shown} shown</span>
          <Button label="Show more" isTiny isBusy={isBusy} onClick={() => void more()} />
        </>
      )}
      <Button label="CSV" about={`of ${label}`} kind="quiet" isTiny isBusy={isSaving} onClick={save} />
    </div>
  );
}

interface GrowingProps<Row extends object> extends TableProps<Row> {
  /** The number of rows shown at first. */
  readonly first: number;
  /** The number of rows added at a time. */
  readonly step: number;
  /** Returns a row as its file has it. Missing if that is as it came. */
  readonly toFile?: (row: Row) => object;
}

/** A table of rows that are all known, but not all shown. */
export function GrowingTable<Row extends object>(props: GrowingProps<Row>) {
  const { rows, first, step, toFile = (row) => row, ...look } = props;
  const [shown, setShown] = useState(first);
  return (
    <>
      <Table {...look} rows={rows.slice(0, shown)} />
      <Foot
        label={look.label}
        readAll={async () => rows.map(toFile)}
        shown={Math.min(shown, rows.length)}
        more={rows.length > shown ? () => setShown(shown + step) : null}
      />
    </>
  );
}

export interface ListProps<Row extends object>
  extends TableLook<Row>,
    Pick<CardProps, "title" | "note" | "actions"> {
  readonly of: Pages<Row>;
  /** The number of placeholder rows shown while loading. */
  readonly skeletons?: number;
  /** Shown instead of the table if there are no rows. */
  readonly empty: ComponentChildren;
}

/** A card with a list that the gateway serves in pages. */
export function List<Row extends object>({
  title,
  note,
  actions,
  of,
  skeletons,
  empty,
  ...look
}: ListProps<Row>) {
  return (
    <Card title={title} note={note} actions={actions} isFlush>
      <Loaded of={of} rows={skeletons}>
        {(rows) =>
          rows.length === 0 ? (
            empty
          ) : (
            <>
              <Table {...look} rows={rows} />
              <Foot
                shown={rows.length}
                label={look.label}
                readAll={of.readAll}
                more={of.more}
                isBusy={of.isAddingMore}
              />
            </>
          )
        }
      </Loaded>
    </Card>
  );
}
