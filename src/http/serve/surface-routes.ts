// The routes of all surfaces.
import { Elysia } from "elysia";
import { SURFACES } from "../../surfaces/index.ts";
import type { AnySurface } from "../../surfaces/surface.ts";
import type { HttpPorts } from "../ports.ts";
import type { DirectRoutes, HeaderStore } from "./app.ts";
import { identify } from "./auth.ts";
import { CountingLimit } from "./counting.ts";
import { findPath } from "./paths.ts";
import { type SurfaceRequest, serve } from "./serve.ts";

type AnswerRequest = (
  request: Request,
  server: SurfaceRequest["server"],
  set: HeaderStore,
) => Promise<Response>;

/** Handlers of POST requests, each with its route's pattern. */
type Answers = readonly (readonly [path: string, answer: AnswerRequest])[];

export function listAnswers(ports: HttpPorts): Answers {
  const counting = new CountingLimit();
  const answerAt = (surface: AnySurface) =>
    surface.use((one) => (received: SurfaceRequest, set: HeaderStore) => serve(ports, one, received, set));
  return SURFACES.map(({ path, surface, verbs = {} }) => {
    const plain = answerAt(surface);
    const others = new Map(Object.entries(verbs).map(([verb, one]) => [verb, answerAt(one)]));
    const findAnswer = (url: string) =>
      (others.size > 0 && others.get(findPath(url).split(":").at(-1) ?? "")) || plain;
    const answer: AnswerRequest = (request, server, set) => {
      const sender = () => identify(ports, { request, server });
      return findAnswer(request.url)({ request, route: path, server, counting, identify: sender }, set);
    };
    return [path, answer] as const;
  });
}

export function surfaceRoutes(answers: Answers) {
  const app = new Elysia();
  for (const [path, answer] of answers)
    app.post(path, ({ request, server, set }) => answer(request, server, set), { parse: "none" });
  return app;
}

/** Returns the handlers of the paths without parameters, which Bun's own router can call. */
export function directRoutes(answers: Answers): DirectRoutes {
  return Object.fromEntries(answers.filter(([path]) => !/[:*]/.test(path)));
}
