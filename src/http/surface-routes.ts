// The routes of all surfaces. Elysia has all of them, and Bun's own router calls those without parameters directly
// (`hot-routes.ts`).
import { Elysia } from "elysia";
import { SURFACES } from "../surfaces/index.ts";
import type { AnySurface } from "../surfaces/surface.ts";
import type { HeaderStore } from "./answers.ts";
import { identify } from "./auth.ts";
import { CountingLimit } from "./counting.ts";
import type { HotRoute } from "./hot-routes.ts";
import { findPath } from "./paths.ts";
import type { HttpPorts } from "./ports.ts";
import { type SurfaceRequest, serve } from "./serve.ts";

export function listSurfaceRoutes(ports: HttpPorts): readonly HotRoute[] {
  const counting = new CountingLimit();
  const answerAt = (surface: AnySurface) =>
    surface.use((one) => (received: SurfaceRequest, set: HeaderStore) => serve(ports, one, received, set));
  return SURFACES.map(({ path, surface, verbs = {} }) => {
    const plain = answerAt(surface);
    const others = new Map(Object.entries(verbs).map(([verb, one]) => [verb, answerAt(one)]));
    const findAnswer = (url: string) =>
      (others.size > 0 && others.get(findPath(url).split(":").at(-1) ?? "")) || plain;
    return {
      path,
      answer: (request, server, set) => {
        const identified = () => identify(ports, { request, server });
        const received = { request, route: path, server, counting, identify: identified };
        return findAnswer(request.url)(received, set);
      },
    };
  });
}

export function surfaceRoutes(routes: readonly HotRoute[]) {
  const app = new Elysia();
  for (const { path, answer } of routes) {
    app.post(path, ({ request, server, set }) => answer(request, server, set), { parse: "none" });
  }
  return app;
}
