"""fastmcp as a tool server behind the gateway, and as a client of the gateway's tool servers.

    tool_servers.py --list          fails if it is not installed
    tool_servers.py --serve PORT    serves at /mcp: echo, fail, slow, count_cancelled
    tool_servers.py '{"url": …}'    asks the gateway: url, secret, servers. Prints a JSON line per thing seen
"""

import asyncio
import json
import sys
from contextlib import suppress

from fastmcp import Client, Context, FastMCP
from fastmcp.client.messages import MessageHandler
from fastmcp.client.transports import StreamableHttpTransport
from fastmcp.exceptions import ToolError
from mcp.client.subscriptions import listen

MODES = ["legacy", "auto", "2026-07-28"]


def make_server() -> FastMCP:
    server = FastMCP("judge")
    cancelled = 0

    @server.tool
    def echo(text: str) -> str:
        return f"echo: {text}"

    @server.tool
    def fail() -> str:
        raise ToolError("the tool broke")

    @server.tool
    async def slow(context: Context) -> str:
        nonlocal cancelled
        await context.report_progress(1, 2)
        try:
            await asyncio.sleep(600)
        except asyncio.CancelledError:
            cancelled += 1
            raise
        return "it was not cancelled"

    @server.tool
    def count_cancelled() -> str:
        return str(cancelled)

    return server


class Listener(MessageHandler):
    def __init__(self) -> None:
        self.heard = asyncio.Event()

    async def on_tool_list_changed(self, message) -> None:
        self.heard.set()


def connect(given: dict, server: str, mode: str, listener: Listener | None = None) -> Client:
    headers = {"Authorization": f"Bearer {given['secret']}"}
    transport = StreamableHttpTransport(f"{given['url']}/mcp/{server}", headers=headers)
    return Client(transport, mode=mode, message_handler=listener)


def say(**seen) -> None:
    print(json.dumps(seen), flush=True)


async def call(client: Client, tool: str, arguments: dict) -> list:
    result = await client.call_tool_mcp(tool, arguments)
    return [bool(result.is_error), result.content[0].text]


async def leave(client: Client, tool: str, arguments: dict) -> str:
    """Leaves a call once it has reported progress."""
    reported = asyncio.Event()

    async def report(progress, total, message) -> None:
        reported.set()

    running = asyncio.create_task(client.call_tool_mcp(tool, arguments, progress_handler=report))
    await asyncio.wait([running, asyncio.create_task(reported.wait())], return_when=asyncio.FIRST_COMPLETED)
    if running.done():
        return f"ended: {running.result()}"
    running.cancel()
    with suppress(asyncio.CancelledError):
        await running
    return "left"


async def ask(given: dict, server: dict, mode: str) -> None:
    async with connect(given, server["name"], mode) as client:
        tools = sorted(tool.name for tool in await client.list_tools())
        calls = [await call(client, *one) for one in server["calls"]]
        left = await leave(client, *server["slow"])
        try:
            unknown = await call(client, "missing", {})
        except Exception as error:
            unknown = str(error)
        say(server=server["name"], mode=mode, version=client.protocol_version, tools=tools, calls=calls, left=left, unknown=unknown)


async def hear(given: dict, mode: str) -> None:
    """Hears of one change, which is made when it says that it listens."""
    listener = Listener()
    async with connect(given, given["changes"], mode, listener) as client:
        before = {tool.name for tool in await client.list_tools()}
        if client.protocol_version == "2026-07-28":
            async with listen(client.session, tools_list_changed=True) as events:
                say(listens=mode)
                await anext(aiter(events))
        else:
            say(listens=mode)
            await listener.heard.wait()
        after = {tool.name for tool in await client.list_tools()}
        say(heard=mode, added=sorted(after - before))


async def ask_all(given: dict) -> None:
    for server in given["servers"]:
        for mode in MODES:
            await ask(given, server, mode)
    await asyncio.gather(*(hear(given, mode) for mode in MODES))


def main() -> None:
    if sys.argv[1] == "--list":
        return
    if sys.argv[1] == "--serve":
        make_server().run(transport="http", host="127.0.0.1", port=int(sys.argv[2]), path="/mcp", show_banner=False)
        return
    asyncio.run(ask_all(json.loads(sys.argv[1])))


main()
