// The models that get no requests now, from everybody or from some, as a running gateway knows them.
import { providerSchema } from "../../admin/models/providers.ts";
import { wrapRows } from "../../admin/schema.ts";
import { Fault } from "../../core/faults/fault.ts";
import { CREDENTIAL } from "../../core/things/credential.ts";
import { makeReader } from "../gateway/ask.ts";
import type { Asking } from "../gateway/gateway.ts";
import { nameRows, type ShowName } from "../gateway/row-names.ts";

const readProviders = makeReader(wrapRows(providerSchema));
type Model = ReturnType<typeof readProviders>["data"][number]["models"][number];
type OpenPayer = Model["open_payers"][number];

/** Returns a line for each model. Null if there is none, on a store, and for those who may not see the providers. */
export async function describePauses(ask: Asking): Promise<string | null> {
  const models = await listPaused(ask);
  const payers = models.flatMap(({ open_payers }) => open_payers);
  const showName = await nameRows(ask, payers, ["account_id", "member_id", "key_id"]);
  return models.length === 0 ? null : models.map((model) => describePause(model, showName)).join("\n");
}

async function listPaused(ask: Asking): Promise<readonly Model[]> {
  try {
    const providers = await ask({
      route: CREDENTIAL.actions.list,
      read: (answer) => readProviders(answer).data,
      here: async () => [],
    });
    return providers.flatMap(({ models }) => models.filter(({ open_for }) => open_for !== null));
  } catch (thrown) {
    if (thrown instanceof Fault && thrown.code === "not_permitted") return [];
    throw thrown;
  }
}

function describePause({ id, open_for, open_payers: payers }: Model, showName: ShowName): string {
  if (open_for === "all") return `${id} is paused for everybody.`;
  const names = payers.map((payer) => namePayer(payer, showName)).join(", ");
  return `${id} is paused for some, whose own requests failed${names && `: ${names}`}.`;
}

function namePayer({ account_id, member_id, key_id }: OpenPayer, showName: ShowName): string {
  const own = member_id ?? key_id;
  return own === null ? showName(account_id) : `${showName(own)} in ${showName(account_id)}`;
}
