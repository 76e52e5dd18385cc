// The changes of several keys of the list at once.
import type { KeyInUseView } from "../../admin/keys/keys-in-use.ts";
import { sendChange } from "../frame/api.ts";
import { mayWriteKey } from "../frame/session.ts";
import type { Choice } from "./chosen-rows.tsx";

export const CHOSEN_KEYS: Choice<KeyInUseView> = {
  one: "key",
  many: "keys",
  nameOf: ({ name, last4 }) => `${name} …${last4}`,
  mayChoose: (key) => key.state !== "revoked" && mayWriteKey(key),
  actions: [
    {
      label: "Pause",
      icon: "pause",
      past: "paused",
      warning: "Their requests will be refused until they are resumed.",
      concerns: ({ paused }) => !paused,
      run: ({ id }) => sendChange("PATCH", `/keys/${id}`, { paused: true }),
    },
    {
      label: "Resume",
      icon: "resume",
      past: "resumed",
      warning: "Their requests will be answered again.",
      concerns: ({ paused }) => paused,
      run: ({ id }) => sendChange("PATCH", `/keys/${id}`, { paused: false }),
    },
    {
      label: "Revoke",
      icon: "trash",
      past: "revoked",
      warning: "All further requests with them will be refused. This can't be undone.",
      concerns: () => true,
      run: ({ id }) => sendChange("DELETE", `/keys/${id}`),
    },
  ],
};
