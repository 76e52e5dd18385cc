// The actions on plain things.
import type { PlainThing } from "../../core/things/plain.ts";
import { actAs } from "../audit/audit-trail.ts";
import { wrapRows } from "../schema.ts";
import type { AdminWorld } from "../world.ts";
import {
  changePlain,
  createPlain,
  endPlain,
  getPlain,
  listPlain,
  makePlainSchemas,
  plainQuery,
} from "./plain.ts";
import { showMade, showView, takeBody, takePath, takeQuery, type Uses } from "./use.ts";

export function makePlainUses(world: AdminWorld, thing: PlainThing): Uses<PlainThing> {
  const { view, made, change } = makePlainSchemas(thing);
  return {
    list: takeQuery(plainQuery, showView(wrapRows(view)), (query, { scope }) =>
      listPlain(world, thing, query, scope),
    ),
    read: takePath(showView(view), ({ id, scope }) => getPlain(world, thing, id, scope)),
    make: takeBody(made, showMade(view), (body, { act, access }) =>
      createPlain(actAs(world, act), thing, body, access),
    ),
    change: takeBody(change, showView(view), (body, { act, id, access }) =>
      changePlain(actAs(world, act), thing, id, body, access),
    ),
    end: takePath(showView(view), ({ act, id, access }) => endPlain(actAs(world, act), thing, id, access)),
  };
}
