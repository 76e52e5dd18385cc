// /admin/v1/configuration: where the configuration is written, and the check of a change that nobody applies.
import { Elysia } from "elysia";
import {
  type CheckProposal,
  checkChange,
  configurationSchema,
  proposalSchema,
  verdictSchema,
  viewConfiguration,
} from "../../admin/models/configuration.ts";
import type { Settings } from "../../core/settings.ts";
import { createOperatorHooks, type WritingParts } from "../admin-route.ts";
import { returnsBody, takesBody } from "../openapi/route-schema.ts";

interface ConfigurationParts {
  /** Returns the settings of the file, without what was added at run time. */
  readonly settings: () => Settings;
  readonly check: CheckProposal;
}

export function configurationRoutes(operator: WritingParts, { settings, check }: ConfigurationParts) {
  const { reads, readsBody } = createOperatorHooks(operator, "Settings");
  return new Elysia({ prefix: "/admin/v1" })
    .get("/configuration", () => viewConfiguration(settings()), {
      ...reads(
        "settings.read",
        "getConfiguration",
        "Get the file and line of each configured field, and how people sign in",
      ),
      response: returnsBody(configurationSchema),
    })
    .post("/configuration/check", ({ body }) => checkChange(check, body), {
      ...readsBody(
        "settings.check",
        "checkConfiguration",
        "Check a change of the configuration, as YAML, without applying it",
      ),
      body: takesBody(proposalSchema),
      response: returnsBody(verdictSchema),
    });
}
