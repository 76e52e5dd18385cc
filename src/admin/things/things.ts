// The table of things with what is done with them.
import type { FileUse } from "../../core/batches/file.ts";
import { ACCOUNT } from "../../core/things/account.ts";
import { ALIAS } from "../../core/things/alias.ts";
import { CREDENTIAL } from "../../core/things/credential.ts";
import { DELIVERY } from "../../core/things/delivery.ts";
import { FILE } from "../../core/things/file.ts";
import { KEY } from "../../core/things/key.ts";
import { LIMIT_REQUEST } from "../../core/things/limit-request.ts";
import { PLAIN_THINGS } from "../../core/things/plain-things.ts";
import type { Thing } from "../../core/things/thing.ts";
import { TOKEN } from "../../core/things/token.ts";
import type { AliasParts } from "../models/aliases.ts";
import type { AdminWorld } from "../world.ts";
import { makeAccountUses } from "./accounts.ts";
import { makeAliasUses } from "./aliases.ts";
import { makeCredentialUses, type ProviderPorts } from "./credentials.ts";
import { type DeliveryParts, makeDeliveryUses } from "./deliveries.ts";
import { makeFileUses } from "./files.ts";
import { type KeyUseParts, makeKeyUses } from "./keys.ts";
import { makeLimitRequestUses } from "./limit-requests.ts";
import { makePlainUses } from "./plain-uses.ts";
import { makeRepeatable, type RepeatParts } from "./repeats.ts";
import { makeTokenUses } from "./tokens.ts";
import type { Use } from "./use.ts";

export interface ServedThing {
  readonly thing: Thing;
  /** By the names of the row's actions. */
  readonly uses: Readonly<Record<string, Use>>;
}

interface ThingParts extends Pick<DeliveryParts, "endpoints" | "sendTest"> {
  readonly world: AdminWorld;
  readonly owners: KeyUseParts;
  readonly repeats: RepeatParts;
  readonly aliases: AliasParts;
  readonly providers: ProviderPorts;
  readonly files: FileUse;
}

export function serveThings(parts: ThingParts): readonly ServedThing[] {
  return listThings(parts).map(({ thing, uses }) => ({
    thing,
    uses: Object.fromEntries(
      Object.entries(thing.actions).flatMap(([name, action]) => {
        const use = uses[name];
        return use === undefined ? [] : [[name, makeRepeatable(parts.repeats, action, use)]];
      }),
    ),
  }));
}

function listThings(parts: ThingParts): readonly ServedThing[] {
  const { world, owners, aliases, providers } = parts;
  return [
    { thing: ACCOUNT, uses: makeAccountUses(owners) },
    { thing: KEY, uses: makeKeyUses(owners) },
    { thing: TOKEN, uses: makeTokenUses(world) },
    { thing: FILE, uses: makeFileUses(world, parts.files) },
    { thing: DELIVERY, uses: makeDeliveryUses(parts) },
    { thing: CREDENTIAL, uses: makeCredentialUses(world, providers) },
    { thing: ALIAS, uses: makeAliasUses(world, aliases) },
    { thing: LIMIT_REQUEST, uses: makeLimitRequestUses({ ...world, settings: owners.settings }) },
    ...PLAIN_THINGS.map((thing) => ({ thing, uses: makePlainUses(world, thing) })),
  ];
}
