// Refusals by their cause and key: how many there were since when, and what would end them.
import type { RefusalView } from "../../admin/log/refusals.ts";
import { formatCount, formatFullTime, formatTime } from "../frame/format.ts";
import type { Names } from "../frame/names.ts";
import { makeHref } from "../frame/route.ts";
import { may, mayWriteKey, session } from "../frame/session.ts";
import { describeLimit, readTimes, Sender } from "./refusal-words.tsx";

interface RefusalGroup {
  /** The latest of its rows. */
  readonly row: RefusalView;
  readonly since: string;
  readonly count: number;
}

interface RefusalGroupsProps {
  /** Newest first. */
  readonly rows: readonly RefusalView[];
  readonly names: Names;
}

export function RefusalGroups({ rows, names }: RefusalGroupsProps) {
  return (
    <ul class="groups" aria-label="Refusals by cause and key">
      {group(rows).map(({ row, since, count }) => (
        <li key={row.id} class="row between">
          <div>
            <div>
              <span class="strong cause">{row.limit ? describeLimit(row.limit) : describeCode(row)}</span>{" "}
              <Sender row={row} names={names} />
            </div>
            <div class="small soft">
              <span class="strong">{`${formatCount(count)} ${count === 1 ? "request" : "requests"}`}</span>
              <span title={formatFullTime(since)}>{` since ${formatTime(since)}`}</span>
              {row.model_asked && ` · asked for ${row.model_asked}`} · <code>{row.code}</code>
            </div>
            <div class="small faint">{readTimes(row.way_out)}</div>
          </div>
          <WayOut row={row} names={names} />
        </li>
      ))}
    </ul>
  );
}

function group(rows: readonly RefusalView[]): readonly RefusalGroup[] {
  const groups = new Map<string, RefusalGroup>();
  for (const row of rows) {
    const { code, key_id, last4, shape, limit } = row;
    const id = JSON.stringify([code, key_id ?? last4 ?? shape, limit?.scope, limit?.kind, limit?.per]);
    const known = groups.get(id);
    const count = (known?.count ?? 0) + row.count;
    groups.set(id, { row: known?.row ?? row, since: row.at, count });
  }
  return [...groups.values()].toSorted((a, b) => b.count - a.count);
}

const WORDS: Readonly<Record<string, string>> = {
  invalid_api_key: "No valid key",
  no_api_key: "No key at all",
  model_not_found: "A model that isn't here",
  model_not_allowed: "A model that the key may not use",
  key_paused: "The key, or its account, is paused",
  key_expired: "The key has expired",
  insufficient_balance: "The balance is used up",
};

function describeCode({ code }: RefusalView): string {
  const words = code.replaceAll("_", " ");
  return WORDS[code] ?? `${words.charAt(0).toUpperCase()}${words.slice(1)}`;
}

/** The button that leads to what would let such a request pass, for those who may do it. */
function WayOut({ row, names }: { readonly row: RefusalView; readonly names: Names }) {
  const way = findWay(row, names);
  if (way === null) return null;
  return (
    <a class="button tiny" href={makeHref(way.path, way.query)}>
      {way.label}
    </a>
  );
}

interface RefusalLink {
  readonly label: string;
  readonly path: string;
  readonly query?: Readonly<Record<string, string>>;
}

const EDIT = { edit: "yes" };

function findWay(row: RefusalView, names: Names): RefusalLink | null {
  const key = names.keys.find(({ id }) => id === row.key_id);
  return findAccountWay(row) ?? (key ? findKeyWay(row, key) : null) ?? findOtherWay(row);
}

function findAccountWay({ account_id: id, limit, code }: RefusalView): RefusalLink | null {
  if (id === null) return null;
  const path = `/settings/accounts/${id}`;
  if (limit?.scope === "account" && may("accounts.limit", id)) return { label: "Raise", path, query: EDIT };
  return code === "insufficient_balance" && may("money.move", id) ? { label: "Top up", path } : null;
}

function findKeyWay({ limit, status }: RefusalView, key: Names["keys"][number]): RefusalLink | null {
  const { id, member_id, account_id } = key;
  const isOwn = member_id !== null && member_id === session.value?.actor.id;
  if (limit && isOwn && may("limit_requests.make", account_id)) {
    return { label: "Ask for more", path: "/settings/requests" };
  }
  if (limit?.scope === "member" && member_id !== null) {
    return may("members.limit") ? { label: "Raise", path: `/settings/people/${member_id}` } : null;
  }
  if (!mayWriteKey(key)) return null;
  const label = limit || status === 429 ? "Raise" : "Change the key";
  return { label, path: `/settings/router/${id}`, query: EDIT };
}

function findOtherWay({ code }: RefusalView): RefusalLink | null {
  return code === "model_not_found" ? { label: "Models", path: "/models" } : null;
}
