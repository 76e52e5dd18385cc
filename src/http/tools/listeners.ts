// Clients that listen for changes of their lists: of what servers show, and of what the key may use.
import { Fault, toFault } from "../../core/faults/fault.ts";
import { asObject, type JsonObject } from "../../core/json/json.ts";
import { logBug } from "../../core/world/bug.ts";
import type { MergedList } from "../../tools/merged-list.ts";
import { META } from "../../tools/wire/eras.ts";
import { type RpcId, writeNotification, writeResult } from "../../tools/wire/rpc.ts";
import type { Arrival } from "../door/arrival.ts";
import { identifyCaller } from "../serve/auth.ts";
import { EventChannel } from "./events.ts";
import type { ToolPorts } from "./ports.ts";
import type { ClientRequest } from "./rpc-request.ts";
import type { ToolViews, Viewer } from "./view.ts";

/** A change is noticed within this time. */
const CHECK_MS = 1000;

const LISTS = ["tools", "prompts", "resources"] as const;
type ListName = (typeof LISTS)[number];

/** One client's stream. */
interface Listener {
  readonly arrival: Arrival;
  readonly viewer: Viewer;
  readonly channel: EventChannel;
  /** The lists that it wants to hear of. */
  readonly wanted: ReadonlySet<ListName>;
  /** The request that opened it. Null for older clients, which have one stream for everything. */
  readonly subscription: RpcId | null;
  /** The lists that its client saw last. */
  seen: MergedList;
}

type ListenerPorts = Pick<
  ToolPorts,
  | (
      | "toolRules"
      | "streamsMax"
      | "toolServers"
      | "toolLevels"
      | "clock"
      | "deadlines"
      | "server"
      | "log"
      | "draining"
    )
  | ("authenticate" | "readAddress" | "secretShapes")
>;

export class Listeners {
  readonly #ports: ListenerPorts;
  readonly #views: ToolViews;
  readonly #open = new Set<Listener>();
  #end: (() => void) | null = null;
  #isChecking = false;

  constructor(ports: ListenerPorts, views: ToolViews) {
    this.#ports = ports;
    this.#views = views;
  }

  get count(): number {
    return this.#open.size;
  }

  get canListen(): boolean {
    return (this.#ports.toolRules()?.streamsMax ?? 0) > 0;
  }

  openOlder(arrival: Arrival, viewer: Viewer): Promise<Response> {
    return this.#listen({ arrival, viewer, wanted: new Set(LISTS), subscription: null });
  }

  async openNewer({ arrival, viewer, message }: ClientRequest): Promise<Response> {
    const asked = asObject(message.params.notifications);
    const wanted = LISTS.filter((name) => asked[`${name}ListChanged`] === true);
    const granted = Object.fromEntries(wanted.map((name) => [`${name}ListChanged`, true]));
    const first = mark({ notifications: granted }, message.id);
    const listener = { arrival, viewer, wanted: new Set(wanted), subscription: message.id };
    return this.#listen(listener, writeNotification("notifications/subscriptions/acknowledged", first));
  }

  /** Ends all streams. */
  endAll(): void {
    for (const listener of this.#open) this.#close(listener);
  }

  async #listen(given: Omit<Listener, "channel" | "seen">, first?: JsonObject): Promise<Response> {
    const { streamsMax, deadlines, server, draining } = this.#ports;
    if (this.#open.size >= streamsMax() || draining()) throw refuseStream();
    const { arrival } = given;
    const { list } = await this.#views.find(given.viewer);
    const parts = { deadlines, keepAliveMs: server.keepAliveMs };
    const channel = new EventChannel({ ...parts, onLeft: () => this.#leave(listener) });
    const listener: Listener = { ...given, channel, seen: list };
    this.#open.add(listener);
    this.#start();
    arrival.server?.timeout(arrival.request, 0);
    // Losing the connection before the body is first read doesn't cancel the stream.
    arrival.request.signal.onabort = () => channel.cancel();
    if (first !== undefined) channel.send(JSON.stringify(first));
    return channel.respond({});
  }

  #start(): void {
    if (this.#end !== null) return;
    const { clock, toolServers } = this.#ports;
    const look = () => void this.#check();
    const ends = [clock.every(CHECK_MS, look), toolServers.hear(look), toolServers.watch()];
    this.#end = () => {
      for (const end of ends) end();
    };
  }

  #leave(listener: Listener): void {
    this.#open.delete(listener);
    listener.arrival.request.signal.onabort = null;
    if (this.#open.size > 0) return;
    this.#end?.();
    this.#end = null;
  }

  #close(listener: Listener): void {
    const { subscription, channel } = listener;
    const last =
      subscription === null
        ? null
        : writeResult(subscription, mark({ resultType: "complete" }, subscription));
    channel.end(last === null ? undefined : JSON.stringify(last));
    this.#leave(listener);
  }

  /** Looks at what each client would see now. One look at a time. */
  async #check(): Promise<void> {
    if (this.#isChecking) return;
    this.#isChecking = true;
    try {
      for (const listener of this.#open) {
        if (this.#ports.draining() || !this.canListen) this.#close(listener);
        else await this.#look(listener);
      }
    } finally {
      this.#isChecking = false;
    }
  }

  async #look(listener: Listener): Promise<void> {
    try {
      const { key } = await identifyCaller(this.#ports, listener.arrival);
      const levels = await this.#ports.toolLevels(key);
      const { server: before } = listener.viewer;
      // A reload may have changed the server, or taken it away.
      const server = before && this.#views.findServer(before.name, levels);
      if (before !== null && server === null) {
        this.#close(listener);
        return;
      }
      const { list } = await this.#views.find({ ...listener.viewer, key, levels, server });
      const { seen } = listener;
      if (seen === list) return;
      listener.seen = list;
      for (const name of listener.wanted) if (isOther(seen, list, name)) this.#tell(listener, name);
    } catch (thrown) {
      // A store that can't be used proves nothing about the key.
      if (toFault(thrown).row.blame === "client") this.#close(listener);
      else logBug(this.#ports, thrown);
    }
  }

  #tell({ channel, subscription }: Listener, name: ListName): void {
    const params = subscription === null ? {} : mark({}, subscription);
    channel.send(JSON.stringify(writeNotification(`notifications/${name}/list_changed`, params)));
  }
}

function mark(params: JsonObject, subscription: RpcId): JsonObject {
  return { ...params, _meta: { [META.subscription]: subscription } };
}

function isOther(before: MergedList, after: MergedList, name: ListName): boolean {
  const isSame = Buffer.compare(before.write(name, "newer"), after.write(name, "newer")) === 0;
  if (!isSame || name !== "resources") return !isSame;
  const templates = (list: MergedList) => list.write("resourceTemplates", "newer");
  return Buffer.compare(templates(before), templates(after)) !== 0;
}

/** Clients take it: they ask again from time to time. */
export function refuseStream(): Fault {
  const message = "There is no stream to listen to here without a session, or no more of them may be open.";
  return new Fault("method_not_supported", message, { allow: "POST" });
}
