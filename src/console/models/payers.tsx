// Names the members and service keys whose requests pause, while those of everybody else are sent.
import type { ProviderView } from "../../admin/models/providers.ts";
import { useNames } from "../frame/names.ts";
import { makeHref } from "../frame/route.ts";
import { may } from "../frame/session.ts";
import { Notice } from "../parts/states.tsx";

type OpenPayerView = ProviderView["open_payers"][number];

/** Beyond this number, the others are counted. */
const SHOWN_MAX = 5;

interface PayersProps {
  readonly of: Pick<ProviderView, "open_for" | "open_payers">;
}

/** Nothing unless it is open for some. */
export function PausedPayers({ of: { open_for, open_payers: payers } }: PayersProps) {
  if (open_for !== "some") return null;
  return (
    <Notice tone="warn">
      <span class="strong">Paused for some</span>:{" "}
      {payers.length === 0 ? "a few members or service keys" : <PayerNames payers={payers} />}. Their own
      requests failed. Those of everybody else are sent.
    </Notice>
  );
}

function PayerNames({ payers }: { readonly payers: readonly OpenPayerView[] }) {
  const names = useNames();
  const shown = payers.slice(0, SHOWN_MAX);
  const more = payers.length - shown.length;
  return (
    <>
      {shown.map(({ account_id: account, member_id: member, key_id: key }, at) => (
        <span key={`${account} ${member} ${key}`}>
          {at > 0 && ", "}
          {member && <Member id={member} name={names.member(member)} />}
          {key && <a href={makeHref(`/keys/${key}`)}>{names.key(key)}</a>}
          {(member || key) && " in "}
          <a href={makeHref(`/settings/accounts/${account}`)}>{names.account(account)}</a>
        </span>
      ))}
      {more > 0 && ` and ${more} more`}
    </>
  );
}

function Member({ id, name }: { readonly id: string; readonly name: string }) {
  return may("members.read") ? <a href={makeHref(`/settings/people/${id}`)}>{name}</a> : <span>{name}</span>;
}
