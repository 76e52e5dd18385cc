// The keys, people and accounts whose budgets are nearest to their end. Nothing is shown while there are none.
import type { NearingView } from "../../admin/limits/nearing.ts";
import { useResource } from "../frame/resource.ts";
import { makeHref } from "../frame/route.ts";
import { may, type SessionPermission } from "../frame/session.ts";
import { Card } from "../parts/page.tsx";
import { LimitBars } from "./limit-bars.tsx";
import { Raise } from "./raise.tsx";

const EVERY_MS = 30_000;

/** The page of each kind of owner, and who sees it. */
const PAGES = {
  key: ["/settings/router", "keys.read"],
  member: ["/settings/people", "members.read"],
  account: ["/settings/accounts", "accounts.read"],
} as const satisfies Readonly<
  Record<NearingView["scope"], readonly [path: string, needs: SessionPermission]>
>;

export function NearingCard() {
  const { data, reload } = useResource<{ readonly data: readonly NearingView[] }>("/nearing", EVERY_MS);
  const rows = data?.data ?? [];
  if (rows.length === 0) return null;
  return (
    <Card title="Budgets near their end">
      <div class="nearing">
        {rows.map((owner) => (
          <div key={`${owner.account_id} ${owner.id}`}>
            <div class="row">
              <Owner of={owner} /> <span class="small faint">{owner.scope}</span>
              <Raise owner={owner} onDone={reload} />
            </div>
            <LimitBars limits={[owner.limit]} of={owner.scope} />
          </div>
        ))}
      </div>
    </Card>
  );
}

function Owner({ of: { scope, id, name, account_id } }: { readonly of: NearingView }) {
  const [path, needs] = PAGES[scope];
  if (!may(needs, account_id)) return <span class="strong">{name}</span>;
  return (
    <a class="strong" href={makeHref(`${path}/${id}`)}>
      {name}
    </a>
  );
}
