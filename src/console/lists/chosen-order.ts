// The order that somebody chose for a list. It stays in this browser.
import { useState } from "preact/hooks";
import { isUpwards, type ListName, SORTS, type SortOf } from "../../core/things/sorts.ts";
import { readStored, writeStored } from "../browser.ts";
import type { Query } from "../frame/api.ts";
import type { Sorting } from "../parts/table.tsx";

interface ChosenSort<List extends ListName> {
  readonly by: SortOf<List>;
  readonly isDown: boolean;
}

interface ChosenOrder<List extends ListName> {
  readonly sorting: Sorting;
  /** Null if nothing was chosen, so that the list has its own. */
  readonly order: ChosenSort<List> | null;
  /** Chooses a column in its usual direction, or with an empty name the list's own order. */
  readonly choose: (name: string) => void;
  /** The fields with which the list's route sorts. Empty if nothing was chosen. */
  readonly query: Query;
}

/** A second click on a column reverses the order, a third restores the list's own. */
export function useChosenOrder<List extends ListName>(list: List): ChosenOrder<List> {
  const stored = `${list}.order`;
  const [chosen, setChosen] = useState(() => readStored(stored) ?? "");
  const words: readonly SortOf<List>[] = SORTS[list];
  const by = words.find((word) => word === chosen.replace(/^-/, ""));
  const isDown = chosen.startsWith("-");
  const keep = (next: string) => {
    writeStored(stored, next);
    setChosen(next);
  };
  const findFirst = (name: string) => (name === "" || isUpwards(name) ? name : `-${name}`);
  const onSort = (name: string) => {
    const first = findFirst(name);
    const second = first === name ? `-${name}` : name;
    keep(chosen === first ? second : chosen === second ? "" : first);
  };
  const choose = (name: string) => keep(findFirst(name));
  const sorting = { by: by ?? "", isDown, onSort };
  if (by === undefined) return { sorting, order: null, choose, query: {} };
  return { sorting, order: { by, isDown }, choose, query: { sort: by, order: isDown ? "desc" : "asc" } };
}
