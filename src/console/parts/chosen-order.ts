// The order that somebody chose for a list. It stays in this browser.
import { useState } from "preact/hooks";
import { recall, remember } from "../browser.ts";
import type { Query } from "../frame/api.ts";
import type { Sorting } from "./table.tsx";

/** The other columns begin with the highest, the latest or the dearest. */
const UPWARDS: ReadonlySet<string> = new Set(["name", "state"]);

interface ChosenOrder {
  readonly sorting: Sorting;
  /** The fields with which the list's route sorts. Empty if nothing was chosen. */
  readonly query: Query;
}

/** A second click on a column reverses the order, a third restores the list's own. */
export function useChosenOrder(list: string): ChosenOrder {
  const stored = `${list}.order`;
  const [chosen, setChosen] = useState(() => recall(stored) ?? "");
  const by = chosen.replace(/^-/, "");
  const isDown = chosen.startsWith("-");
  const onSort = (name: string) => {
    const [first, second] = UPWARDS.has(name) ? [name, `-${name}`] : [`-${name}`, name];
    const next = chosen === first ? second : chosen === second ? "" : first;
    remember(stored, next);
    setChosen(next);
  };
  const query = by === "" ? {} : { sort: by, order: isDown ? "desc" : "asc" };
  return { sorting: { by, isDown, onSort }, query };
}
