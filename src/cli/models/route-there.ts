// `poundkey route` at a gateway: the choice that it would make now, what it has learned, and samples that its models answer.
import { forgottenSchema, learnedSchema } from "../../admin/models/lessons.ts";
import {
  judgedSchema,
  type Sampling,
  sampledSchema,
  samplePlanSchema,
  scoredSchema,
} from "../../admin/models/sampling.ts";
import { routeSchema } from "../../selectors/route-view.ts";
import { formatJson } from "../administration.ts";
import { type Arguments, UsageError } from "../arguments.ts";
import { makePageReader, makeReader } from "../gateway/ask.ts";
import type { Gateway } from "../gateway/gateway.ts";
import { type LessonCall, printForgotten, printLearned } from "./lessons.ts";
import { formatChoice } from "./route-text.ts";
import { sampleThere } from "./sample.ts";

interface RouteThereCall extends Arguments, LessonCall {}

const here = () => Promise.reject(new Error("There is no store here."));

/** The header that steers a choice as a flag does. */
const HEADERS = {
  quality: "x-poundkey-quality",
  "max-cost": "x-poundkey-max-cost",
  "max-ms": "x-poundkey-max-ms",
  allow: "x-poundkey-allow",
} as const;

/** Shows the choice for the console's own key, with the providers' health and speeds of now. `body` is a chat completion's. */
export async function showThere(
  { values, json, io }: RouteThereCall,
  gateway: Gateway,
  body: object,
): Promise<void> {
  const given = Object.entries(HEADERS).flatMap(([flag, header]) => {
    const value = values.get(flag);
    return value === undefined ? [] : [[header, value]];
  });
  const view = await gateway.ask({
    route: { method: "POST", path: "/playground/v1/route" },
    body,
    headers: Object.fromEntries(given),
    read: makeReader(routeSchema),
    here,
  });
  io.out(json ? formatJson(view) : formatChoice(view, []));
}

export async function actThere(call: RouteThereCall, gateway: Gateway, action: string): Promise<void> {
  if (action === "learned") return showLearnedThere(call, gateway);
  if (action === "forget") return forgetThere(call, gateway, call.words[0]);
  if (action === "sample") return sampleThere(call, makeSampling(gateway));
  throw new UsageError(`--${action} works on a store alone: it takes --store, and no --gateway`);
}

async function showLearnedThere(call: RouteThereCall, gateway: Gateway): Promise<void> {
  const read = makePageReader(makeReader(learnedSchema));
  const { data } = await gateway.ask({ route: { method: "GET", path: "/learned" }, read, here });
  printLearned(data, call);
}

async function forgetThere(call: RouteThereCall, gateway: Gateway, model: string | undefined): Promise<void> {
  const route = { method: "DELETE", path: "/learned" };
  const done = await gateway.ask({ route, query: { model }, read: makeReader(forgottenSchema), here });
  printForgotten(call, done, model);
}

function makeSampling(gateway: Gateway): Sampling {
  const route = (step: string) => ({ method: "POST", path: `/samples/${step}` });
  return {
    plan: (body) => gateway.ask({ route: route("plan"), body, read: makeReader(samplePlanSchema), here }),
    ask: (body) => gateway.ask({ route: route("ask"), body, read: makeReader(sampledSchema), here }),
    judge: (body) => gateway.ask({ route: route("judge"), body, read: makeReader(judgedSchema), here }),
    score: (body) => gateway.ask({ route: route("scores"), body, read: makeReader(scoredSchema), here }),
  };
}
