// Agents that people signed in: the codes that wait for a person, the devices, and their secrets.
import {
  type AgentSecret,
  CODE_STATES,
  type CodeCounts,
  type CodeRoom,
  type Device,
  type DeviceCode,
  type DeviceStore,
} from "../../core/people/device.ts";
import { allowNull, makeWord, TEXT, TIME } from "../columns/columns.ts";
import { readInteger, readText } from "../columns/found.ts";
import { bind, type Engine, type Result, readFirst, type Statement } from "../engine/engine.ts";
import { insertSql, joinNames, selectSql, upsertSql } from "../engine/sql.ts";
import { KEY, table } from "../schema/tables.ts";

/** Ended secrets are known for a week, so that the answer is to sign in again rather than that the key is wrong. */
const KNOWN_MS = 7 * 86_400_000;

const CODE = table<DeviceCode>("device_code", ["device_digest"], {
  deviceDigest: TEXT,
  userDigest: TEXT,
  agent: TEXT,
  address: TEXT,
  block: TEXT,
  network: TEXT,
  createdAtMs: TIME,
  expiresAtMs: TIME,
  polledAtMs: allowNull(TIME),
  state: makeWord(CODE_STATES),
  memberId: allowNull(TEXT),
  accountId: allowNull(TEXT),
  keyId: allowNull(TEXT),
  deviceId: allowNull(TEXT),
});

const DEVICE = table<Device>("device", ["id"], {
  id: TEXT,
  memberId: TEXT,
  accountId: TEXT,
  keyId: TEXT,
  agent: TEXT,
  address: TEXT,
  createdAtMs: TIME,
  usedAtMs: TIME,
  expiresAtMs: TIME,
  endedAtMs: allowNull(TIME),
  refreshDigest: TEXT,
  oldRefreshDigest: allowNull(TEXT),
  answerSealed: allowNull(TEXT),
});

const SECRET = table<AgentSecret>("agent_secret", ["digest"], {
  digest: TEXT,
  deviceId: TEXT,
  untilMs: TIME,
});

export function deviceMethods(engine: Engine): DeviceStore {
  return {
    ...codeMethods(engine),
    ...refreshMethods(engine),
    ...viewMethods(engine),
    ...mistakeMethods(engine),
  };
}

/** A transaction that runs again finds its own code, which has its place. */
const WRITTEN: CodeRoom = { isAdded: true, losing: null };

function readCounts([all, block, network, largest]: readonly Result[]): CodeCounts {
  const [most] = largest ?? [];
  return {
    inAll: readInteger(all?.[0] ?? {}, "codes"),
    ofBlock: readInteger(block?.[0] ?? {}, "codes"),
    ofNetwork: readInteger(network?.[0] ?? {}, "codes"),
    largest: most ? readText(most, "network") : null,
  };
}

function codeMethods({ mark, forUpdate, run, change }: Engine) {
  const first = mark(1);
  const second = mark(2);
  const by = {
    device: `${selectSql(CODE)} WHERE device_digest = ${first}`,
    user: `${selectSql(CODE)} WHERE user_digest = ${first}`,
  };
  const forget = `DELETE FROM device_code WHERE expires_at_ms <= ${first}`;
  const waiting = `FROM device_code WHERE expires_at_ms > ${first} AND state = 'pending'`;
  const inAll = `SELECT count(*) AS codes ${waiting}`;
  const ofBlock = `${inAll} AND block = ${second}`;
  const ofNetwork = `${inAll} AND network = ${second}`;
  const largest = `SELECT network, count(*) AS codes ${waiting} GROUP BY network ORDER BY codes DESC, network LIMIT 1`;
  const endOldest = `UPDATE device_code SET expires_at_ms = CAST(${first} AS BIGINT) WHERE device_digest IN (
    SELECT device_digest ${waiting} AND network = ${second} ORDER BY created_at_ms, device_digest LIMIT 1)`;
  const put = upsertSql(CODE, mark);
  const addSteps = makeAdding(mark);
  return {
    addCode: (code, makeRoom) => {
      const { createdAtMs: nowMs, block, network, deviceDigest, userDigest } = code;
      const counting = [
        bind(inAll, nowMs),
        bind(ofBlock, nowMs, block),
        bind(ofNetwork, nowMs, network),
        bind(largest, nowMs),
      ];
      return change<boolean>([bind(by.user, userDigest), ...counting], ([same, ...counted]) => {
        const known = readFirst(CODE, same);
        const isWritten = known?.deviceDigest === deviceDigest;
        const isTaken = known !== null && !isWritten && known.expiresAtMs > nowMs;
        const room = isWritten ? WRITTEN : makeRoom(readCounts(counted));
        const isAdded = room.isAdded && !isTaken;
        const writes: Statement[] = [bind(forget, nowMs)];
        if (isAdded && room.losing !== null) writes.push(bind(endOldest, nowMs, room.losing));
        if (isAdded) writes.push(bind(put, ...CODE.valuesOf(code)));
        return { writes, toResult: () => isAdded };
      });
    },
    codeByUser: async (userDigest) => readFirst(CODE, await run(bind(by.user, userDigest))),
    stepCode: (name, digest, step, devicesMax) =>
      change([bind(`${by[name]} ${forUpdate}`, digest)], ([found]) => {
        const stepped = step(readFirst(CODE, found));
        const writes: Statement[] = [];
        if (stepped.code !== null) writes.push(bind(put, ...CODE.valuesOf(stepped.code)));
        if (stepped.added) writes.push(...addSteps(stepped.added, devicesMax));
        return { writes, toResult: () => stepped };
      }),
  } satisfies Partial<DeviceStore>;
}

/** Makes room for a device, forgets what ended long ago, and adds it with its first secret. */
function makeAdding(mark: Engine["mark"]) {
  const first = mark(1);
  const second = mark(2);
  const third = mark(3);
  const live = `member_id = ${second} AND ended_at_ms IS NULL`;
  const makeRoom = `UPDATE device SET ended_at_ms = CAST(${first} AS BIGINT) WHERE ${live} AND id NOT IN
    (SELECT id FROM device WHERE ${live} AND expires_at_ms > ${first} ORDER BY used_at_ms DESC, id LIMIT ${third})`;
  const forgetSecrets = `DELETE FROM agent_secret WHERE until_ms <= ${first}`;
  const forgetDevices = `DELETE FROM device WHERE expires_at_ms <= ${first}`;
  const add = upsertSql(DEVICE, mark);
  const addSecret = upsertSql(SECRET, mark);
  return (
    { device, secret }: { readonly device: Device; readonly secret: AgentSecret },
    devicesMax: number,
  ): readonly Statement[] => [
    bind(makeRoom, device.createdAtMs, device.memberId, devicesMax - 1),
    bind(forgetSecrets, device.createdAtMs - KNOWN_MS),
    bind(forgetDevices, device.createdAtMs - KNOWN_MS),
    bind(add, ...DEVICE.valuesOf(device)),
    bind(addSecret, ...SECRET.valuesOf(secret)),
  ];
}

function refreshMethods({ mark, forUpdate, run, change }: Engine) {
  const first = mark(1);
  const byRefresh = `${selectSql(DEVICE)} WHERE refresh_digest = ${first} OR old_refresh_digest = ${first}`;
  const put = upsertSql(DEVICE, mark);
  const addSecret = `${insertSql(SECRET, mark)} ON CONFLICT (digest) DO NOTHING`;
  return {
    deviceByRefresh: async (digest) => readFirst(DEVICE, await run(bind(byRefresh, digest))),
    stepDevice: (digest, step) =>
      change([bind(`${byRefresh} ${forUpdate}`, digest)], ([found]) => {
        const stepped = step(readFirst(DEVICE, found));
        const writes: Statement[] = [];
        if (stepped.device !== null) writes.push(bind(put, ...DEVICE.valuesOf(stepped.device)));
        if (stepped.secret) writes.push(bind(addSecret, ...SECRET.valuesOf(stepped.secret)));
        return { writes, toResult: () => stepped };
      }),
  } satisfies Partial<DeviceStore>;
}

function viewMethods({ mark, run, runOnce }: Engine) {
  const first = mark(1);
  const second = mark(2);
  const third = mark(3);
  const keyColumns = KEY.columns.map((column) => `gateway_key.${column}`);
  const agent = `SELECT ${joinNames(keyColumns)}, agent_secret.until_ms AS agent_until_ms,
      coalesce(device.ended_at_ms, device.expires_at_ms) AS device_end_ms
    FROM agent_secret JOIN device ON device.id = agent_secret.device_id
    JOIN gateway_key ON gateway_key.id = device.key_id WHERE agent_secret.digest = ${first}`;
  const readAgent = (found: Parameters<typeof KEY.rowOf>[0]) => {
    const untilMs = readInteger(found, "agent_until_ms");
    const endMs = readInteger(found, "device_end_ms");
    return { key: KEY.rowOf(found), untilMs: Math.min(untilMs, endMs) };
  };
  const ofMember = `${selectSql(DEVICE)} WHERE member_id = ${first} AND ended_at_ms IS NULL
    AND expires_at_ms > ${second} ORDER BY used_at_ms DESC, id`;
  const endOne = `UPDATE device SET ended_at_ms = CAST(${first} AS BIGINT)
    WHERE member_id = ${second} AND ended_at_ms IS NULL AND expires_at_ms > ${first} AND id = ${third}`;
  return {
    agentByDigest: async (digest) => readFirst({ rowOf: readAgent }, await run(bind(agent, digest))),
    devicesOf: async (memberId, nowMs) => (await run(bind(ofMember, memberId, nowMs))).map(DEVICE.rowOf),
    endDevice: async (memberId, id, atMs) => (await runOnce(bind(endOne, atMs, memberId, id))).count > 0,
  } satisfies Partial<DeviceStore>;
}

function mistakeMethods({ mark, forUpdate, runAll, change }: Engine) {
  const first = mark(1);
  const second = mark(2);
  const third = mark(3);
  const lock = `SELECT id FROM member WHERE id = ${first} ${forUpdate}`;
  const list = `SELECT id FROM device_mistake WHERE member_id = ${first} AND until_ms > ${second}`;
  const forget = `DELETE FROM device_mistake WHERE until_ms <= ${first} AND member_id = ${second}`;
  const add = `INSERT INTO device_mistake (id, member_id, until_ms) VALUES (${first}, ${second}, ${third})
    ON CONFLICT (id) DO NOTHING`;
  const remove = `DELETE FROM device_mistake WHERE id = ${first}`;
  return {
    // Under a lock, so that codes that come at once count each other.
    addMistake: ({ id, memberId, untilMs }, most, nowMs) =>
      change<boolean>([bind(lock, memberId), bind(list, memberId, nowMs)], ([, counted = []]) => {
        const isAdded = counted.length < most || counted.some((found) => readText(found, "id") === id);
        const writes: Statement[] = [bind(forget, nowMs, memberId)];
        if (isAdded) writes.push(bind(add, id, memberId, untilMs));
        return { writes, toResult: () => isAdded };
      }),
    removeMistake: (id) => runAll([bind(remove, id)]),
  } satisfies Partial<DeviceStore>;
}
