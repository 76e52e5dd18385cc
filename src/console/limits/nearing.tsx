// The keys and accounts whose budgets are nearest to their end. Nothing is shown while there are none.
import type { NearingView } from "../../admin/limits/nearing.ts";
import { useResource } from "../frame/resource.ts";
import { Card } from "../parts/page.tsx";
import { LimitBars } from "./limit-bars.tsx";

const EVERY_MS = 30_000;

export function NearingCard() {
  const { data } = useResource<{ readonly data: readonly NearingView[] }>("/nearing", EVERY_MS);
  const rows = data?.data ?? [];
  if (rows.length === 0) return null;
  return (
    <Card title="Budgets near their end">
      <div class="stack">
        {rows.map(({ scope, id, name, limit }) => (
          <div key={id}>
            <span class="strong">{name}</span> <span class="small faint">{scope}</span>
            <LimitBars limits={[limit]} of={scope} />
          </div>
        ))}
      </div>
    </Card>
  );
}
