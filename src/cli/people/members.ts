// `poundkey members`: lists people, also while a gateway runs on the same store.
import { listMembers, type MemberView } from "../../admin/people/members.ts";
import { EVERYTHING } from "../../core/people/people.ts";
import { makeCommand, printList, type StoreCall } from "../administration.ts";

const HELP = `usage: poundkey members list [--json]

Lists the people who signed in or are in the company's directory, newest first, with their state, highest role and the last
time that the provider confirmed them.

  --json                    print JSON
  --config FILE, --store S  as for \`poundkey serve\`

examples:
  poundkey members list`;

export const runMembers = makeCommand(HELP, { list: { run: list, needs: "store" } });

function list(call: StoreCall): Promise<void> {
  return printList(call, {
    list: (world, page) => listMembers({ ...world, keysExpireMs: () => null }, page, EVERYTHING),
    columns: ["ID", "NAME", "E-MAIL", "STATE", "ROLE", "DIRECTORY", "LAST CONFIRMED"],
    formatCells,
  });
}

function formatCells({ id, name, email, state, role, provisioned, seen_at }: MemberView): readonly string[] {
  return [id, name, email ?? "-", state, role ?? "-", provisioned ? "yes" : "no", seen_at ?? "never"];
}
