// The operator's names for models, with their targets, on the page of models.
import type { AliasView } from "../admin/aliases.ts";
import { percent } from "./format.ts";
import { Card } from "./parts/page.tsx";
import { Badge } from "./parts/states.tsx";
import { type Column, List } from "./parts/table.tsx";
import { usePages } from "./resource.ts";

const EVERY_MS = 15_000;

export function Aliases() {
  const aliases = usePages<AliasView>("/aliases", {}, EVERY_MS);
  return (
    <Card title="Aliases" note="Names that clients may use for models" isFlush>
      <List
        label="Aliases"
        of={aliases}
        columns={COLUMNS}
        keyOf={({ name }) => name}
        empty={<p class="card-body faint">There are none.</p>}
      />
    </Card>
  );
}

const COLUMNS: readonly Column<AliasView>[] = [
  { label: "Name", as: "head", cell: ({ name }) => <span class="strong">{name}</span> },
  { label: "Stands for", cell: ({ target }) => <Target target={target} /> },
  {
    label: "Defined by",
    cell: ({ source }) => <Badge>{source === "configured" ? "the file" : "/admin/v1/aliases"}</Badge>,
  },
];

/** The models of a group with their shares of its load. */
function Target({ target }: Pick<AliasView, "target">) {
  if (typeof target === "string") return <span>{target}</span>;
  const whole = target.reduce((sum, { weight }) => sum + weight, 0);
  return (
    <div>
      {target.map(({ model, weight }) => (
        <div key={model}>
          {model} <span class="small faint">{percent(weight / whole)}</span>
        </div>
      ))}
    </div>
  );
}
