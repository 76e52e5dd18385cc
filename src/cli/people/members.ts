// `poundkey members`: lists people, also while a gateway runs on the same store.
import { listMembers, type MemberView, memberSchema } from "../../admin/people/members.ts";
import { EVERYTHING } from "../../core/people/people.ts";
import { makeCommand, printList, type StoreCall } from "../administration.ts";
import { STORE_OR_GATEWAY } from "../arguments.ts";
import { makePageReader, makeReader } from "../gateway/ask.ts";
import { WIDE, WIDE_HELP } from "../table.ts";

const HELP = `usage: poundkey members list [--wide] [--json]

Lists the people who signed in or are in the company's directory, newest first, with their state, highest role and the last
time that the provider confirmed them.

${WIDE_HELP}
  --json                    print JSON
${STORE_OR_GATEWAY}

examples:
  poundkey members list`;

export const runMembers = makeCommand(HELP, { list: { run: list, flags: WIDE, needs: "store" } });

const readPage = makePageReader(makeReader(memberSchema));

function list(call: StoreCall): Promise<void> {
  return printList(call, {
    askPage: (after) => ({
      route: { method: "GET", path: "/members" },
      query: { after },
      read: readPage,
      here: (world) =>
        listMembers({ ...world, keysExpireMs: () => null }, after ? { after } : {}, EVERYTHING),
    }),
    giveWay: ["LAST CONFIRMED", "DIRECTORY", "ID", "E-MAIL", "ROLE"],
    nothing: "Nobody has signed in yet.",
    columns: ["NAME", "E-MAIL", "ID", "STATE", "ROLE", "DIRECTORY", "LAST CONFIRMED"],
    formatCells,
  });
}

function formatCells({ id, name, email, state, role, provisioned, seen_at }: MemberView): readonly string[] {
  return [name, email ?? "-", id, state, role ?? "-", provisioned ? "yes" : "no", seen_at ?? "never"];
}
