// A gateway on which everything is paid for, on a PostgreSQL store that fails, with a view of its books.
import { asNumber, asObject, parseJson } from "../../../src/core/json/json.ts";
import { decide } from "../../../src/ledger/decide.ts";
import { openPostgresStore } from "../../../src/store/postgres/store.ts";
import { findErrors } from "../../ledger/payments.ts";
import { type Simulator, startSimulator } from "../../simulator/server.ts";
import { until } from "../../whole/world/until.ts";
import { operate, post, startGatewayProcess } from "./gateway.ts";

const PRICED = "context: 128000, output: 4096, price: { input: 1, output: 2 }";
/** Answers at once. */
export const QUICK = "Acme#quick";
/** Answers after a delay, during which other events can happen. */
export const SLOW = "Acme#slow~latency=700";
const USD = 100;

export interface Answered {
  readonly status: number;
  readonly code: unknown;
  readonly retryAfter: string | null;
  /** The charge stated in the answer, in USD. */
  readonly charged: number;
}

export interface Payer {
  readonly secret: string;
  readonly accountId: string;
}

export interface PaidGateway {
  readonly simulator: Simulator;
  /** Makes a payer once the store serves: on a busy machine the first demands to a new database may time out. */
  payer(): Promise<Payer>;
  chat(payer: Payer, model?: string): Promise<Answered>;
  status(path: "/readyz" | "/healthz"): Promise<number>;
  /** The kinds of an account's movements, oldest first. */
  kinds(payer: Payer): Promise<string>;
  /**
   * The errors of the books once nothing is held: wrong sums, an upstream call without a request's row, and a
   * difference between the payer's balance and the costs stated in the answers.
   */
  wrong(payer: Payer, answers: readonly Answered[]): Promise<readonly string[]>;
  stop(): Promise<void>;
}

/** `store` is the gateway's URL of the database, `direct` the one for reading the books. */
export async function startPaidGateway(store: string, direct: string): Promise<PaidGateway> {
  const simulator = await startSimulator({ port: 0 });
  const names = [QUICK, SLOW].map((id) => `{ name: "${id.split("#")[1]}", ${PRICED} }`).join(", ");
  const provider = `  Acme: { dialect: openai, keys: ["sim-key"], base_url: "${simulator.url}/openai/v1", models: [${names}] }`;
  const more = `${provider}\nbilling: { charge: always }`;
  const gateway = startGatewayProcess({ store, simulatorUrl: simulator.url, more });
  const url = await gateway.url;

  async function kinds({ accountId }: Payer): Promise<string> {
    return looking(direct, async (books) => {
      const entries = await books.journals.entries(accountId, { limit: 100, after: null });
      return entries
        .map(({ kind }) => kind)
        .toReversed()
        .join(" ");
    });
  }

  return {
    simulator,
    kinds,
    payer: () => until("a payer is made", () => makePayer(url).catch(() => null)),
    async chat({ secret }, model = QUICK) {
      const asked = { model, max_tokens: 50, messages: [{ role: "user", content: "say: hello" }] };
      const answer = await post(`${url}/v1/chat/completions`, secret, asked);
      const body = asObject(parseJson(await answer.text()));
      return {
        status: answer.status,
        code: asObject(body.error).code,
        retryAfter: answer.headers.get("retry-after"),
        charged: asNumber(asObject(body.usage).charged) ?? 0,
      };
    },
    status: async (path) => (await fetch(`${url}${path}`)).status,
    wrong: ({ accountId }, answers) =>
      looking(direct, async (books) => {
        await until("nothing is held", async () => (await books.audit()).held === 0n, 10_000);
        const wrong = [...findErrors(await books.audit())];
        const rows = await books.requests({}, { limit: 10_000, after: null });
        const called = rows.filter(({ modelUsed }) => modelUsed !== null).length;
        if (called !== simulator.calls.total)
          wrong.push(`${simulator.calls.total} upstream calls, ${called} recorded`);
        const balance = (await books.account(accountId))?.balanceNanoUsd;
        const due = answers.reduce((sum, { charged }) => sum - charged, USD);
        if (balance !== Math.round(due * 1e9)) wrong.push(`the balance is ${balance}, not ${due} USD`);
        return wrong;
      }),
    async stop() {
      await gateway.stop();
      await simulator.stop();
    },
  };
}

async function makePayer(url: string): Promise<Payer> {
  const { id: accountId } = await operate(url, "/accounts", { name: "payer" });
  await operate(url, `/accounts/${accountId}/topups`, { amount_usd: USD });
  const { secret } = await operate(url, "/keys", { name: "payer", account_id: accountId });
  return { secret: String(secret), accountId: String(accountId) };
}

type Books = Awaited<ReturnType<typeof openPostgresStore>>;

async function looking<T>(url: string, look: (books: Books) => Promise<T>): Promise<T> {
  const books = await openPostgresStore({ url, decide });
  try {
    return await look(books);
  } finally {
    await books.close();
  }
}
