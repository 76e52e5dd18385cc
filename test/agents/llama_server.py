"""A llama.cpp server on a free port. Its model of a megabyte always answers "hi you", or words without an end if a message
of the user's has "and-on-and-on" near its end. Its chat template takes a system message only at the beginning, as Qwen's do. With
the argument `small`, its context is small and the template shows whole messages. It prints its address, and ends when its
standard input does."""

import struct
import sys
import tempfile
from pathlib import Path

import xllamacpp as xlc

ANSWER = ["hi", " you"]
ENDLESS = " on"
SMALL = "small" in sys.argv[1:]
CONTEXT = 2048 if SMALL else 65536
# Of each message it shows a few characters only, so that an agent's prompt is short.
SHOWN = 1_000_000 if SMALL else 40
TEMPLATE = """{%- set ns = namespace(end='>') -%}
{%- for message in messages -%}
{%- if message.role == 'system' and not loop.first -%}
{{- raise_exception('System message must be at the beginning.') -}}
{%- endif -%}
{%- if message.role == 'user' and 'and-on-and-on' in (message.content or '')[-2000:] -%}{%- set ns.end = '~' -%}{%- endif -%}
{{- message.role + ': ' + (message.content or '')[:SHOWN] + '\n' -}}
{%- endfor -%}
{%- if add_generation_prompt -%}{{- 'assistant' + ns.end -}}{%- endif -%}""".replace("SHOWN", str(SHOWN))
PROMPT_END, ENDLESS_PROMPT_END = ">~"

# Types of values, tensors and tokens in a GGUF file (ggml/docs/gguf.md).
UINT32, INT32, FLOAT32, STRING, ARRAY = 4, 5, 6, 8, 9
F32 = 0
NORMAL, UNKNOWN, CONTROL, BYTE = 1, 2, 3, 6
ALIGNMENT = 32

# Tokens, and the length of their embeddings: a multiple of the nine heads, whose lengths must be even.
SIZE = 288
FEED_FORWARD = 32
END = 2
FIRST_BYTE = 3


def text(value):
    data = value.encode()
    return struct.pack("<Q", len(data)) + data


def field(name, kind, data):
    return text(name) + struct.pack("<I", kind) + data


def number(name, value):
    return field(name, UINT32, struct.pack("<I", value))


def fraction(name, value):
    return field(name, FLOAT32, struct.pack("<f", value))


def words(name, value):
    return field(name, STRING, text(value))


def array(name, kind, values):
    return field(name, ARRAY, struct.pack("<IQ", kind, len(values)) + b"".join(values))


def make_vocabulary():
    """The 256 bytes, and what the tokenizer needs beside them."""
    tokens = [("<unk>", UNKNOWN), ("<s>", CONTROL), ("</s>", CONTROL)]
    tokens += [(f"<0x{byte:02X}>", BYTE) for byte in range(256)]
    tokens += [(word.replace(" ", "\u2581"), NORMAL) for word in [*ANSWER, ENDLESS]]
    return tokens + [(f"<{at}>", CONTROL) for at in range(len(tokens), SIZE)]


def make_fields():
    vocabulary = make_vocabulary()
    return [
        words("general.architecture", "llama"),
        words("general.name", "tiny"),
        number("general.alignment", ALIGNMENT),
        number("llama.context_length", CONTEXT),
        number("llama.embedding_length", SIZE),
        number("llama.block_count", 1),
        number("llama.feed_forward_length", FEED_FORWARD),
        number("llama.attention.head_count", 9),
        number("llama.attention.head_count_kv", 9),
        number("llama.rope.dimension_count", 32),
        number("llama.vocab_size", SIZE),
        fraction("llama.attention.layer_norm_rms_epsilon", 1e-5),
        words("tokenizer.ggml.model", "llama"),
        array("tokenizer.ggml.tokens", STRING, [text(name) for name, _ in vocabulary]),
        array("tokenizer.ggml.scores", FLOAT32, [struct.pack("<f", 0)] * SIZE),
        array("tokenizer.ggml.token_type", INT32, [struct.pack("<i", kind) for _, kind in vocabulary]),
        number("tokenizer.ggml.bos_token_id", 1),
        number("tokenizer.ggml.eos_token_id", END),
        number("tokenizer.ggml.unknown_token_id", 0),
        words("tokenizer.chat_template", TEMPLATE),
    ]


def matrix(rows, columns, cells=()):
    data = bytearray(4 * rows * columns)
    for row, column, value in cells:
        struct.pack_into("<f", data, 4 * (row * columns + column), value)
    return bytes(data)


def make_tensors():
    """Embeddings are unit vectors, and the only layer adds nothing to them, so that the output is a table of which token
    follows which. Behind every token that isn't part of the answer comes its end."""
    words = FIRST_BYTE + 256
    chain = [FIRST_BYTE + ord(PROMPT_END), *range(words, words + len(ANSWER)), END]
    follows = dict(zip(chain, chain[1:]))
    endless = words + len(ANSWER)
    follows |= {FIRST_BYTE + ord(ENDLESS_PROMPT_END): endless, endless: endless}
    ones = struct.pack("<f", 1) * SIZE
    square = matrix(SIZE, SIZE)
    return [
        ("token_embd.weight", (SIZE, SIZE), matrix(SIZE, SIZE, [(at, at, 1.0) for at in range(SIZE)])),
        ("output_norm.weight", (SIZE,), ones),
        ("output.weight", (SIZE, SIZE), matrix(SIZE, SIZE, [(follows.get(at, END), at, 10.0) for at in range(SIZE)])),
        ("blk.0.attn_norm.weight", (SIZE,), ones),
        ("blk.0.ffn_norm.weight", (SIZE,), ones),
        *((f"blk.0.attn_{name}.weight", (SIZE, SIZE), square) for name in ("q", "k", "v", "output")),
        ("blk.0.ffn_gate.weight", (SIZE, FEED_FORWARD), matrix(FEED_FORWARD, SIZE)),
        ("blk.0.ffn_up.weight", (SIZE, FEED_FORWARD), matrix(FEED_FORWARD, SIZE)),
        ("blk.0.ffn_down.weight", (FEED_FORWARD, SIZE), matrix(SIZE, FEED_FORWARD)),
    ]


def write_model(path):
    fields = make_fields()
    tensors = make_tensors()
    head = b"GGUF" + struct.pack("<IQQ", 3, len(tensors), len(fields)) + b"".join(fields)
    offset = 0
    body = []
    for name, shape, data in tensors:
        head += text(name) + struct.pack("<I", len(shape)) + struct.pack(f"<{len(shape)}Q", *shape)
        head += struct.pack("<IQ", F32, offset)
        padded = data + bytes(-len(data) % ALIGNMENT)
        body.append(padded)
        offset += len(padded)
    path.write_bytes(head + bytes(-len(head) % ALIGNMENT) + b"".join(body))


def main():
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "tiny.gguf"
        write_model(path)
        params = xlc.CommonParams()
        params.model.path = str(path)
        params.hostnames = ["127.0.0.1"]
        params.port = 0
        params.n_ctx = CONTEXT
        params.n_parallel = 1
        params.warmup = False
        params.n_gpu_layers = 0
        params.cpuparams.n_threads = 1
        params.use_jinja = True
        params.endpoint_metrics = False
        server = xlc.Server(params)
        print(server.listening_address, flush=True)
        # Ends with its parent.
        sys.stdin.read()
        del server


main()
