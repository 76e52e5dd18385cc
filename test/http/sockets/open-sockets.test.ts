// The bounds on open connections: of an account, and of one of its payers while others open some.
import { expect, test } from "bun:test";
import { namePayer } from "../../../src/core/keys/payer.ts";
import type { SocketRules } from "../../../src/core/settings.ts";
import { OpenSockets } from "../../../src/http/sockets/open-sockets.ts";
import { makeKey } from "../../harness/samples.ts";
import { catchThrown } from "../../harness/thrown.ts";

const RULES: SocketRules = {
  isOn: true,
  allMax: 10,
  perAccountMax: 4,
  perKeyMax: 4,
  lanesMax: 1,
  queueMax: 1,
  frameBytesMax: 1,
  bytesMax: 1,
  accountBytesMax: 1,
  memoryBytesMax: 1,
  ageMs: 1,
  idleMs: 1,
};

test("a payer has three quarters of an account's connections while another asks, and all of them else", async () => {
  const clock = { ms: 0 };
  const sockets = new OpenSockets(() => RULES, { nowMs: () => clock.ms });
  const [ann, ben] = [makeKey("key ann"), makeKey("key ben")];
  const open = (key = ann) => {
    sockets.checkRoom(key);
    const owner = { keyId: key.id, accountId: key.accountId, payer: namePayer(key) };
    sockets.add(owner);
    return () => sockets.remove(owner);
  };
  const refusal = (key = ann) => catchThrown(Promise.try(() => open(key)));
  open(ben)();
  const closes = [open(), open(), open()];
  expect(await refusal()).toMatchObject({
    code: "too_many_sockets",
    details: { limit: { limit: 3, used: 3 } },
  });
  const close = open(ben);
  expect(await refusal(ben)).toMatchObject({ details: { limit: { limit: 4, used: 4 } } });
  close();
  clock.ms = 60_000;
  open();
  expect(closes.length).toBe(3);
});
