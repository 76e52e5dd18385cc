// /admin/v1/…/by-name: keys and accounts made or brought to a state by their names, for files under version control.
import { Elysia } from "elysia";
import { keyChangeSchema } from "../../admin/keys/key-fields.ts";
import { checkedKeySchema, checkedNewKeySchema } from "../../admin/keys/key-warnings.ts";
import type { NewKeyView } from "../../admin/keys/keys.ts";
import { type PutWorld, putAccount, putKey } from "../../admin/keys/put-by-name.ts";
import { addLimits } from "../../admin/limits/limits.ts";
import { accountChangeSchema, accountDetailSchema } from "../../admin/money/accounts.ts";
import type { Catalogue } from "../../catalogue/catalogue.ts";
import type { Settings } from "../../core/settings.ts";
import type { Ledger } from "../../ledger/ledger.ts";
import { actAsSender, createOperatorHooks, type WritingParts } from "../admin-route.ts";
import { returnsBody, takesBody } from "../openapi/route-schema.ts";
import { readOperator } from "../people/operator.ts";
import { makeRights } from "./admin-keys.ts";
import { makeKeyShow } from "./key-show.ts";

interface NamedPorts extends WritingParts {
  readonly settings: () => Settings;
  readonly catalogue: () => Catalogue;
  readonly ledger: Pick<Ledger, "limits" | "accountLimits">;
  /** Seals the secrets that a repeated PUT shows. */
  readonly vault: PutWorld["vault"];
}

export function namedRoutes(ports: NamedPorts) {
  return new Elysia({ prefix: "/admin/v1" }).use(namedAccountRoutes(ports)).use(namedKeyRoutes(ports));
}

function namedAccountRoutes(ports: NamedPorts) {
  const parts = { ...ports.world, vault: ports.vault, ledger: ports.ledger };
  const { writes } = createOperatorHooks(ports, "Accounts");
  const detail = returnsBody(accountDetailSchema);
  return new Elysia().put(
    "/accounts/by-name/:name",
    async ({ params: { name }, body, request, status }) => {
      const world = actAsSender(parts, request);
      const { isMade, view } = await putAccount(world, name, body, readOperator(request).access);
      return status(isMade ? 201 : 200, await addLimits(parts, "account", view));
    },
    {
      ...writes("accounts.create", "putAccount", "Make the account of this name, or set all of its fields"),
      body: takesBody(accountChangeSchema),
      response: { 200: detail, 201: detail },
    },
  );
}

function namedKeyRoutes(ports: NamedPorts) {
  const { settings, catalogue, vault, ledger } = ports;
  const parts = { ...ports.world, vault, ledger };
  const { writes } = createOperatorHooks(ports, "Keys");
  const show = makeKeyShow({ ...parts, settings, catalogue });
  const readRights = makeRights(ports);
  const makeWorld = (request: Request) => {
    const rights = readRights(request);
    return {
      ...actAsSender(parts, request),
      ...rights,
      keysExpireInMs: rights.limitRules.keysExpireInMs,
    };
  };
  return new Elysia().put(
    "/keys/by-name/:account/:name",
    async ({ params, body, request, status }) => {
      const repeat = request.headers.get("idempotency-key");
      const { view } = await putKey(makeWorld(request), params, body, repeat);
      return isNew(view) ? status(201, await show(body, view)) : status(200, await show(body, view));
    },
    {
      ...writes(
        "own.keys.write",
        "putKey",
        "Make the key of this account and name, or set all of its fields",
      ),
      body: takesBody(keyChangeSchema),
      response: { 200: returnsBody(checkedKeySchema), 201: returnsBody(checkedNewKeySchema) },
    },
  );
}

function isNew(view: object): view is NewKeyView {
  return "secret" in view;
}
