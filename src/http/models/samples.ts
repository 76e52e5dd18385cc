// /admin/v1/samples: models answer the same prompts under a cost cap, and scores of the answers are learned.
import { Elysia } from "elysia";
import {
  askSampleSchema,
  judgedSchema,
  judgeSampleSchema,
  planSampleSchema,
  type Sampling,
  sampledSchema,
  samplePlanSchema,
  scoredSchema,
  scoreSampleSchema,
} from "../../admin/models/sampling.ts";
import { createOperatorHooks, type WritingParts } from "../admin-route.ts";
import { returnsBody, takesBody } from "../openapi/route-schema.ts";
import { readOperator } from "../people/operator.ts";

export function sampleRoutes(operator: WritingParts, sampling: Sampling) {
  const { writes } = createOperatorHooks(operator, "Sampling");
  return new Elysia({ prefix: "/admin/v1/samples" })
    .post(
      "/plan",
      async ({ body, status, request }) =>
        status(201, await sampling.plan(body, readOperator(request).access)),
      {
        ...writes(
          "learning.write",
          "planSample",
          "Pick prompts and models for a sample, with the expected cost",
        ),
        body: takesBody(planSampleSchema),
        response: { 201: returnsBody(samplePlanSchema) },
      },
    )
    .post("/ask", async ({ body, status }) => status(201, await sampling.ask(body)), {
      ...writes(
        "learning.write",
        "askSample",
        "Have each model answer a prompt, in random order and without names",
      ),
      body: takesBody(askSampleSchema),
      response: { 201: returnsBody(sampledSchema) },
    })
    .post("/judge", async ({ body, status }) => status(201, await sampling.judge(body)), {
      ...writes("learning.write", "judgeSample", "Have a model score the answers, in both orders"),
      body: takesBody(judgeSampleSchema),
      response: { 201: returnsBody(judgedSchema) },
    })
    .post("/scores", async ({ body, status }) => status(201, await sampling.score(body)), {
      ...writes("learning.write", "scoreSample", "Learn scores of the answers, and reveal their models"),
      body: takesBody(scoreSampleSchema),
      response: { 201: returnsBody(scoredSchema) },
    });
}
