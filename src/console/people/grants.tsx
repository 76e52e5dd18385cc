// Roles with the accounts in which somebody has them.
import type { SessionView } from "../../admin/people/session.ts";
import { useNames } from "../frame/names.ts";
import { makeHref } from "../frame/route.ts";
import { Badge } from "../parts/states.tsx";

/** The roles that deserve a second look. */
const STRONG = ["admin", "operator", "billing"];

export function Grants({ of }: { readonly of: SessionView["grants"] }) {
  const names = useNames();
  if (of.length === 0) return <span class="faint">none</span>;
  return (
    <div class="grants">
      {of.map(({ role, account }) => (
        <div key={`${role} ${account}`} class="row">
          <Badge text={role} tone={STRONG.includes(role) ? "accent" : undefined} />
          {account === null ? (
            <span class="small faint">everywhere</span>
          ) : (
            <a class="small kept" href={makeHref(`/settings/accounts/${account}`)}>
              {names.account(account)}
            </a>
          )}
        </div>
      ))}
    </div>
  );
}
