// The gateway with the store that BENCH_STORE names: `sqlite:PATH`, or `none` for one that answers at once.

import { actAs } from "../../../src/admin/audit/audit-trail.ts";
import { createKey } from "../../../src/admin/keys/keys.ts";
import { startGateway } from "../../../src/app/composition.ts";
import { type OpenedStore, openStore } from "../../../src/app/start/open-store.ts";
import { clock, random } from "../../../src/app/world.ts";
import type { Changes } from "../../../src/core/changes.ts";
import type { Answer, Demand } from "../../../src/core/demand.ts";
import { ACCOUNT_DEFAULTS, type Account, type ProvenKey } from "../../../src/core/keys/key.ts";
import type { Store } from "../../../src/core/store.ts";
import { createLineLog } from "../../../src/telemetry/log-lines.ts";
import { TESTER } from "../../harness/acting.ts";
import { makePlace } from "../../harness/samples.ts";
import { readSettings } from "../../harness/settings.ts";
import { topUp } from "../../ledger/top-up.ts";
import { noAuditLog } from "./no-audit-log.ts";
import { noPeople } from "./no-people.ts";

const ACCOUNT: Account = {
  id: "default",
  name: "default",
  ...ACCOUNT_DEFAULTS,
  createdAtMs: 0,
};

/** There are no webhooks. */
function callNobody(): Store["providerCalls"] {
  return { add: async () => {}, kept: async () => [], sums: async () => [], prune: async () => 0 };
}

function tellNobody(): Store["webhooks"] {
  const nobody = async () => [];
  const nothing = async () => {};
  return {
    lease: async () => false,
    add: nothing,
    due: nobody,
    waitingEndpoints: nobody,
    remove: nothing,
    record: nothing,
    bury: nothing,
    list: nobody,
    sendAgain: async () => null,
    prune: async () => 0,
    off: nobody,
    switchOff: nothing,
    tell: nothing,
  };
}

function keepNothing() {
  const nothing = async () => null;
  return {
    ...noPeople(),
    things: { list: async () => [], find: nothing, sorted: async () => [] },
    ...noAuditLog(),
    findDamage: async () => null,
    measure: async () => ({ parts: {}, freeBytes: null, backedUpAtMs: null }),
    clockAheadMs: () => null,
    takeEvents: async () => [],
    addEvents: async () => {},
    nearing: async () => [],
    accountsNamed: async () => [],
    carryHome: async () => 0,
    searchRequests: async () => ({ rows: [], scannedUntilMs: null }),
    responses: {
      add: async () => {},
      find: nothing,
      findByItem: nothing,
      countTokens: nothing,
      remove: async () => false,
      removeAll: async () => {},
      prune: async () => 0,
    },
    refusals: {
      list: async () => ({ rows: [], scannedUntilMs: null }),
      add: async () => {},
      prune: async () => 0,
    },
  };
}

function keepNoJournals(): Pick<Store, "purgeAccount" | "journals" | "readAccounts"> {
  const nobody = async () => [];
  const unused = async () => {
    throw new Error("Not part of the measurement.");
  };
  const journals = {
    entries: nobody,
    findFacts: unused,
    heldAfter: unused,
    unfinishedClosings: nobody,
    systemEntries: nobody,
    systemBalance: async () => 0,
    sumStatement: unused,
    statement: async () => null,
    keepStatement: unused,
  };
  return { journals, purgeAccount: async () => 0, readAccounts: unused };
}

/** There is no log, and nothing is learned, configured or remembered. */
function keepNoLog() {
  const nothing = async () => null;
  const nobody = async () => [];
  return {
    request: nothing,
    requests: nobody,
    teach: async () => 0,
    lessons: nobody,
    pruneLessons: async () => 0,
    dropLessons: async () => {},
    prune: async () => 0,
    spentSince: async () => ({ costNanoUsd: 0, chargedNanoUsd: 0 }),
    usage: nobody,
    firstTokens: nobody,
    rowSums: nobody,
    decisionSums: nobody,
    busiestKeys: async () => ({ total: 0, keys: [] }),
    keyUses: nobody,
    endedSince: nobody,
    addContent: async () => {},
    content: nothing,
  };
}

function changeNothing(byDigest: Map<string, ProvenKey>): Changes {
  const nothing = async () => null;
  const none = async () => {};
  const unused = async () => {
    throw new Error("Not part of the measurement.");
  };
  return {
    listStopped: async () => [],
    makeKey: none,
    addKey: async (key, digest) => void byDigest.set(digest, { key, rotation: 0 }),
    changeKey: nothing,
    moveKey: nothing,
    putKey: unused,
    rotateKey: nothing,
    revokeKey: nothing,
    addAccount: none,
    changeAccount: nothing,
    putAccount: unused,
    addToken: none,
    addRefusalLesson: none,
    takeToken: nothing,
    revokeToken: nothing,
    changeMember: nothing,
    addLimitRequest: none,
    decideLimitRequest: nothing,
    addCheckout: unused,
    changeThing: nothing,
    removeFile: nothing,
    putCredential: none,
    removeCredential: none,
    changeOperatorSetting: async (_name, change) => change(null),
    forgetLessons: none,
    changeUser: nothing,
    changeGroup: nothing,
    reviewMembers: nothing,
    beginGroup: async () => {},
    stepGroup: async () => null,
  };
}

/** Admits everything and keeps only the keys. */
function noStore(): Store {
  const byDigest = new Map<string, ProvenKey>();
  const nothing = async () => null;
  const nobody = async () => [];
  const unused = async () => {
    throw new Error("Not part of the measurement.");
  };
  const made: Store = {
    ...keepNothing(),
    refusalLessons: { list: nobody, version: nothing, add: unused, takeTrial: unused, end: unused },
    webhooks: tellNobody(),
    providerCalls: callNobody(),
    repeats: { find: nothing, claim: unused, keepAnswer: unused, prune: unused },
    toolSessions: {
      find: nothing,
      keep: unused,
      forget: unused,
      end: unused,
      takeResting: nobody,
      dropEnded: unused,
    },
    node: "node_0",
    transact: async (demand) => answerTo(demand),
    durable: async () => {},
    keptCharacters: async () => 0,
    changes: () => changeNothing(byDigest),
    beat: async () => ({ olderNodes: [], unsupported: null }),
    orphans: nobody,
    look: unused,
    read: unused,
    keyByDigest: async (digest) => byDigest.get(digest) ?? null,
    key: nothing,
    keys: nobody,
    account: async () => ACCOUNT,
    accounts: nobody,
    ...keepNoJournals(),
    audit: unused,
    ...keepNoLog(),
    files: keepNoFiles(),
    batches: keepNoBatches(),
    listDead: async () => [],
    credentials: nobody,
    setting: nothing,
    keepSetting: async (_name, value) => value,
    setSetting: async () => {},
    changeSetting: async (_name, change) => change(null),
    ready: async () => [],
    close: async () => {},
  };
  return made;
}

function keepNoBatches(): Store["batches"] {
  const refuse = async () => {
    throw new Error("Not part of the measurement.");
  };
  return {
    add: refuse,
    find: async () => null,
    list: async () => [],
    change: refuse,
    remove: async () => {},
    countBytes: async () => 0,
    sum: refuse,
  };
}

function keepNoFiles(): Store["files"] {
  const refuse = async () => {
    throw new Error("Not part of the measurement.");
  };
  return {
    add: refuse,
    list: async () => [],
    remove: async () => false,
    sum: async () => ({ bytes: 0, files: 0 }),
    pieces: {
      write: refuse,
      read: async () => null,
      remove: async () => {},
      listBefore: async () => [],
      measureDisk: async () => null,
    },
  };
}

function answerTo(demand: Demand): Answer {
  switch (demand.kind) {
    case "admit":
      return {
        kind: "granted",
        place: makePlace("unlimited"),
        limits: null,
        holdNanoUsd: 0,
        outputTokens: null,
      };
    case "settle":
      return { kind: "settled", chargedNanoUsd: 0, holdNanoUsd: 0, writtenOffNanoUsd: 0, late: false };
    case "fund":
    case "close":
      return { kind: "funded", account: ACCOUNT };
    case "unnote":
      return { kind: "unnoted" };
    case "reset":
      return { kind: "reset", budgets: [] };
    case "checkout":
      throw new Error("Not part of the measurement.");
  }
}

async function opened(address: string): Promise<OpenedStore> {
  if (address !== "none") return openStore(address, undefined);
  const store = noStore();
  const vault = {
    seal: (text: string) => text,
    open: (sealed: string) => sealed,
    digest: (text: string) => text,
    sealBytes: (bytes: Uint8Array) => bytes,
    openBytes: (sealed: Uint8Array) => sealed,
  };
  return {
    store,
    world: { store, clock, random, pepper: new Uint8Array(32) },
    vault,
    credentialVault: vault,
    contentVault: vault,
  };
}

const settings = readSettings(await Bun.file(process.env.BENCH_CONFIG ?? "").text());
const storeOpened = await opened(process.env.BENCH_STORE ?? "none");
const { store, world } = storeOpened;
const { secret } = await createKey(actAs(world, TESTER), { name: "bench" });
await topUp(store, {
  accountId: "default",
  id: "bench",
  nanoUsd: 1_000_000_000_000,
  note: null,
  entry: null,
  nowMs: clock.nowMs(),
});
const running = await startGateway({
  settings,
  opened: storeOpened,
  log: createLineLog((line) => void process.stderr.write(line), clock.nowMs),
  configSchema: () => ({}),
  reusePort: false,
});
console.log(`${secret} listens on http://127.0.0.1:${running.port}`);
process.once("SIGTERM", () => void running.stop().then(() => process.exit(0)));
