// GET /managed/settings: the settings that an agent gets by its person's groups, in Claude Code's form.
import { Type } from "@sinclair/typebox";
import { Elysia } from "elysia";
import type { AgentPolicy } from "../../core/people/sign-in.ts";
import type { Store } from "../../core/store.ts";
import { findPolicy } from "../../people/policies.ts";
import { describeRoute } from "../openapi/route-schema.ts";
import type { SenderPorts } from "../ports.ts";
import { createJsonResponse } from "../serve/answers.ts";
import { identifyCaller, type RouteRequest } from "../serve/auth.ts";

interface ManagedSettingsParts extends SenderPorts {
  readonly store: Pick<Store, "people">;
  /** Returns the operator's settings for agents. */
  readonly policies: () => readonly AgentPolicy[];
}

const settingsSchema = Type.Object({
  uuid: Type.String(),
  checksum: Type.String(),
  settings: Type.Object({}),
});

export function managedSettingsRoutes(parts: ManagedSettingsParts) {
  const answers = {
    200: { description: "The settings.", content: { "application/json": { schema: settingsSchema } } },
    304: { description: "They are those with the checksum in If-None-Match." },
    404: { description: "There are none for this person." },
  };
  return new Elysia().get("/managed/settings", ({ request, server }) => answer(parts, { request, server }), {
    ...describeRoute(
      "Key",
      "getManagedSettings",
      "Get the settings that the operator gives to agents",
      answers,
    ),
  });
}

async function answer(
  { store, policies, ...parts }: ManagedSettingsParts,
  asked: RouteRequest,
): Promise<Response> {
  const { key } = await identifyCaller(parts, asked);
  const member = key.memberId === null ? null : await store.people.member(key.memberId);
  const policy = findPolicy(policies(), member?.groups ?? []);
  if (policy === null)
    return createJsonResponse(404, { error: { message: "There are no settings for you." } });
  const { uuid, checksum, settings } = policy;
  const etag = `"${checksum}"`;
  const isKnown = asked.request.headers.get("if-none-match") === etag;
  if (isKnown) return new Response(null, { status: 304, headers: { etag, "cache-control": "no-store" } });
  return createJsonResponse(200, { uuid, checksum, settings }, { etag });
}
