// Counts what requests cost a gateway: their objects, promises, statements and system calls.
import { countObjects, countStatements, type Request } from "./costs.ts";
import type { Counts } from "./judging.ts";
import type { MeasuredGateway } from "./measured-gateway.ts";
import { countSystemCalls } from "./system-calls.ts";

type ListRequests = (gateway: MeasuredGateway) => Promise<readonly Request[]>;

/**
 * Returns the counts of each request by its name. System calls are counted in a gateway of their own, since all requests
 * together bring about a checkpoint, whose calls another thread makes for many requests.
 */
export async function measureRequests(
  start: () => Promise<MeasuredGateway>,
  listRequests: ListRequests,
): Promise<ReadonlyMap<string, Counts>> {
  const counted = await measureIn(start, listRequests, countMade);
  const calls = await measureIn(start, listRequests, countSystemCalls);
  if (typeof calls === "string") console.log(`System calls are not counted: ${calls}.`);
  const called = typeof calls === "string" ? null : calls;
  return new Map([...counted].map(([name, counts]) => [name, { ...counts, ...called?.get(name) }]));
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

/** Counts objects, promises and statements. */
async function countMade(
  gateway: MeasuredGateway,
  requests: readonly Request[],
): Promise<ReadonlyMap<string, Counts>> {
  const counted = new Map<string, Counts>();
  for (const request of requests) counted.set(request.name, await countObjects(gateway, request));
  await gateway.ask("count");
  for (const request of requests) {
    const statements = await countStatements(gateway, request);
    counted.set(request.name, { ...counted.get(request.name), ...statements });
  }
  return counted;
}
