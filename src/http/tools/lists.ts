// Answers what a client asks about the gateway as a server: the start, and the lists. None of it is a request of a row.
import type { ListKind } from "../../tools/merged-list.ts";
import { writeDiscover, writeInitialize } from "../../tools/wire/client-answers.ts";
import { CODES } from "../../tools/wire/eras.ts";
import { writeList } from "../../tools/wire/list-answer.ts";
import { writeResult } from "../../tools/wire/rpc.ts";
import { SESSION_HEADER } from "../../tools/wire/server-request.ts";
import { CountingLimit } from "../door/counting.ts";
import { createJsonResponse, createResponse } from "../serve/answers.ts";
import { RpcRefusal } from "./errors.ts";
import type { Listeners } from "./listeners.ts";
import type { ToolPorts } from "./ports.ts";
import type { ClientRequest } from "./rpc-request.ts";
import { readPass, type ToolViews } from "./view.ts";

/** Lists of a key in a minute, and at once. */
const BOUNDS = { what: "ask for lists of tools", things: "lists of tools", perMinute: 1000, atOnce: 1000 };

export class ToolLists {
  readonly #ports: ToolPorts;
  readonly #views: ToolViews;
  readonly #listeners: Listeners;
  readonly #limit = new CountingLimit(BOUNDS);

  constructor(ports: ToolPorts, views: ToolViews, listeners: Listeners) {
    this.#ports = ports;
    this.#views = views;
    this.#listeners = listeners;
  }

  initialize(request: ClientRequest): Promise<Response> {
    return this.#count(request, () => this.#initialize(request));
  }

  discover(request: ClientRequest): Promise<Response> {
    return this.#count(request, async () => {
      const offer = await this.#makeOffer(request);
      return createJsonResponse(200, writeResult(request.message.id, writeDiscover(offer)));
    });
  }

  list(request: ClientRequest, kind: ListKind): Promise<Response> {
    return this.#count(request, () => this.#list(request, kind));
  }

  /** Answers within the bounds of a key. Rejects with the Fault of one that asks for more. */
  async #count({ caller }: ClientRequest, answer: () => Promise<Response>): Promise<Response> {
    const end = this.#limit.begin(caller.key.id, this.#ports.clock.monotonicMs());
    try {
      return await answer();
    } finally {
      end();
    }
  }

  async #initialize(request: ClientRequest): Promise<Response> {
    const { message, caller } = request;
    const result = writeInitialize(message.params.protocolVersion, await this.#makeOffer(request));
    const session = this.#ports.clientSessions.open(caller.key);
    return createJsonResponse(200, writeResult(message.id, result), { [SESSION_HEADER]: session });
  }

  /** Prompts and resources are only looked for if a server may show some. */
  async #makeOffer({ viewer }: ClientRequest) {
    const { toolServers, version } = this.#ports;
    const servers = this.#views.listServers(viewer);
    const mayHave = servers.some(({ prompts, resources }) => prompts || resources);
    const list = mayHave ? (await this.#views.find(viewer)).list : null;
    const { server } = viewer;
    // The server's own are known once its list is.
    if (server !== null && list === null) await this.#views.find(viewer);
    const instructions =
      server === null ? null : toolServers.findInstructions(server.name, readPass(server, viewer.headers));
    return {
      version,
      hasPrompts: list !== null && list.prompts.size > 0,
      hasResources: list?.hasResources === true,
      canListen: this.#listeners.canListen,
      instructions,
    };
  }

  async #list({ message, era, viewer }: ClientRequest, kind: ListKind): Promise<Response> {
    const { cursor } = message.params;
    if (cursor !== undefined && cursor !== null)
      throw new RpcRefusal(200, message.id, {
        code: CODES.params,
        message: "Unknown cursor: lists have one page.",
      });
    const { list, unavailable } = await this.#views.find(viewer);
    return createResponse(200, Buffer.from(writeList(list, { id: message.id, kind, era, unavailable })));
  }
}
