// The operator's names for models, with their targets, on the page of models.
import type { AliasView } from "../admin/aliases.ts";
import type { Listed } from "../admin/list.ts";
import { percent } from "./format.ts";
import { Card } from "./parts/page.tsx";
import { Badge, Loaded } from "./parts/states.tsx";
import { type Column, Table } from "./parts/table.tsx";
import { useResource } from "./resource.ts";

const EVERY_MS = 15_000;

export function Aliases() {
  const aliases = useResource<Listed<AliasView>>("/aliases", EVERY_MS);
  return (
    <Card title="Aliases" note="Names that clients may use for models" isFlush>
      <Loaded of={aliases}>
        {({ data }) =>
          data.length === 0 ? (
            <p class="card-body faint">There are none.</p>
          ) : (
            <Table label="Aliases" columns={COLUMNS} rows={data} keyOf={({ name }) => name} />
          )
        }
      </Loaded>
    </Card>
  );
}

const COLUMNS: readonly Column<AliasView>[] = [
  { name: "name", label: "Name", isHead: true, cell: ({ name }) => <span class="strong">{name}</span> },
  { name: "target", label: "Stands for", cell: ({ target }) => <Target target={target} /> },
  {
    name: "source",
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
