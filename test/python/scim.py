"""A directory's routes, judged by scim2-tester.

    scim.py --list          fails if the judge is not installed
    scim.py '{"url": …}'    asks the gateway: url, token. Prints a JSON line per check, {"check", "status", "reason"}
"""

import json
import sys

from httpx2 import Client
from scim2_client.engines.httpx2 import SyncSCIMClient
from scim2_tester import check_server


def main() -> None:
    if sys.argv[1] == "--list":
        return
    given = json.loads(sys.argv[1])
    headers = {"Authorization": f"Bearer {given['token']}"}
    client = Client(base_url=given["url"], headers=headers, timeout=30)
    scim = SyncSCIMClient(client)
    scim.discover()
    for result in check_server(scim):
        line = {"check": result.title, "status": result.status.name, "reason": str(result.reason or "")[:500]}
        print(json.dumps(line))


main()
