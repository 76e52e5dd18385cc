// `poundkey members`: lists people, also while a gateway runs on the same store.
import { listMembers, type MemberView, memberSchema } from "../../admin/people/members.ts";
import { readSortCosts } from "../../admin/sort-costs.ts";
import { EVERYTHING } from "../../core/people/people.ts";
import { makeCommand, printList, type StoreCall } from "../administration.ts";
import { STORE_OR_GATEWAY } from "../arguments.ts";
import { makePageReader, makeReader } from "../gateway/ask.ts";
import { describeSorts, readSort, SORT } from "../sorting.ts";
import { WIDE, WIDE_HELP } from "../table.ts";

const HELP = `usage: poundkey members list [--sort COLUMN] [--wide] [--json]

Lists the people who signed in or are in the company's directory, newest first, with their state, highest role and the last
time that the provider confirmed them.

${describeSorts("members")}
${WIDE_HELP}
  --json                    print JSON
${STORE_OR_GATEWAY}

examples:
  poundkey members list
  poundkey members list --sort seen --order asc`;

export const runMembers = makeCommand(HELP, {
  list: { run: list, flags: { ...SORT, ...WIDE }, needs: "store" },
});

const readPage = makePageReader(makeReader(memberSchema));

function list(call: StoreCall): Promise<void> {
  const { settings } = call;
  const order = readSort("members", call);
  const dayRules = () => settings.quota;
  return printList(call, {
    askPage: (after) => ({
      route: { method: "GET", path: "/members" },
      query: { ...order, after },
      read: readPage,
      here: (world) =>
        listMembers(
          { ...world, keysExpireMs: () => null },
          { ...order, ...(after ? { after } : {}) },
          EVERYTHING,
          readSortCosts({ ...world, dayRules }),
        ),
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
