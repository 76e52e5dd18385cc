// A store, a provider and a payer, for nodes of different programs that serve one beside the other and take each other's place.
import { type Simulator, startSimulator } from "../../simulator/server.ts";
import { until } from "../../whole/world/until.ts";
import { makePricedYaml, readWhole, type Whole } from "./cluster.ts";
import { type GatewayProcess, post, startGatewayProcess } from "./gateway.ts";

const CLIENTS = 3;
const PACED = "paced~latency=250";
const SLOW = "slow~latency=1500";
/** They last longer than the three seconds after which a running node looks at the store's version again. */
const TURNS = 17;
const FEW_TURNS = 5;

export interface Place {
  readonly store: string;
  remove(): unknown;
}

export interface Node {
  readonly url: string;
  stop(): Promise<void>;
}

interface Asking {
  readonly model?: string;
  readonly turns?: number;
  readonly isOver?: () => boolean;
}

export class Walk {
  /** The answers that clients got whole. */
  readonly whole: Whole[] = [];
  asked = 0;
  /** The payer's key. */
  secret = "";
  readonly #place: Place;
  readonly #more: string;
  readonly #simulator: Simulator;
  readonly #running = new Set<GatewayProcess>();
  readonly #troubles = new Set<string>();

  private constructor(place: Place, more: string, simulator: Simulator) {
    this.#place = place;
    this.#more = more;
    this.#simulator = simulator;
  }

  /** `more` is YAML of further sections of every node's configuration. */
  static async on(place: Place, more = ""): Promise<Walk> {
    return new Walk(place, more, await startSimulator({ port: 0 }));
  }

  /** Starts today's program, or another, and waits until it is ready. */
  async start(program?: readonly string[]): Promise<Node> {
    const { url: simulatorUrl } = this.#simulator;
    const more = `${makePricedYaml(simulatorUrl, [PACED, SLOW])}\n${this.#more}`;
    const started = startGatewayProcess({
      store: this.#place.store,
      simulatorUrl,
      more,
      ...(program && { program }),
    });
    this.#running.add(started);
    void started.ended.then(() => this.#running.delete(started));
    const url = await started.url;
    await until("a node is ready", async () => (await fetch(`${url}/readyz`)).status === 200);
    return { url, stop: started.stop };
  }

  /** Starts a node while another one serves. */
  async startBeside(serving: Node, program?: readonly string[]): Promise<Node> {
    let isReady = false;
    const starting = this.start(program).finally(() => {
      isReady = true;
    });
    const [started] = await Promise.all([starting, this.ask([serving], { isOver: () => isReady })]);
    return started;
  }

  /** Stops a node at which requests run, while another one serves. */
  async stopBeside(leaving: Node, staying: Node): Promise<void> {
    const { calls } = this.#simulator;
    const before = calls.total;
    const running = this.ask([leaving], { model: SLOW, turns: 1 });
    const areThere = () => calls.total >= before + CLIENTS || this.#troubles.size > 0;
    await until("the requests are at the provider", areThere);
    await Promise.all([leaving.stop(), running, this.ask([staying], { turns: FEW_TURNS })]);
    await this.ask([staying], { turns: FEW_TURNS });
  }

  /** Each client asks the nodes in turn, every second time for a stream. */
  async ask(nodes: readonly Node[], { model = PACED, turns = TURNS, isOver }: Asking = {}): Promise<void> {
    const client = async (number: number) => {
      for (let turn = 0; turn < turns && isOver?.() !== true; turn++) {
        const url = nodes[(number + turn) % nodes.length]?.url ?? "";
        await this.#askOne(url, model, (number + Math.floor(turn / nodes.length)) % 2 === 0);
      }
    };
    await Promise.all(Array.from({ length: CLIENTS }, (_, number) => client(number)));
  }

  async #askOne(url: string, name: string, stream: boolean): Promise<void> {
    const messages = [{ role: "user", content: "say: hello" }];
    const asked = { model: `Acme#${name}`, stream, max_tokens: 50, messages };
    this.asked++;
    try {
      const answer = await post(`${url}/v1/chat/completions`, this.secret, asked);
      const text = await answer.text();
      const id = answer.ok ? readWhole(text, stream) : null;
      if (id === null) this.#troubles.add(`${answer.status} ${text}`);
      else this.whole.push({ id, key: null });
    } catch (error) {
      this.#troubles.add(String(error));
    }
  }

  /** Returns what clients got in the place of answers since this was last asked. */
  takeTroubles(): readonly string[] {
    const taken = [...this.#troubles];
    this.#troubles.clear();
    return taken;
  }

  async remove(): Promise<void> {
    const left = [...this.#running];
    for (const { pid } of left) process.kill(pid, "SIGKILL");
    await Promise.all(left.map(({ ended }) => ended));
    await this.#simulator.stop();
    await this.#place.remove();
  }
}
