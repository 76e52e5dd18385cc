// POST /admin/v1/playground: the operator's requests for any operation, made with the console's own key.
import { Type } from "@sinclair/typebox";
import { type Context, Elysia } from "elysia";
import { consoleKey } from "../../admin/keys/console-key.ts";
import { Fault } from "../../core/fault.ts";
import type { GatewayKey } from "../../core/keys/key.ts";
import { findSurface, SURFACES } from "../../surfaces/index.ts";
import type { AnySurface } from "../../surfaces/surface.ts";
import { describeResponse, describeRoute } from "../openapi/route-schema.ts";
import { checkOperator, type OperatorParts } from "../people/operator.ts";
import type { HttpPorts } from "../ports.ts";
import { Arrival } from "../serve/arrival.ts";
import { CountingLimit } from "../serve/counting.ts";
import { findPath } from "../serve/paths.ts";
import { serve } from "../serve/serve.ts";
import { Setups } from "../serve/setups.ts";

const CHAT = findSurface("/v1/chat/completions");
/** The surfaces whose errors have OpenAI's form, like all errors under /admin, and interactions, whose page shows Google's. */
const FORMS = [CHAT, findSurface("/v1/interactions")];
const SERVED = new Map(
  SURFACES.filter(({ path, verbs }) => !verbs && FORMS.includes(findSurface(path))).map((one) => [
    one.path,
    one.surface,
  ]),
);

type PlaygroundRequest = Pick<Context, "request" | "server" | "set" | "route">;

const DECIDING = "/v1/route";

/** `decide` answers with a selector's choice for a key, without calling a model. */
export function playgroundRoutes(
  operator: OperatorParts,
  ports: HttpPorts,
  decide: (request: Request, key: GatewayKey) => Promise<Response>,
) {
  const counting = new CountingLimit();
  const answer = async (
    surface: AnySurface | undefined,
    { request, server, set, route }: PlaygroundRequest,
  ) => {
    await checkOperator(operator, { request, server, route }, "playground.use");
    if (!surface) throw new Fault("unknown_url", "The playground does not serve this path.");
    const sender = { key: await consoleKey(operator.world), proof: null };
    const own = { route: findPath(request.url), counting, sender };
    const arrival = new Arrival(ports, request, server, set, own);
    return surface.use((one) => serve(ports, one, new Setups(one), arrival));
  };
  const answerAt = async (path: string, asked: PlaygroundRequest) => {
    if (path !== DECIDING) return answer(SERVED.get(path), asked);
    await checkOperator(operator, asked, "playground.use");
    return decide(asked.request, await consoleKey(operator.world));
  };
  return new Elysia()
    .post("/admin/v1/playground", (asked) => answer(CHAT, asked), {
      parse: "none",
      ...describeRoute(
        "Chat",
        "playground",
        "Create a chat completion with the console's own key",
        describeResponse("As for `POST /v1/chat/completions`.", Type.Object({})),
        Type.Object({}, { description: "As for `POST /v1/chat/completions`." }),
      ),
    })
    .post("/admin/v1/playground/*", (asked) => answerAt(`/${asked.params["*"]}`, asked), {
      parse: "none",
      ...describeRoute(
        "Beyond chat",
        "playgroundOperation",
        "Run any operation with the console's own key",
        "As for `POST` at the path of the surface, such as `v1/embeddings`, or `v1/route`.",
        Type.Object({}, { description: "As for that path: JSON, or a form with files." }),
      ),
    });
}
