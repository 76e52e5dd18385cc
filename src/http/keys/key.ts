// GET /v1/key: what a key's holder may know about it, mainly its allowance.
import { Elysia } from "elysia";
import { type HolderView, holderSchema } from "../../admin/keys/holder.ts";
import type { GatewayKey } from "../../core/keys/key.ts";
import { describeRoute, returnsBody } from "../openapi/route-schema.ts";
import type { SenderPorts } from "../ports.ts";
import { JSON_HEADERS } from "../serve/answers.ts";
import { identifyCaller } from "../serve/auth.ts";

interface KeyPorts extends SenderPorts {
  /** The key as its holder sees it, as described for `GET /v1/key` in CONTRACT. */
  readonly holderView: (key: GatewayKey) => Promise<HolderView>;
}

export function keyRoutes(ports: KeyPorts) {
  return new Elysia().get(
    "/v1/key",
    async ({ request, server, set }) => {
      // A paused key's holder can see here that it is paused.
      const { key } = await identifyCaller(ports, { request, server }, { allowsPaused: true });
      Object.assign(set.headers, JSON_HEADERS);
      return ports.holderView(key);
    },
    {
      response: returnsBody(holderSchema),
      ...describeRoute(
        "Key",
        "retrieveKey",
        "Get the key's own allowance, limits and spending, even if it is paused",
      ),
    },
  );
}
