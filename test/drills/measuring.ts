// Counts what requests cost a gateway: their objects, promises, statements and system calls.
import { countObjects, countStatements, type Request } from "./costs.ts";
import type { Counts } from "./judging.ts";
import type { MeasuredGateway } from "./measured-gateway.ts";
import { countSystemCalls } from "./system-calls.ts";

type ListRequests = (gateway: MeasuredGateway) => Promise<readonly Request[]>;

/**
 * Returns the counts of each request by its name. Each kind of count has a gateway of its own: all requests together would bring
 * about a checkpoint of the log, whose calls another thread makes for many requests. After it, rows are read again.
 */
export async function measureRequests(
  start: () => Promise<MeasuredGateway>,
  listRequests: ListRequests,
): Promise<ReadonlyMap<string, Counts>> {
  const made = await measureIn(start, listRequests, (gateway, requests) =>
    countEach(requests, (request) => countObjects(gateway, request)),
  );
  const run = await measureIn(start, listRequests, async (gateway, requests) => {
    await gateway.ask("count");
    return countEach(requests, (request) => countStatements(gateway, request));
  });
  const calls = await measureIn(start, listRequests, countSystemCalls);
  if (typeof calls === "string") console.log(`System calls are not counted: ${calls}.`);
  const called = typeof calls === "string" ? null : calls;
  return new Map(
    [...made].map(([name, counts]) => [name, { ...counts, ...run.get(name), ...called?.get(name) }]),
  );
}

/** Stops the gateway afterwards. */
async function measureIn<Result>(
  start: () => Promise<MeasuredGateway>,
  listRequests: ListRequests,
  measure: (gateway: MeasuredGateway, requests: readonly Request[]) => Promise<Result>,
): Promise<Result> {
  const gateway = await start();
  try {
    return await measure(gateway, await listRequests(gateway));
  } finally {
    await gateway.stop();
  }
}

async function countEach(
  requests: readonly Request[],
  count: (request: Request) => Promise<Counts>,
): Promise<ReadonlyMap<string, Counts>> {
  const counted = new Map<string, Counts>();
  for (const request of requests) counted.set(request.name, await count(request));
  return counted;
}
