// The store's methods that are the same on both engines.
import { bookMethods } from "./books.ts";
import { consoleMethods } from "./console.ts";
import type { Engine } from "./engine.ts";
import { accountMethods, keyMethods } from "./keys.ts";
import { lessonMethods } from "./lessons.ts";
import { movingMethods } from "./moving.ts";
import { namedMethods } from "./named.ts";
import { outboxMethods } from "./outbox.ts";
import { peopleMethods } from "./people.ts";
import { refusalMethods } from "./refusals.ts";
import { settingMethods } from "./settings.ts";
import { responseMethods } from "./stored-responses.ts";

/** `ofRows` is for changes to rows that decisions depend on. */
export function engineMethods(engine: Engine, ofRows = engine) {
  return {
    ...keyMethods(ofRows),
    ...accountMethods(ofRows),
    ...namedMethods(ofRows),
    ...movingMethods(ofRows),
    ...bookMethods(engine),
    ...outboxMethods(engine),
    ...settingMethods(engine),
    ...consoleMethods(engine),
    ...responseMethods(engine),
    ...lessonMethods(engine),
    people: peopleMethods(engine, ofRows),
    ...refusalMethods(engine),
  };
}
