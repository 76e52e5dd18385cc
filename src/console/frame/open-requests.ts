// The members' requests for more that wait for the one who is signed in.
import type { LimitRequestView } from "../../admin/limits/limit-requests.ts";
import type { ListPage } from "../../admin/list.ts";
import { findSource } from "./answers.ts";
import { useResource } from "./resource.ts";
import { may, session } from "./session.ts";

const EVERY_MS = 30_000;
const PATH = "/limit-requests?state=open&limit=200";

/** Nobody decides about their own. */
export function useOpenRequests(): readonly LimitRequestView[] {
  const open = useResource<ListPage<LimitRequestView>>(may("members.limit") ? PATH : null, EVERY_MS);
  const ownId = session.value?.actor.id;
  return (open.data?.data ?? []).filter(
    ({ member_id, account_id }) => member_id !== ownId && may("members.limit", account_id),
  );
}

export function useOpenCount(): number {
  return useOpenRequests().length;
}

/** Counts again after a decision. */
export function reloadOpenRequests(): Promise<void> {
  return findSource(PATH).reload();
}
