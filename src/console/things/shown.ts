// The parts of a plain thing that its page shows.
import type { PlainView } from "../../admin/things/plain.ts";
import type { PlainThing } from "../../core/things/plain.ts";

/** Returns the value that names it. */
export function nameView({ fields }: PlainThing, view: PlainView): string {
  const [title = "id"] = Object.keys(fields);
  return String(view[title]);
}

/** Returns the columns of the fields that have a control, but for the one that names the thing. */
export function listFieldColumns({ fields }: PlainThing) {
  const [, ...others] = Object.entries(fields);
  return others.flatMap(([name, { control }]) =>
    control ? [{ label: control.label, show: (view: PlainView) => String(view[name] ?? "") }] : [],
  );
}
