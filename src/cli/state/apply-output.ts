// The output of `poundkey apply`: text while it happens, or JSON at its end.
import type { Io } from "../../app/terminal.ts";
import { showProgress } from "../../app/workers/progress.ts";
import { countPlan, describePlan } from "../../moving/state/describe.ts";
import type { ChangeOutline, MadeSecret, PlanOutline } from "../../moving/state/draft.ts";
import { formatJson } from "../administration.ts";
import type { PlannedState } from "./planned.ts";
import type { SecretsFile, StateText } from "./state-file.ts";

export interface ApplyOptions {
  readonly file: string;
  readonly isPlan: boolean;
  readonly isPruning: boolean;
  readonly isJson: boolean;
  /** True if the changes may stop nodes of older programs. */
  readonly stopsOlder: boolean;
  readonly yes: number | undefined;
  readonly secrets: string | undefined;
}

export class ApplyOutput {
  readonly #io: Io;
  readonly #asked: ApplyOptions;
  readonly #given: ReadonlySet<string | null>;
  readonly #file: SecretsFile | null;
  readonly #made: MadeSecret[] = [];

  constructor(io: Io, asked: ApplyOptions, { state }: StateText, file: SecretsFile | null) {
    this.#io = io;
    this.#asked = asked;
    this.#given = new Set([...state.accounts, ...state.keys, ...state.tokens].map(({ id }) => id));
    this.#file = file;
  }

  printPlan(plan: PlanOutline): void {
    const text = describePlan(plan);
    if (!this.#asked.isJson && text !== "") this.#io.out(text);
  }

  /** Prints what was made, and throws the error that ended it early. */
  async perform({ outline, perform }: PlannedState): Promise<void> {
    const { changes, removals } = outline;
    const performed = await showProgress(
      { what: "making changes", all: changes.length + removals.length },
      (progress) => perform({ keep: (made) => this.#keep(made), onChange: () => progress.add() }),
    );
    this.#file?.close();
    this.printResult({ ...outline, changes: performed.changes, removals: performed.removals });
    if (performed.error !== null) throw performed.error;
  }

  #keep(made: MadeSecret): void {
    const { id, name, secret } = made;
    if (this.#file) this.#file.write(made);
    else if (this.#asked.isJson) this.#made.push(made);
    else this.#io.out(`${secret}\n\n${id} (${name}). The secret won't be shown again.\n`);
  }

  printResult(plan: PlanOutline): void {
    const { isPlan, isJson } = this.#asked;
    if (!isJson) {
      this.#io.out(countPlan(plan, !isPlan));
      return;
    }
    const { changes, removals, kept, unchanged, others, olderNodes } = plan;
    const made = this.#made.map(({ accountId, ...one }) => ({ ...one, account_id: accountId }));
    const isNew = ({ kind, action, id }: ChangeOutline) =>
      kind === "account" && action === "account.created" && isPlan && !this.#given.has(id);
    const news = new Map(changes.filter(isNew).map(({ id, name }) => [id, name]));
    const all = [...changes, ...removals].map((change) => this.#showChange(change, news));
    const stays = kept.map(({ kind, ...one }) => ({ type: kind, ...one }));
    const secrets = this.#made.length === 0 ? {} : { secrets: made };
    const stops = olderNodes.length === 0 ? {} : { older_nodes: olderNodes };
    const counts = { unchanged, others, ...stops };
    this.#io.out(formatJson({ applied: !isPlan, changes: all, kept: stays, ...counts, ...secrets }));
  }

  /** The ids of what is still to be made are only known if the file gives them: `news` are the names of such accounts. */
  #showChange(change: ChangeOutline, news: ReadonlyMap<string, string>): object {
    const { action, kind, id, name, account, before, after, isDrift } = change;
    const isMade = !this.#asked.isPlan || !action.endsWith(".created") || this.#given.has(id);
    const shownId = isMade || kind === "alias" ? id : null;
    const nameNew = (_field: string, value: unknown) =>
      typeof value === "string" ? (news.get(value) ?? value) : value;
    const shownAfter: unknown = JSON.parse(JSON.stringify(after, nameNew));
    return { action, type: kind, id: shownId, name, account, before, after: shownAfter, drift: isDrift };
  }
}
