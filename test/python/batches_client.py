"""The Python SDKs of OpenAI and Anthropic with files and batches: prints one JSON line per check, {"check", "error"}.

    batches_client.py --list             the checks' names; fails if an SDK is not installed
    batches_client.py '{"url": …}'       runs them: url, secret
"""

import io
import json
import sys
import time
import traceback
from typing import Callable

import anthropic
import openai

CHECKS: dict[str, Callable[[], None]] = {}
GIVEN = json.loads(sys.argv[1]) if sys.argv[1].startswith("{") else {}
DIALECTS = [
    "OpenAI#gpt-5.4",
    "Anthropic#claude-haiku-4-5",
    "Google#gemini-3.5-flash",
    "Mistral#mistral-large-latest",
]
OVER = ("completed", "failed", "expired", "cancelled")
LONGEST_S = 60


def check(name: str):
    def register(function: Callable[[], None]):
        CHECKS[name] = function
        return function

    return register


def openai_client() -> openai.OpenAI:
    return openai.OpenAI(base_url=GIVEN["url"] + "/v1", api_key=GIVEN["secret"], max_retries=0)


def anthropic_client() -> anthropic.Anthropic:
    return anthropic.Anthropic(base_url=GIVEN["url"], api_key=GIVEN["secret"], max_retries=0)


def same(actual, expected) -> None:
    assert actual == expected, f"got {actual!r}, expected {expected!r}"


def wait_until(ask: Callable[[], object], is_so: Callable[[object], bool]):
    """Asks again and again until it is so."""
    end = time.monotonic() + LONGEST_S
    while True:
        found = ask()
        if is_so(found):
            return found
        assert time.monotonic() < end, f"it stayed {found!r}"
        time.sleep(0.05)


def status_of(work: Callable[[], object]) -> int:
    """Returns the status of a call that must fail."""
    try:
        work()
    except (openai.APIStatusError, anthropic.APIStatusError) as error:
        return error.status_code
    raise AssertionError("nothing failed")


def line(custom_id: str, text: str, model: str) -> str:
    body = {"model": model, "messages": [{"role": "user", "content": text}]}
    return json.dumps({"custom_id": custom_id, "method": "POST", "url": "/v1/chat/completions", "body": body})


def upload(lines: list[str]):
    return openai_client().files.create(file=("lines.jsonl", "\n".join(lines).encode()), purpose="batch")


def create(lines: list[str], **options):
    return openai_client().batches.create(
        input_file_id=upload(lines).id, endpoint="/v1/chat/completions", completion_window="24h", **options
    )


def wait_for_batch(batch_id: str):
    client = openai_client()
    return wait_until(lambda: client.batches.retrieve(batch_id), lambda batch: batch.status in OVER)


def read_lines(file_id: str) -> list[dict]:
    text = openai_client().files.content(file_id).text
    return sorted((json.loads(one) for one in text.splitlines()), key=lambda one: one["custom_id"])


@check("openai: files are uploaded, waited for, listed page by page, read and deleted")
def openai_files() -> None:
    client = openai_client()
    file = client.files.create(
        file=("notes.txt", b"first\nsecond"),
        purpose="user_data",
        expires_after={"anchor": "created_at", "seconds": 3600},
    )
    same((file.bytes, file.filename, file.expires_at - file.created_at), (12, "notes.txt", 3600))
    same(client.files.wait_for_processing(file.id).status, "processed")
    other = client.files.create(file=("other.txt", io.BytesIO(b"x" * 1_500_000)), purpose="user_data")
    same([one.id for one in client.files.list(limit=1, purpose="user_data")], [other.id, file.id])
    same(client.files.content(file.id).read(), b"first\nsecond")
    same(len(client.files.content(other.id).read()), 1_500_000)
    raw = client.files.with_raw_response.retrieve(file.id)
    same((raw.status_code, raw.parse().id, raw.headers["x-request-id"][:4]), (200, file.id, "req_"))
    for one in (file, other):
        same(client.files.delete(one.id).deleted, True)
    same(status_of(lambda: client.files.retrieve(file.id)), 404)


@check("openai: a batch is answered by four dialects, and both its files are read")
def openai_batch() -> None:
    lines = [line(f"line-{at}", f"say: {model}", model) for at, model in enumerate(DIALECTS)]
    lines.append(line("wrong", "x", "no-such-model"))
    batch = create(lines, metadata={"team": "night"})
    same((batch.object, batch.status, batch.metadata), ("batch", "validating", {"team": "night"}))
    ended = wait_for_batch(batch.id)
    same(ended.status, "completed")
    counts = ended.request_counts
    same((counts.total, counts.completed, counts.failed), (len(DIALECTS) + 1, len(DIALECTS), 1))
    answers = [one["response"]["body"]["choices"][0]["message"]["content"] for one in read_lines(ended.output_file_id)]
    same(answers, DIALECTS)
    [wrong] = read_lines(ended.error_file_id)
    same((wrong["custom_id"], wrong["response"]["status_code"]), ("wrong", 404))
    assert ended.usage.total_tokens > 0, ended.usage


@check("openai: batches are listed page by page, newest first, and shown with their headers")
def openai_list() -> None:
    client = openai_client()
    made = [create([line("a", "say: a", DIALECTS[0])]).id for _ in range(3)]
    same([one.id for one in client.batches.list(limit=2)][:3], made[::-1])
    raw = client.batches.with_raw_response.retrieve(made[0])
    same((raw.status_code, raw.parse().id), (200, made[0]))
    for one in made:
        wait_for_batch(one)


@check("openai: a batch is cancelled with what was answered, and a mistake fails it with its line")
def openai_cancel() -> None:
    client = openai_client()
    batch = create([line("quick", "say: one", "Local#sim"), line("slow", "x", "Local#sim~latency=600000")])
    wait_until(lambda: client.batches.retrieve(batch.id), lambda one: one.request_counts.completed == 1)
    same(client.batches.cancel(batch.id).status, "cancelling")
    ended = wait_for_batch(batch.id)
    same((ended.status, ended.request_counts.completed, ended.request_counts.failed), ("cancelled", 1, 1))
    same(status_of(lambda: client.batches.cancel(batch.id)), 400)
    failed = wait_for_batch(create([line("a", "x", "m"), "{"]).id)
    same((failed.status, [(one.code, one.line) for one in failed.errors.data]), ("failed", [("invalid_json_line", 2)]))


def params(text: str, model: str) -> dict:
    return {"model": model, "max_tokens": 100, "messages": [{"role": "user", "content": text}]}


def wait_for_messages(batch_id: str):
    batches = anthropic_client().messages.batches
    return wait_until(lambda: batches.retrieve(batch_id), lambda one: one.processing_status == "ended")


@check("anthropic: a batch of messages is answered by four dialects, and its results are an iterator")
def anthropic_batch() -> None:
    batches = anthropic_client().messages.batches
    requests = [{"custom_id": f"line-{at}", "params": params(f"say: {model}", model)} for at, model in enumerate(DIALECTS)]
    requests.append({"custom_id": "wrong", "params": params("x", "no-such-model")})
    batch = batches.create(requests=requests)
    same((batch.type, batch.processing_status, batch.results_url), ("message_batch", "in_progress", None))
    counts = wait_for_messages(batch.id).request_counts
    same((counts.succeeded, counts.errored, counts.processing), (len(DIALECTS), 1, 0))
    results = {one.custom_id: one.result for one in batches.results(batch.id)}
    contents = [results[f"line-{at}"].message.content for at in range(len(DIALECTS))]
    # Some of them think first.
    said = ["".join(block.text for block in content if block.type == "text") for content in contents]
    same(said, DIALECTS)
    same((results["wrong"].type, results["wrong"].error.error.type), ("errored", "not_found_error"))
    same(batches.delete(batch.id).type, "message_batch_deleted")
    same(status_of(lambda: batches.retrieve(batch.id)), 404)


@check("anthropic: batches are listed page by page, and cancelled")
def anthropic_list() -> None:
    batches = anthropic_client().messages.batches
    made = [batches.create(requests=[{"custom_id": "a", "params": params("say: a", DIALECTS[1])}]).id for _ in range(3)]
    same([one.id for one in batches.list(limit=2)][:3], made[::-1])
    raw = batches.with_raw_response.retrieve(made[0])
    same((raw.status_code, raw.parse().id), (200, made[0]))
    slow = batches.create(requests=[{"custom_id": "slow", "params": params("x", "Local#sim~latency=600000")}])
    wait_until(lambda: batches.retrieve(slow.id), lambda one: one.processing_status == "in_progress")
    assert batches.cancel(slow.id).processing_status in ("canceling", "ended")
    same(wait_for_messages(slow.id).request_counts.canceled, 1)
    for one in made:
        wait_for_messages(one)


@check("anthropic: files are uploaded, listed, read and deleted")
def anthropic_files() -> None:
    files = anthropic_client().beta.files
    file = files.upload(file=("notes.txt", b"first\nsecond", "text/plain"))
    same((file.filename, file.mime_type, file.size_bytes, file.downloadable), ("notes.txt", "text/plain", 12, True))
    same([one.id for one in files.list(limit=1)], [file.id])
    same(files.retrieve_metadata(file.id).size_bytes, 12)
    same(files.download(file.id).read(), b"first\nsecond")
    same(files.delete(file.id).id, file.id)
    same(status_of(lambda: files.retrieve_metadata(file.id)), 404)


def main() -> None:
    if sys.argv[1] == "--list":
        print(json.dumps(list(CHECKS)))
        return
    for name, function in CHECKS.items():
        error = None
        try:
            function()
        except Exception:
            error = traceback.format_exc()
        print(json.dumps({"check": name, "error": error}), flush=True)


main()
