// The parts of the manual's routes: its files, and this gateway's address for their examples.
import { version } from "../../package.json" with { type: "json" };
import { fillAddress } from "../docs/site/address.ts";
import { findGatewayAddress } from "../http/gateway-address.ts";
import type { HttpPorts } from "../http/ports.ts";
import type { Peers } from "../http/serve/client-address.ts";
import type { RegisteredRoute } from "../http/serve/paths.ts";
import { placeFiles } from "../http/serve/placed-files.ts";
import { loadDocsFiles } from "./build/page-files.ts";

export function createDocsParts(
  { server, readOrigin }: Pick<HttpPorts, "server" | "readOrigin">,
  routes: () => readonly RegisteredRoute[],
) {
  const { basePath } = server;
  return {
    load: placeFiles(loadDocsFiles, basePath),
    fill: fillAddress,
    findAddress: (request: Request, peers: Peers | null) =>
      findGatewayAddress(server, request.url, readOrigin(request, peers).isSecure),
    routes,
    described: { version, basePath },
  };
}
