// Reads the code signature of a program for macOS, and compares its digests with the file's pages, as the system's kernel does.

const MACHO_64 = 0xfeedfacf;
const CODE_SIGNATURE_COMMAND = 0x1d;
const HEADER_BYTES = 32;
const SUPER_BLOB = 0xfade0cc0;
const CODE_DIRECTORY = 0xfade0c02;
const SHA256 = 2;
const AD_HOC = 0x2;

export interface Signature {
  /** True if nobody's certificate stands behind it. */
  readonly isAdHoc: boolean;
  readonly pages: number;
  /** The numbers of the pages whose digest is another. */
  readonly wrongPages: readonly number[];
  readonly codeBytes: number;
}

/** Throws if the file isn't a signed program of 64 bits. */
export function checkSignature(file: Uint8Array): Signature {
  const view = new DataView(file.buffer, file.byteOffset, file.byteLength);
  const at = findDirectory(view, findSignature(view));
  // Numbers of a signature have the other order of bytes than those of the file.
  const read = (offset: number) => view.getUint32(at + offset);
  const [flags, hashesAt, count, codeBytes] = [read(12), read(16), read(28), read(32)];
  const [hashBytes, kind, pageBits] = [
    view.getUint8(at + 36),
    view.getUint8(at + 37),
    view.getUint8(at + 39),
  ];
  if (kind !== SHA256) throw new Error(`The digests are of the kind ${kind}`);
  const wrongPages = Array.from({ length: count }, (_, page) => page).filter((page) => {
    const begin = page << pageBits;
    const bytes = file.subarray(begin, Math.min(begin + (1 << pageBits), codeBytes));
    const listed = file.subarray(at + hashesAt + page * hashBytes, at + hashesAt + (page + 1) * hashBytes);
    return Buffer.compare(new Bun.CryptoHasher("sha256").update(bytes).digest(), listed) !== 0;
  });
  if (Math.ceil(codeBytes / (1 << pageBits)) !== count) throw new Error("The digests don't cover the code");
  return { isAdHoc: (flags & AD_HOC) !== 0, pages: count, wrongPages, codeBytes };
}

/** Returns where the signature begins in the file. */
function findSignature(view: DataView): number {
  if (view.getUint32(0, true) !== MACHO_64) throw new Error("It isn't a program of 64 bits for macOS");
  const commands = view.getUint32(16, true);
  for (let left = commands, at = HEADER_BYTES; left > 0; left--, at += view.getUint32(at + 4, true))
    if (view.getUint32(at, true) === CODE_SIGNATURE_COMMAND) return view.getUint32(at + 8, true);
  throw new Error("It isn't signed");
}

function findDirectory(view: DataView, blob: number): number {
  if (view.getUint32(blob) !== SUPER_BLOB) throw new Error("The signature doesn't begin as one");
  const count = view.getUint32(blob + 8);
  for (let index = 0; index < count; index++) {
    const at = blob + view.getUint32(blob + 16 + index * 8);
    if (view.getUint32(at) === CODE_DIRECTORY) return at;
  }
  throw new Error("The signature has no digests");
}
