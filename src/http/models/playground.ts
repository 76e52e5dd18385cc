// POST /admin/v1/playground: requests for any operation from the console, made with its own key in an account, or with a
// personal one of the sender.
import { type Static, Type } from "@sinclair/typebox";
import { type Context, Elysia } from "elysia";
import { readQuery } from "../../admin/input.ts";
import { consoleKey } from "../../admin/keys/console-key.ts";
import { openPlaygroundKey } from "../../admin/keys/playground-key.ts";
import { findFilters } from "../../admin/log/found-filters.ts";
import { closeObject, text } from "../../admin/schema.ts";
import { Fault } from "../../core/faults/fault.ts";
import { invalidValue } from "../../core/json/schema-fault.ts";
import { type Caller, type GatewayKey, refuseAddress } from "../../core/keys/key.ts";
import { findSurface, SURFACES } from "../../surfaces/index.ts";
import type { AnySurface } from "../../surfaces/surface.ts";
import { Arrival } from "../door/arrival.ts";
import { CountingLimit } from "../door/counting.ts";
import { openHttp } from "../door/door.ts";
import { describeResponse, describeRoute, showsSchema } from "../openapi/route-schema.ts";
import { checkOperator, type OperatorParts } from "../people/operator.ts";
import type { HttpPorts } from "../ports.ts";
import { findPath } from "../serve/paths.ts";

const CHAT = findSurface("/v1/chat/completions");
/** The surfaces whose errors have OpenAI's form, like all errors under /admin, and interactions, whose page shows Google's. */
const FORMS = [CHAT, findSurface("/v1/responses"), findSurface("/v1/interactions")];
const SERVED = new Map(
  SURFACES.filter(({ path, verbs }) => !verbs && FORMS.includes(findSurface(path))).map((one) => [
    one.path,
    one.surface,
  ]),
);

type PlaygroundRequest = Pick<Context, "request" | "server" | "set" | "route">;

const DECIDING = "/v1/route";

const querySchema = closeObject({
  key: Type.Optional({ ...text, description: "The id of one's own personal key, which it is made with." }),
  account: Type.Optional({
    ...text,
    description:
      "The id or name of the account in which the console's own key asks. Missing for the default one.",
  }),
});

interface PlaygroundParts {
  /** Answers with a selector's choice for a key, without calling a model. */
  readonly decide: (request: Request, key: GatewayKey) => Promise<Response>;
  /** Finds a key as it may be used now, with what binds its person. Throws the Faults of one that may not be. */
  readonly findKey: (id: string) => Promise<GatewayKey>;
}

export function playgroundRoutes(
  operator: OperatorParts,
  ports: HttpPorts,
  { decide, findKey }: PlaygroundParts,
) {
  const counting = new CountingLimit();
  const findCaller = (asked: PlaygroundRequest) => findSender(operator, ports, findKey, asked);
  const answer = async (surface: AnySurface | undefined, asked: PlaygroundRequest) => {
    const sender = await findCaller(asked);
    if (!surface) throw new Fault("unknown_url", "The playground does not serve this path.");
    const { request, server, set } = asked;
    const own = { route: findPath(request.url), counting, sender };
    const arrival = new Arrival(ports, request, server, set, own);
    return surface.use((one) => openHttp(ports, one)(arrival));
  };
  const answerAt = async (path: string, asked: PlaygroundRequest) => {
    if (path !== DECIDING) return answer(SERVED.get(path), asked);
    const { key } = await findCaller(asked);
    return decide(asked.request, key);
  };
  return new Elysia()
    .post("/admin/v1/playground", (asked) => answer(CHAT, asked), {
      parse: "none",
      query: showsSchema(querySchema),
      ...describeRoute(
        "Chat",
        "playground",
        "Create a chat completion with the console's own key, or a personal one",
        describeResponse("As for `POST /v1/chat/completions`.", Type.Object({})),
        Type.Object({}, { description: "As for `POST /v1/chat/completions`." }),
      ),
    })
    .post("/admin/v1/playground/*", (asked) => answerAt(`/${asked.params["*"]}`, asked), {
      parse: "none",
      query: showsSchema(querySchema),
      ...describeRoute(
        "Beyond chat",
        "playgroundOperation",
        "Run any operation with the console's own key, or a personal one",
        "As for `POST` at the path of the surface, such as `v1/embeddings`, or `v1/route`.",
        Type.Object({}, { description: "As for that path: JSON, or a form with files." }),
      ),
    });
}

async function findAccount(
  { store, clock }: OperatorParts["world"],
  query: Static<typeof querySchema>,
): Promise<string | undefined> {
  const { account: id } = await findFilters({ store, clock }, query, undefined);
  if (id !== undefined && (await store.account(id)) === null)
    throw invalidValue("account", "there is no account with that id");
  return id;
}

/** A personal key's limits hold as for its secret, also the addresses that it may be used from. */
async function findSender(
  operator: OperatorParts,
  { readAddress }: Pick<HttpPorts, "readAddress">,
  findKey: PlaygroundParts["findKey"],
  { request, server, route }: PlaygroundRequest,
): Promise<Caller> {
  const { world } = operator;
  const query = Object.fromEntries(new URL(request.url).searchParams);
  if (query.key === undefined) {
    await checkOperator(operator, { request, server, route }, "playground.use");
    return {
      key: await consoleKey(world, await findAccount(world, readQuery(querySchema, query))),
      proof: null,
    };
  }
  const { access } = await checkOperator(operator, { request, server, route }, "playground.own");
  const { key: given = "", account } = readQuery(querySchema, query);
  if (account !== undefined)
    throw invalidValue("account", "expected none beside a personal key, which has its own");
  const { id } = await openPlaygroundKey(world, given, access);
  const key = await findKey(id);
  const proof = { rotation: key.rotations, address: readAddress(request, server) };
  const refusal = refuseAddress(key, proof);
  if (refusal !== null) throw refusal;
  return { key, proof };
}
