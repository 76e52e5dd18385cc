// The store's methods that are the same on both engines.
import type { PieceStore } from "../core/batches/file.ts";
import type { ChangeTerms, Trail } from "../core/changes.ts";
import { auditLogMethods } from "./audit/audit-log.ts";
import { claimWith, repeatMethods } from "./audit/repeats.ts";
import { byEngine, byRows, joinGroups } from "./engine/change-groups.ts";
import type { Engine } from "./engine/engine.ts";
import { guardOlder, olderMethods } from "./engine/older-programs.ts";
import { makeRecorder } from "./engine/recording.ts";
import { settingChanges, settingMethods } from "./engine/settings.ts";
import { outboxMethods } from "./events/outbox.ts";
import { webhookMethods } from "./events/webhooks.ts";
import { foreignMethods } from "./keys/foreign.ts";
import {
  accountChanges,
  accountMethods,
  keyAdditions,
  keyChanges,
  keyEndings,
  keyMethods,
} from "./keys/keys.ts";
import { movingChanges, movingMethods } from "./keys/moving.ts";
import { namedChanges, namedMethods } from "./keys/named.ts";
import { accountRowMethods } from "./limits/account-rows.ts";
import { limitRequestChanges, limitRequestMethods } from "./limits/limit-requests.ts";
import { providerCallMethods } from "./log/provider-calls.ts";
import { refusalMethods } from "./log/refusals.ts";
import { batchMethods } from "./models/batches.ts";
import { cacheMethods } from "./models/cached-answers.ts";
import { fileChanges, fileMethods } from "./models/files.ts";
import { lessonChanges, lessonMethods } from "./models/lessons.ts";
import { refusalLessonChanges, refusalLessonMethods } from "./models/refusal-lessons.ts";
import { responseMethods } from "./models/stored-responses.ts";
import { toolSessionMethods } from "./models/tool-sessions.ts";
import { bookMethods, systemJournalMethods } from "./money/books.ts";
import { checkoutChanges, checkoutMethods } from "./money/checkouts.ts";
import { journalMethods, purgeMethods } from "./money/journal.ts";
import { statementMethods } from "./money/statements.ts";
import { consoleMethods, credentialChanges, linkMethods, sessionMethods } from "./people/console.ts";
import { deviceMethods } from "./people/devices.ts";
import { directoryMethods } from "./people/directory.ts";
import { directoryChanges } from "./people/directory-changes.ts";
import { erasingMethods } from "./people/erasing.ts";
import { memberChanges } from "./people/member-changes.ts";
import { peopleMethods, tokenChanges } from "./people/people.ts";
import { plainChanges, plainMethods } from "./things/plain.ts";
import { makeSortedMethods } from "./things/sorted.ts";

/** `ofRows` is for changes to rows that decisions depend on, `ofAccounts` for those to accounts alone. */
export function engineMethods(engine: Engine, pieces: PieceStore, ofRows = engine, ofAccounts = ofRows) {
  return {
    ...keyMethods(ofRows),
    ...accountMethods(ofRows),
    ...accountRowMethods(engine),
    ...namedMethods(ofRows),
    ...movingMethods(ofRows),
    ...bookMethods(engine),
    ...purgeMethods(ofRows),
    ...outboxMethods(engine),
    ...settingMethods(engine),
    ...consoleMethods(engine),
    ...lessonMethods(engine),
    changes: (trail: Trail, { claim, stopsOlder }: ChangeTerms = {}) => {
      const guard = (one: Engine) => claimWith(stopsOlder ? one : guardOlder(one), claim);
      const record = makeRecorder(engine, trail);
      return joinChanges({ engine: guard(engine), ofRows: guard(ofRows), record });
    },
    journals: { ...journalMethods(engine), ...systemJournalMethods(engine), ...statementMethods(engine) },
    responses: responseMethods(engine),
    refusals: refusalMethods(engine),
    refusalLessons: refusalLessonMethods(engine),
    auditLog: auditLogMethods(engine),
    repeats: repeatMethods(engine),
    webhooks: webhookMethods(engine),
    providerCalls: providerCallMethods(engine),
    devices: deviceMethods(engine),
    directory: directoryMethods(engine),
    limitRequests: limitRequestMethods(engine),
    checkouts: checkoutMethods(ofRows),
    batches: batchMethods(engine, ofAccounts),
    cache: cacheMethods(engine),
    files: { ...fileMethods(engine), pieces },
    foreign: foreignMethods(engine),
    things: { ...plainMethods(engine), ...makeSortedMethods(engine) },
    toolSessions: toolSessionMethods(engine),
    people: {
      ...peopleMethods(engine),
      ...sessionMethods(engine),
      ...linkMethods(engine),
      ...erasingMethods(engine, ofRows),
    },
  };
}

const joinChanges = joinGroups([
  byRows(keyChanges),
  byRows(keyAdditions),
  byRows(keyEndings),
  byRows(accountChanges),
  byRows(namedChanges),
  byRows(movingChanges),
  byEngine(settingChanges),
  byEngine(credentialChanges),
  byEngine(lessonChanges),
  byEngine(refusalLessonChanges),
  byEngine(fileChanges),
  byEngine(tokenChanges),
  byRows(memberChanges),
  byRows(directoryChanges),
  byRows(limitRequestChanges),
  byRows(checkoutChanges),
  byEngine(plainChanges),
  byEngine(olderMethods),
]);
