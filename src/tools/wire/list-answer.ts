// A list's answer, put together from its bytes.
import type { ListKind, MergedList } from "../merged-list.ts";
import { LIST_TTL_MS } from "./client-answers.ts";
import type { Era } from "./eras.ts";
import type { RpcId } from "./rpc.ts";

interface ListAnswer {
  readonly id: RpcId;
  readonly kind: ListKind;
  readonly era: Era;
  /** The names of the servers that are left out because they didn't answer. */
  readonly unavailable: readonly string[];
}

/** Returns the whole message: one page, for one key. */
export function writeList(list: MergedList, { id, kind, era, unavailable }: ListAnswer): Uint8Array {
  const head = `{"jsonrpc":"2.0","id":${JSON.stringify(id)},"result":{"${kind}":`;
  const meta =
    unavailable.length === 0 ? "" : `,"_meta":{"poundkey/unavailable":${JSON.stringify(unavailable)}}`;
  const newer = `,"resultType":"complete","ttlMs":${LIST_TTL_MS},"cacheScope":"private"`;
  const tail = `${era === "newer" ? newer : ""}${meta}}}`;
  return Buffer.concat([Buffer.from(head), list.write(kind, era), Buffer.from(tail)]);
}
