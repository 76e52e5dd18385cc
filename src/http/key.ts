// GET /v1/key: what a key's holder may know about it, mainly its allowance.
import { Elysia } from "elysia";
import { type HolderView, holderSchema } from "../admin/holder.ts";
import { JSON_HEADERS } from "./answers.ts";
import { findSecret } from "./auth.ts";
import type { HttpPorts } from "./ports.ts";
import { describeRoute, returnsBody } from "./route-schema.ts";

interface KeyPorts extends Pick<HttpPorts, "authenticate"> {
  /** The key as its holder sees it, as described for `GET /v1/key` in CONTRACT. */
  readonly holderView: (key: Awaited<ReturnType<HttpPorts["authenticate"]>>) => Promise<HolderView>;
}

export function keyRoutes(ports: KeyPorts) {
  return new Elysia().get(
    "/v1/key",
    async ({ request, set }) => {
      const key = await ports.authenticate(findSecret(request.headers));
      Object.assign(set.headers, JSON_HEADERS);
      return ports.holderView(key);
    },
    {
      response: returnsBody(holderSchema),
      ...describeRoute("Key", "retrieveKey", "Get the key's own allowance, limits and spending"),
    },
  );
}
