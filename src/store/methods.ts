// The store's methods that are the same on both engines.
import type { Changes, Trail } from "../core/changes.ts";
import { auditLogMethods } from "./audit-log.ts";
import { bookMethods } from "./books.ts";
import { cacheMethods } from "./cached-answers.ts";
import { checkoutChanges, checkoutMethods } from "./checkouts.ts";
import { consoleMethods, credentialChanges } from "./console.ts";
import { deviceMethods } from "./devices.ts";
import type { Engine } from "./engine.ts";
import { erasingMethods } from "./erasing.ts";
import { foreignMethods } from "./foreign.ts";
import { journalMethods, purgeMethods } from "./journal.ts";
import { accountChanges, accountMethods, keyChanges, keyMethods } from "./keys.ts";
import { lessonChanges, lessonMethods } from "./lessons.ts";
import { limitRequestChanges, limitRequestMethods } from "./limit-requests.ts";
import { movingChanges, movingMethods } from "./moving.ts";
import { namedChanges, namedMethods } from "./named.ts";
import { outboxMethods } from "./outbox.ts";
import { peopleChanges, peopleMethods } from "./people.ts";
import { providerCallMethods } from "./provider-calls.ts";
import { makeRecorder, type Recorder } from "./recording.ts";
import { refusalMethods } from "./refusals.ts";
import { settingChanges, settingMethods } from "./settings.ts";
import { statementMethods } from "./statements.ts";
import { responseMethods } from "./stored-responses.ts";
import { webhookMethods } from "./webhooks.ts";

/** `ofRows` is for changes to rows that decisions depend on. */
export function engineMethods(engine: Engine, ofRows = engine) {
  const changes = (trail: Trail) => changeMethods(engine, ofRows, makeRecorder(engine, trail));
  const { addToken, revokeToken, changeMember, ...others } = changes(() => []);
  const {
    addLimitRequest: _add,
    decideLimitRequest: _decide,
    addCheckout: _checkout,
    ...unrecorded
  } = others;
  return {
    ...keyMethods(ofRows),
    ...accountMethods(ofRows),
    ...namedMethods(ofRows),
    ...movingMethods(ofRows),
    ...bookMethods(engine),
    ...journalMethods(engine),
    ...purgeMethods(ofRows),
    ...statementMethods(engine),
    ...outboxMethods(engine),
    ...settingMethods(engine),
    ...consoleMethods(engine),
    ...responseMethods(engine),
    ...lessonMethods(engine),
    ...refusalMethods(engine),
    ...unrecorded,
    changes,
    auditLog: auditLogMethods(engine),
    webhooks: webhookMethods(engine),
    providerCalls: providerCallMethods(engine),
    devices: deviceMethods(engine),
    limitRequests: limitRequestMethods(engine),
    checkouts: checkoutMethods(ofRows),
    cache: cacheMethods(engine),
    foreign: foreignMethods(engine),
    people: { ...peopleMethods(engine), ...erasingMethods(engine), addToken, revokeToken, changeMember },
  };
}

function changeMethods(engine: Engine, ofRows: Engine, record: Recorder): Changes {
  return {
    ...keyChanges(ofRows, record),
    ...accountChanges(ofRows, record),
    ...namedChanges(ofRows, record),
    ...movingChanges(ofRows, record),
    ...settingChanges(engine, record),
    ...credentialChanges(engine, record),
    ...lessonChanges(engine, record),
    ...peopleChanges(engine, ofRows, record),
    ...limitRequestChanges(ofRows, record),
    ...checkoutChanges(ofRows, record),
  };
}
