// The operator's use-cases as called by the routes: input is first read by its schema.

import { readInput, readQuery } from "../../src/admin/input.ts";
import * as keyFields from "../../src/admin/keys/key-fields.ts";
import * as keys from "../../src/admin/keys/keys.ts";
import * as keysInUse from "../../src/admin/keys/keys-in-use.ts";
import * as overviews from "../../src/admin/log/overview.ts";
import { requestsQuery } from "../../src/admin/log/request-schema.ts";
import * as requests from "../../src/admin/log/requests.ts";
import * as usages from "../../src/admin/log/usage.ts";
import * as accounts from "../../src/admin/money/accounts.ts";
import * as journal from "../../src/admin/money/journal.ts";
import * as topups from "../../src/admin/money/topups.ts";

type First<Use extends (parts: never, ...rest: never[]) => unknown> = Parameters<Use>[0];

export async function createAccount(parts: First<typeof accounts.createAccount>, body: unknown) {
  return accounts.createAccount(parts, readInput(accounts.newAccountSchema, body));
}

export async function listAccounts(parts: First<typeof accounts.listAccounts>, query: unknown) {
  return accounts.listAccounts(parts, readQuery(accounts.accountsQuery, query));
}

export async function updateAccount(parts: First<typeof accounts.updateAccount>, id: string, body: unknown) {
  return accounts.updateAccount(parts, id, readInput(accounts.accountChangeSchema, body));
}

export async function topUpAccount(
  parts: First<typeof topups.topUpAccount>,
  id: string,
  body: unknown,
  idempotencyKey: string | null,
) {
  return topups.topUpAccount(parts, id, readInput(topups.topUpSchema, body), idempotencyKey);
}

export async function listJournal(parts: First<typeof journal.listJournal>, id: string, query: unknown) {
  return journal.listJournal(parts, id, readQuery(journal.journalQuery, query));
}

export async function createKey(parts: First<typeof keys.createKey>, body: unknown) {
  return keys.createKey(parts, readInput(keyFields.newKeySchema, body));
}

export async function listKeys(parts: First<typeof keys.listKeyPage>, query: unknown) {
  const { data, next } = await keys.listKeyPage(parts, readQuery(keys.keysQuery, query));
  return { data: data.map((key) => keys.keyView(key, parts.clock.nowMs())), next };
}

export async function listKeysInUse(parts: First<typeof keysInUse.listKeysInUse>, query: unknown) {
  return keysInUse.listKeysInUse(parts, readQuery(keys.keysQuery, query));
}

export async function updateKey(parts: First<typeof keys.updateKey>, id: string, body: unknown) {
  return keys.updateKey(parts, id, readInput(keyFields.keyChangeSchema, body));
}

export async function rotateKey(parts: First<typeof keys.rotateKey>, id: string, body: unknown) {
  return keys.rotateKey(parts, id, readInput(keyFields.rotationSchema, body));
}

export async function listRequests(parts: First<typeof requests.listRequests>, query: unknown) {
  return requests.listRequests(parts, readQuery(requestsQuery, query));
}

export async function sumUsage(parts: First<typeof usages.sumUsage>, query: unknown) {
  return usages.sumUsage(parts, readQuery(usages.usageQuery, query));
}

export async function overview(parts: First<typeof overviews.readOverview>, query: unknown) {
  return overviews.readOverview(parts, readQuery(overviews.overviewQuery, query));
}
