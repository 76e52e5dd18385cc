// The routes of all surfaces.
import { Elysia } from "elysia";
import { SURFACES } from "../../surfaces/index.ts";
import type { AnySurface } from "../../surfaces/surface.ts";
import { Arrival } from "../door/arrival.ts";
import { openHttp } from "../door/door.ts";
import type { HttpPorts } from "../ports.ts";
import type { DirectRoutes, HeaderStore } from "../serve/app.ts";
import { findPath } from "../serve/paths.ts";
import { CountingLimit } from "./counting.ts";

type AnswerRequest = (request: Request, server: Arrival["server"], set: HeaderStore) => Promise<Response>;

/** Handlers of POST requests, each with its route's pattern. */
export type Answers = readonly (readonly [path: string, answer: AnswerRequest])[];

export function listAnswers(ports: HttpPorts): Answers {
  const counting = new CountingLimit();
  const answerAt = (surface: AnySurface, route: string): AnswerRequest =>
    surface.use((one) => {
      const answer = openHttp(ports, one);
      const shared = { route, counting };
      return (request, server, set) => answer(new Arrival(ports, request, server, set, shared));
    });
  return SURFACES.map(({ path, surface, verbs }) => {
    const plain = answerAt(surface, path);
    if (verbs === undefined) return [path, plain] as const;
    const others = new Map(Object.entries(verbs).map(([verb, one]) => [verb, answerAt(one, path)]));
    const answer: AnswerRequest = (request, server, set) => {
      const verb = findPath(request.url).split(":").at(-1) ?? "";
      return (others.get(verb) ?? plain)(request, server, set);
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
