// Counts what requests cost a gateway: their objects, promises, statements and system calls.
import { countObjects, countStatements, type Request } from "./costs.ts";
import type { Counts } from "./judging.ts";
import type { MeasuredGateway } from "./measured-gateway.ts";
import { countSystemCalls } from "./system-calls.ts";

/** Returns the counts of each request by its name. Stops the gateway. */
export async function measureRequests(
  gateway: MeasuredGateway,
  listRequests: (gateway: MeasuredGateway) => Promise<readonly Request[]>,
): Promise<ReadonlyMap<string, Counts>> {
  try {
    const requests = await listRequests(gateway);
    const objects = new Map<string, Counts>();
    for (const request of requests) objects.set(request.name, await countObjects(gateway, request));
    await gateway.ask("count");
    const statements = new Map<string, Counts>();
    for (const request of requests) statements.set(request.name, await countStatements(gateway, request));
    const calls = await countSystemCalls(gateway, requests);
    if (typeof calls === "string") console.log(`System calls are not counted: ${calls}.`);
    const take = ({ name }: Request): Counts => ({
      ...objects.get(name),
      ...statements.get(name),
      ...(typeof calls === "string" ? {} : calls.get(name)),
    });
    return new Map(requests.map((request) => [request.name, take(request)]));
  } finally {
    await gateway.stop();
  }
}
