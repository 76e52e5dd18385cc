// The people beside a flood: their answers, alerts and sign-ins go on.
import { signInAs } from "../people/sign-in/world.ts";
import { until } from "../whole/world/until.ts";

const ALERT_MAX_MS = 15_000;

/** The ways into the gateway that is flooded. */
interface Doors {
  /** Its public address. */
  readonly url: string;
  /** The times at which a receiver has got an alert. */
  readonly alerts: readonly number[];
  /** Asks a model. Returns the status. */
  chat(secret: string): Promise<number>;
  admin(
    method: string,
    path: string,
    body: object,
  ): Promise<{ readonly body: Readonly<Record<string, unknown>> }>;
}

/** The others: answers, alerts and sign-ins, until they are stopped. */
export class Others {
  readonly times: number[] = [];
  readonly wrong: string[] = [];
  alertMs = 0;
  signIns = 0;
  #isOver = false;
  readonly #doors: Doors;
  readonly #running: Promise<unknown>;

  constructor(doors: Doors, bearer: string) {
    this.#doors = doors;
    this.#running = Promise.all([this.#chat(bearer), this.#alert(), this.#signIn()]);
  }

  async #chat(bearer: string): Promise<void> {
    while (!this.#isOver) {
      const beganMs = performance.now();
      const status = await this.#doors.chat(bearer);
      this.times.push(performance.now() - beganMs);
      if (status !== 200) this.wrong.push(`an answer is ${status}`);
      await Bun.sleep(25);
    }
  }

  async #alert(): Promise<void> {
    for (let at = 0; !this.#isOver; at++) {
      const budgets = [{ usd: 0.5, per: "day", warn: [0.01] }];
      const { body } = await this.#doors.admin("POST", "/keys", {
        name: `alert ${Date.now()} ${at}`,
        budgets,
      });
      const { alerts } = this.#doors;
      const had = alerts.length;
      const beganMs = Date.now();
      await this.#doors.chat(String(body.secret));
      const came = await until("an alert", () => alerts.length > had, ALERT_MAX_MS).catch(() => null);
      if (came === null) this.wrong.push(`an alert didn't come within ${ALERT_MAX_MS} ms`);
      this.alertMs = Math.max(this.alertMs, Date.now() - beganMs);
      await Bun.sleep(2000);
    }
  }

  async #signIn(): Promise<void> {
    while (!this.#isOver) {
      const status = await signInAs({ url: this.#doors.url }, "ann").then(
        ({ page }) => page.status,
        (error: unknown) => String(error).slice(0, 100),
      );
      if (status === 200) this.signIns++;
      else this.wrong.push(`a sign-in is ${status}`);
      await Bun.sleep(2000);
    }
  }

  async stop(): Promise<void> {
    this.#isOver = true;
    await this.#running;
  }
}
