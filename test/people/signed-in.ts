// People who are signed in, without a provider: a row each, and a session.
import { beginSession } from "../../src/admin/people/session.ts";
import type { OpenedStore } from "../../src/app/start/open-store.ts";
import type { Grant } from "../../src/core/people/people.ts";
import { unrecorded } from "../harness/unrecorded.ts";
import { type Seen, seen } from "../whole/world/observe.ts";
import { makeMember } from "./samples.ts";

/** Sends a request to the admin API. `repeat` is an Idempotency-Key. */
export type Ask = (method: string, path: string, body?: unknown, repeat?: string) => Promise<Seen>;

/** Signs a person with this id in, with these grants by the rules, at the gateway with this address and store. */
export async function signInAs(
  { url, opened }: { readonly url: string; readonly opened: OpenedStore },
  id: string,
  ruleGrants: readonly Grant[],
): Promise<Ask> {
  await unrecorded(opened.store).changeMember(id, (before) => ({
    ...(before ?? makeMember(id)),
    ruleGrants,
  }));
  const owner = { tokenDigest: "", tokenId: null, memberId: id, issuerSession: null };
  const cookie = `poundkey_session=${await beginSession(opened.world, owner)}`;
  return async (method, path, body, repeat) => {
    const headers = { cookie, "sec-fetch-site": "same-origin", "content-type": "application/json" };
    const init = { method, headers: { ...headers, ...(repeat ? { "idempotency-key": repeat } : {}) } };
    const sent = body === undefined ? init : { ...init, body: JSON.stringify(body) };
    return seen(await fetch(`${url}/admin/v1${path}`, sent));
  };
}
