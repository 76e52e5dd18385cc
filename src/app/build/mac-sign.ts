// Signs a program for macOS ad hoc, as its linker does: the digests of its pages, and nobody's certificate.

const HEADER_BYTES = 32;
const COUNT_AT = 16;
const SEGMENT = 0x19;
const CODE_SIGNATURE = 0x1d;

const PAGE_BITS = 12;
const PAGE_BYTES = 1 << PAGE_BITS;
/** Memory is given out in pages of this size on any Mac. */
const MEMORY_BYTES = 16_384;

const SUPER_BLOB = 0xfade0cc0;
const SUPER_BLOB_BYTES = 20;
const DIRECTORY = 0xfade0c02;
const DIRECTORY_BYTES = 88;
const VERSION = 0x20400;
/** Ad hoc, and signed by a linker. */
const FLAGS = 0x20002;
const MAIN_BINARY = 1n;
const SHA256 = 2;
const DIGEST_BYTES = 32;
const IDENTIFIER = Buffer.from("poundkey\0");

/** The parts that the signature depends on. */
interface SignaturePlaces {
  /** The offset of the command that names the signature, and that of the signature, at which the code ends. */
  readonly command: number;
  readonly codeBytes: number;
  /** The command of the last segment, in which the signature is, and that segment's offset. */
  readonly last: number;
  readonly lastAt: number;
  readonly textBytes: bigint;
}

/** Returns the program with a signature in the place of the one that it has. Throws if it has none. */
export function signAdHoc(program: Uint8Array): Uint8Array {
  const { command, codeBytes, last, lastAt, textBytes } = findPlaces(program);
  const pages = Math.ceil(codeBytes / PAGE_BYTES);
  const directoryBytes = DIRECTORY_BYTES + IDENTIFIER.length + pages * DIGEST_BYTES;
  // The place for a signature is a multiple of 16 bytes.
  const signatureBytes = Math.ceil((SUPER_BLOB_BYTES + directoryBytes) / 16) * 16;
  const signed = new Uint8Array(codeBytes + signatureBytes);
  signed.set(program.subarray(0, codeBytes));
  const view = new DataView(signed.buffer);

  // These are a part of what is signed.
  view.setUint32(command + 12, signatureBytes, true);
  const lastBytes = codeBytes + signatureBytes - lastAt;
  view.setBigUint64(last + 32, BigInt(Math.ceil(lastBytes / MEMORY_BYTES) * MEMORY_BYTES), true);
  view.setBigUint64(last + 48, BigInt(lastBytes), true);

  writeWords(view, codeBytes, [SUPER_BLOB, SUPER_BLOB_BYTES + directoryBytes, 1, 0, SUPER_BLOB_BYTES]);
  const at = codeBytes + SUPER_BLOB_BYTES;
  const hashesAt = DIRECTORY_BYTES + IDENTIFIER.length;
  writeWords(view, at, [
    DIRECTORY,
    directoryBytes,
    VERSION,
    FLAGS,
    hashesAt,
    DIRECTORY_BYTES,
    0,
    pages,
    codeBytes,
    (DIGEST_BYTES << 24) | (SHA256 << 16) | PAGE_BITS,
  ]);
  view.setBigUint64(at + 72, textBytes);
  view.setBigUint64(at + 80, MAIN_BINARY);
  signed.set(IDENTIFIER, at + DIRECTORY_BYTES);
  for (let page = 0; page < pages; page++) {
    const bytes = signed.subarray(page * PAGE_BYTES, Math.min((page + 1) * PAGE_BYTES, codeBytes));
    signed.set(new Bun.CryptoHasher("sha256").update(bytes).digest(), at + hashesAt + page * DIGEST_BYTES);
  }
  return signed;
}

/** Numbers of a signature have the other order of bytes than those of the file. */
function writeWords(view: DataView, at: number, words: readonly number[]): void {
  for (const [index, word] of words.entries()) view.setUint32(at + index * 4, word >>> 0);
}

function findPlaces(program: Uint8Array): SignaturePlaces {
  const view = new DataView(program.buffer, program.byteOffset, program.byteLength);
  const segments = new Map<string, number>();
  let command = 0;
  let at = HEADER_BYTES;
  for (let left = view.getUint32(COUNT_AT, true); left > 0; left--) {
    const kind = view.getUint32(at, true);
    if (kind === CODE_SIGNATURE) command = at;
    if (kind === SEGMENT) segments.set(readName(program, at + 8), at);
    at += view.getUint32(at + 4, true);
  }
  const text = segments.get("__TEXT");
  const last = segments.get("__LINKEDIT");
  if (command === 0 || text === undefined || last === undefined)
    throw new Error("It isn't a signed program for macOS");
  return {
    command,
    codeBytes: view.getUint32(command + 8, true),
    last,
    lastAt: Number(view.getBigUint64(last + 40, true)),
    textBytes: view.getBigUint64(text + 48, true),
  };
}

function readName(program: Uint8Array, at: number): string {
  return Buffer.from(program.subarray(at, at + 16))
    .toString("latin1")
    .replace(/\0.*$/s, "");
}
