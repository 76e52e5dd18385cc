// Events and nearly used budgets, as decisions have written them; each event is taken by one process to be logged. Those
// of the audit log are chained instead.
import { AUDIT_EVENT, type StoredEvent } from "../../core/events/events.ts";
import type { Store } from "../../core/store.ts";
import { readText } from "../columns/found.ts";
import { bind, type Engine } from "../engine/engine.ts";
import { composeAddEvent } from "../engine/recording.ts";
import { narrowToScope, OWNER_ROWS } from "../engine/scope.ts";
import { selectSql } from "../engine/sql.ts";
import { EVENT } from "../schema/tables.ts";
import { composeAddDelivery } from "./webhooks.ts";

export function outboxMethods({ mark, run, runOnce, runAll }: Engine) {
  const first = mark(1);
  const second = mark(2);
  const third = mark(3);
  const waiting = `${selectSql(EVENT)} WHERE logged_at_ms IS NULL AND type <> '${AUDIT_EVENT}' ORDER BY at_ms LIMIT ${first}`;
  const take = `UPDATE event SET logged_at_ms = ${first}
    WHERE account_id = ${second} AND id = ${third} AND logged_at_ms IS NULL`;
  const add = composeAddEvent(mark);
  const addDelivery = composeAddDelivery(mark);
  const nearing = {
    head: `SELECT account_id, owner FROM slot
      WHERE near_share IS NOT NULL AND (near_until_ms IS NULL OR near_until_ms > ${first})`,
    tail: `ORDER BY near_share DESC LIMIT ${second}`,
    rows: OWNER_ROWS,
  };
  return {
    nearing: async (nowMs, most, scope) => {
      const lookup = { ...nearing, values: [nowMs, most] };
      return (await run(narrowToScope(lookup, scope, mark))).map((found) => ({
        accountId: readText(found, "account_id"),
        owner: readText(found, "owner"),
      }));
    },
    addEvents: (events) => runAll(events.map((event) => bind(add, ...EVENT.valuesOf(event)))),
    takeEvents: async (nowMs, most, route) => {
      const taken: StoredEvent[] = [];
      for (const event of (await run(bind(waiting, most))).map(EVENT.rowOf)) {
        const deliveries = ((await route?.(event)) ?? []).map(addDelivery);
        const { count } = await runOnce(bind(take, nowMs, event.accountId, event.id), ...deliveries);
        if (count > 0) taken.push(event);
      }
      return taken;
    },
  } satisfies Partial<Store>;
}
