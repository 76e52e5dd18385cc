// /admin/v1/settings, /models and /learned: the live configuration, and what the selectors have learned.
import { Elysia } from "elysia";
import {
  forgetLessons,
  forgottenSchema,
  type LearnedView,
  learnedSchema,
  lessonsQuery,
} from "../../admin/models/lessons.ts";
import { listRetiring, retiringSchema } from "../../admin/models/retiring.ts";
import { cardSchema, cardsQuery, settingsSchema } from "../../admin/models/settings-schema.ts";
import { wrapRows } from "../../admin/schema.ts";
import type { Catalogue } from "../../catalogue/catalogue.ts";
import type { Settings } from "../../core/settings.ts";
import { actAsSender, createOperatorHooks, type WritingParts } from "../admin-route.ts";
import { returnsBody, takesQuery } from "../openapi/route-schema.ts";
import { readOperator } from "../people/operator.ts";
import { modelsView, type Running, settingsView } from "./admin-views.ts";

export interface SettingPorts extends WritingParts, Running {
  /** Returns the current settings. */
  readonly settings: () => Settings;
  readonly catalogue: () => Catalogue;
  /** Returns what this node's selectors have learned about each model. */
  readonly learned: () => readonly LearnedView[];
}

export function settingRoutes(ports: SettingPorts) {
  const { reads } = createOperatorHooks(ports, "Settings");
  const { store, clock } = ports.world;
  const { settings } = ports;
  const retiringParts = { store, clock, settings, cards: () => ports.catalogue().listWithEnded() };
  return new Elysia({ prefix: "/admin/v1" })
    .get("/models", ({ query }) => modelsView(ports.settings(), clock.nowMs(), query), {
      ...reads("models.read", "listCards", "List all known models, enabled or not"),
      query: takesQuery(cardsQuery),
      response: returnsBody(wrapRows(cardSchema)),
    })
    .get("/models/retiring", ({ request }) => listRetiring(retiringParts, readOperator(request).scope), {
      ...reads(
        "usage.read",
        "listRetiring",
        "List the enabled models that their provider will end, with what leads to them",
      ),
      response: returnsBody(wrapRows(retiringSchema)),
    })
    .get("/settings", () => settingsView(ports.settings(), ports), {
      ...reads("settings.read", "getSettings", "Get the current configuration, without secrets"),
      response: returnsBody(settingsSchema),
    })
    .get("/learned", () => ({ data: ports.learned(), next: null }), {
      ...reads("settings.read", "listLearned", "List what the selectors have learned about each model"),
      response: returnsBody(wrapRows(learnedSchema)),
    })
    .delete(
      "/learned",
      ({ query: { model = null }, request }) => forgetLessons(actAsSender(ports.world, request), model),
      {
        ...reads("learning.write", "forgetLearned", "Forget what was learned about all models, or about one"),
        query: takesQuery(lessonsQuery),
        response: returnsBody(forgottenSchema),
      },
    );
}
