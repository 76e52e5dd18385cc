// GET /v1/key: what a key holder may know about the key, its allowance above all.
import { Elysia } from "elysia";
import { json } from "./answers.ts";
import { bearerToken, requireSecret } from "./auth.ts";
import type { HttpPorts } from "./ports.ts";

export interface KeyPorts extends Pick<HttpPorts, "authenticate"> {
  /** The key's own view, as CONTRACT's `GET /v1/key` gives it. */
  readonly holderView: (key: Awaited<ReturnType<HttpPorts["authenticate"]>>) => Promise<object>;
}

export function keyRoutes(ports: KeyPorts) {
  return new Elysia().use(bearerToken()).get("/v1/key", async ({ bearer }) => {
    const key = await ports.authenticate(requireSecret(bearer));
    return json(200, await ports.holderView(key));
  });
}
