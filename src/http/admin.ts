// /admin/v1: the log, the journals and the settings, each narrowed to what the sender sees.
import { Elysia } from "elysia";
import type { NearingParts } from "../admin/limits/nearing.ts";
import type { RequestParts } from "../admin/log/requests.ts";
import type { SpendingParts } from "../admin/money/spending.ts";
import { type LogParts, logRoutes } from "./log/admin-log.ts";
import { type SettingPorts, settingRoutes } from "./models/admin-settings.ts";
import { moneyRoutes } from "./money/admin-money.ts";
import { monthRoutes } from "./money/admin-months.ts";

interface AdminPorts extends SettingPorts {
  readonly ledger: NearingParts["ledger"] & SpendingParts["ledger"];
  readonly contentVault: RequestParts["contentVault"];
  readonly writeRefusals: LogParts["writeRefusals"];
  readonly providerNames: LogParts["providerNames"];
}

export function adminRoutes(ports: AdminPorts) {
  const { settings, ledger, contentVault, writeRefusals, providerNames, catalogue } = ports;
  const names = () => ({
    models: catalogue()
      .list()
      .map(({ id }) => id),
    providers: settings().providers.map(({ name }) => name),
    aliases: settings().aliases,
  });
  const rules = { dayRules: () => settings().quota, keepMs: () => settings().log.keepMs };
  const known = { names, providerNames };
  const parts = { ...ports.world, ledger, contentVault, ...rules, ...known, writeRefusals };
  return new Elysia()
    .use(logRoutes(ports, parts))
    .use(moneyRoutes(ports, parts))
    .use(monthRoutes(ports, parts))
    .use(settingRoutes(ports));
}
